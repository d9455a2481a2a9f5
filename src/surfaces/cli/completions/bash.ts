/** Completions for bash. */

import { type CompletionPosition, type CompletionWords, type FlagWord, pathsOf } from './completion-words.ts';

export function bashCompletions(words: CompletionWords): string {
  const values = [
    ...words.shared.flatMap((flag) => valueCase(`*${quote(` ${flag.text}`)}`, flag)),
    ...words.places.flatMap(({ path, flags }) =>
      flags.flatMap((flag) => valueCase(quote(`${path} ${flag.text}`), flag)),
    ),
  ];
  return `# bash completion for toolcrib
_toolcrib() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" place="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${place:+$place }$word" in
      ${pathsOf(words).map(quote).join(' | ')}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place $previous" in
${values.join('\n')}
  esac
  local words="" flags=""
  case "$place" in
${words.places.map(placeCase).join('\n')}
  esac
  flags="$flags ${texts(words.shared)}"
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -o default -F _toolcrib toolcrib
`;
}

/** After a flag that takes a value, only its values are offered. */
function valueCase(pattern: string, { takes }: FlagWord): string[] {
  if (takes === 'nothing') return [];
  if (takes === 'file') return [`    ${pattern}) COMPREPLY=($(compgen -f -- "$current")); return ;;`];
  if (takes === 'anything') return [`    ${pattern}) COMPREPLY=(); return ;;`];
  return [`    ${pattern}) COMPREPLY=($(compgen -W ${quote(takes.join(' '))} -- "$current")); return ;;`];
}

function placeCase({ path, words, flags }: CompletionPosition): string {
  return `    ${quote(path)}) words=${quote(texts(words))} flags=${quote(texts(flags))} ;;`;
}

function texts(words: readonly { readonly text: string }[]): string {
  return words.map(({ text }) => text).join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
