/** Completions for fish. */

import type { NameKind } from '../command.ts';
import type { CompletionPosition, CompletionWords, FlagWord, Word } from './completion-words.ts';

export function fishCompletions({ places, shared }: CompletionWords): string {
  const firstWords = places.find(({ path }) => path === '')?.words ?? [];
  const lines = places.flatMap((place) => [
    ...place.words.map((word) => wordLine(place, word, places)),
    ...place.flags.map((flag) => flagLine(conditionOf(place), flag)),
    ...(place.names === undefined
      ? []
      : [`complete -c toolcrib -f -n ${conditionOf(place)} -a ${namesOf(place.names)}`]),
  ]);
  return `# fish completion for toolcrib
set -l toolcrib_commands ${firstWords.map(({ text }) => text).join(' ')}
${[...shared.map((flag) => flagLine('', flag)), ...lines].join('\n')}
`;
}

/** A condition of fish that holds at a place on the line. The commands are written in when the file is read. */
function conditionOf({ path }: CompletionPosition): string {
  if (path === '') return '"not __fish_seen_subcommand_from $toolcrib_commands"';
  const seen = path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
  return quote(seen.join('; and '));
}

/** The second word of a group is offered only until one of them is there. */
function wordLine(place: CompletionPosition, { text, summary }: Word, places: readonly CompletionPosition[]): string {
  const isGroup = place.path !== '' && places.some(({ path }) => path.startsWith(`${place.path} `));
  const siblings = place.words.map((word) => word.text).join(' ');
  const condition = isGroup
    ? quote(`__fish_seen_subcommand_from ${place.path}; and not __fish_seen_subcommand_from ${siblings}`)
    : conditionOf(place);
  return `complete -c toolcrib -f -n ${condition} -a ${quote(text)}${describe(summary)}`;
}

function flagLine(condition: string, { text, summary, takes }: FlagWord): string {
  const where = condition === '' ? '' : ` -n ${condition}`;
  return `complete -c toolcrib${where} -l ${text.slice(2)}${takenBy(takes)}${describe(summary)}`;
}

function takenBy(takes: FlagWord['takes']): string {
  if (takes === 'nothing') return '';
  if (takes === 'file') return ' -r -F';
  if (takes === 'anything') return ' -x';
  return ` -x -a ${typeof takes === 'string' ? namesOf(takes) : quote(takes.join(' '))}`;
}

/** Asked of the program when the key is pressed. */
function namesOf(kind: NameKind): string {
  return quote(`(toolcrib names ${kind} 2>/dev/null)`);
}

function describe(summary: string): string {
  return summary === '' ? '' : ` -d ${quote(summary)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
