/** Completions for bash. */

import { type CompletionPosition, type CompletionWords, type FlagWord, pathsOf } from './completion-words.ts';

/**
 * Names of servers and tools come from the program itself, a line each, and are compared letter by letter: nothing that a
 * server called its tool is ever expanded. Bash takes `server:tool` apart at the colon, so words are put together first, and
 * of a match only the part after the colon is given back.
 */
export function bashCompletions(words: CompletionWords): string {
  const values = [
    ...words.shared.flatMap((flag) => valueCase(`*${quote(` ${flag.text}`)}`, flag)),
    ...words.places.flatMap(({ path, flags }) =>
      flags.flatMap((flag) => valueCase(quote(`${path} ${flag.text}`), flag)),
    ),
  ];
  return `# bash completion for toolcrib
_toolcrib_names() {
  local name
  while IFS= read -r name; do
    [[ "$name" == "$current"* ]] && COMPREPLY+=("\${name#"$before"}")
  done < <("\${COMP_WORDS[0]}" names "$1" 2>/dev/null </dev/null)
}
_toolcrib() {
  local word place="" operands=0 last=0 current previous="" before=""
  local -a typed=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ \${#typed[@]} -gt 0 && ( "$word" == :* || "\${typed[last]}" == *: ) ]]; then
      typed[last]="\${typed[last]}$word"
    else
      typed+=("$word")
      last=$((\${#typed[@]} - 1))
    fi
  done
  current="\${typed[last]}"
  [[ $last -gt 0 ]] && previous="\${typed[last - 1]}"
  [[ "$COMP_WORDBREAKS" == *:* && "$current" == *:* ]] && before="\${current%"\${current##*:}"}"
  COMPREPLY=()
  for word in "\${typed[@]:0:last}"; do
    case "\${place:+$place }$word" in
      ${pathsOf(words).map(quote).join(' | ')}) place="\${place:+$place }$word" operands=0 ;;
      *) [[ "$word" == -* ]] || operands=$((operands + 1)) ;;
    esac
  done
  case "$place $previous" in
${values.join('\n')}
  esac
  local words="" flags="" names=""
  case "$place" in
${words.places.map(placeCase).join('\n')}
  esac
  flags="$flags ${texts(words.shared)}"
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    [[ -n "$names" && $operands -eq 0 ]] && _toolcrib_names "$names"
  fi
}
complete -o default -F _toolcrib toolcrib
`;
}

/** After a flag that takes a value, only its values are offered. */
function valueCase(pattern: string, { takes }: FlagWord): string[] {
  if (takes === 'nothing') return [];
  return [`    ${pattern}) ${valueCommand(takes)}; return ;;`];
}

function valueCommand(takes: Exclude<FlagWord['takes'], 'nothing'>): string {
  if (takes === 'file') return 'COMPREPLY=($(compgen -f -- "$current"))';
  if (takes === 'anything') return 'COMPREPLY=()';
  if (typeof takes === 'string') return `_toolcrib_names ${takes}`;
  return `COMPREPLY=($(compgen -W ${quote(takes.join(' '))} -- "$current"))`;
}

function placeCase({ path, words, flags, names }: CompletionPosition): string {
  const wanted = names === undefined ? '' : ` names=${names}`;
  return `    ${quote(path)}) words=${quote(texts(words))} flags=${quote(texts(flags))}${wanted} ;;`;
}

function texts(words: readonly { readonly text: string }[]): string {
  return words.map(({ text }) => text).join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
