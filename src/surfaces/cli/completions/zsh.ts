/** Completions for zsh. */

import {
  type CompletionPosition,
  type CompletionWords,
  type FlagWord,
  pathsOf,
  type Word,
} from './completion-words.ts';

export function zshCompletions(words: CompletionWords): string {
  const values = [
    ...words.shared.flatMap((flag) => valueCase(`*${quote(` ${flag.text}`)}`, flag)),
    ...words.places.flatMap(({ path, flags }) =>
      flags.flatMap((flag) => valueCase(quote(`${path} ${flag.text}`), flag)),
    ),
  ];
  return `#compdef toolcrib
_toolcrib_names() {
  compadd -- "\${(@f)$("\${words[1]}" names "$1" 2>/dev/null </dev/null)}"
}
_toolcrib() {
  local -a flags choices
  local place="" word names="" operands=0
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${place:+$place }$word" in
      (${pathsOf(words).map(quote).join('|')}) place="\${place:+$place }$word" operands=0 ;;
      (*) [[ "$word" == -* ]] || (( operands += 1 )) ;;
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case "$place" in
${words.places.map(placeCase).join('\n')}
  esac
  flags+=(${words.shared.map(described).join(' ')})
  if [[ "$PREFIX" == -* ]]; then
    _describe -o 'flag' flags
  elif [[ -n "$names" && $operands -eq 0 ]]; then
    (( $#choices )) && _describe 'toolcrib' choices
    _toolcrib_names "$names"
  elif (( $#choices )); then
    _describe 'toolcrib' choices
  else
    _files
  fi
}
if [ "$funcstack[1]" = "_toolcrib" ]; then
  _toolcrib "$@"
else
  compdef _toolcrib toolcrib
fi
`;
}

/** After a flag that takes a value, only its values are offered. */
function valueCase(pattern: string, { takes }: FlagWord): string[] {
  if (takes === 'nothing') return [];
  if (takes === 'file') return [`    (${pattern}) _files; return ;;`];
  if (takes === 'anything') return [`    (${pattern}) return 1 ;;`];
  if (typeof takes === 'string') return [`    (${pattern}) _toolcrib_names ${takes}; return ;;`];
  return [`    (${pattern}) choices=(${takes.map(quote).join(' ')}); _describe 'value' choices; return ;;`];
}

function placeCase({ path, words, flags, names }: CompletionPosition): string {
  const [flagList, wordList] = [flags, words].map((list) => list.map(described).join(' '));
  return `    (${quote(path)}) flags=(${flagList}) choices=(${wordList})${names === undefined ? '' : ` names=${names}`} ;;`;
}

/** The word with its meaning after a colon. */
function described({ text, summary }: Word): string {
  return quote(summary === '' ? text : `${text}:${summary.replace(/[:\\]/g, '\\$&')}`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
