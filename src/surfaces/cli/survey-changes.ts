/** All that waits, in the order in which it matters: how much there is, what keeps tools away, then what is only worth a look. */

import type { DefinitionChange } from '../../admin/admin.ts';
import { type PrintedChanges, renderChanges, renderInLine } from './render-changes.ts';
import { allRoom, littleRoom } from './render-differences.ts';
import type { Style } from './style.ts';

/** `all`: every server at once. `server`: one of them, or all with what is past. `one`: a single thing, with nothing left out. */
export type SurveyScope = 'all' | 'server' | 'one';

export function surveyChanges(changes: readonly DefinitionChange[], scope: SurveyScope, style: Style): PrintedChanges {
  if (changes.length === 0) return { text: 'Nothing waits: every definition is as it was approved.', whole: [] };
  const room = scope === 'one' ? allRoom : littleRoom;
  const isShort = scope === 'all';
  const open = isShort ? changes.filter(isWaiting) : changes;
  const full = renderChanges(open, style, room);
  const noted = isShort ? changes.filter(({ state }) => state === 'approved') : [];
  const parts = [
    countsOf(changes, isShort),
    legendOf(open, noted, style),
    full.text,
    ...(noted.length === 0 ? [] : [renderNoted(noted, style)]),
  ];
  return { text: parts.filter((part) => part !== '').join('\n\n'), whole: full.whole };
}

function isWaiting({ state }: DefinitionChange): boolean {
  return state === 'held' || state === 'changed';
}

const names: readonly (readonly [state: DefinitionChange['state'], words: string])[] = [
  ['held', 'held back'],
  ['changed', 'changed and on hold'],
  ['approved', 'worth a look'],
  ['rejected', 'rejected'],
];

function countsOf(changes: readonly DefinitionChange[], isShort: boolean): string {
  const counts = names.flatMap(([state, words]) => {
    const count = changes.filter((change) => change.state === state).length;
    const where = state === 'rejected' && isShort ? ' (shown with --all)' : '';
    return count === 0 ? [] : [`${count} ${words}${where}`];
  });
  return `${changes.some(isWaiting) ? '' : 'Nothing waits for you: '}${counts.join(', ')}.`;
}

/** Only of marks that follow. */
function legendOf(full: readonly DefinitionChange[], noted: readonly DefinitionChange[], style: Style): string {
  const differences = full.flatMap((change) => change.differences);
  const marks: readonly (readonly [isUsed: boolean, meaning: string])[] = [
    [full.some(({ state }) => state !== 'approved'), '! why it is kept from agents'],
    [[...full, ...noted].some(({ state }) => state === 'approved'), '? worth a look'],
    [differences.some(({ before }) => before !== null), '- as it was approved'],
    [differences.some(({ after }) => after !== null), '+ as the server has it now'],
  ];
  return style.faint(marks.flatMap(([isUsed, meaning]) => (isUsed ? [meaning] : [])).join('   '));
}

function renderNoted(noted: readonly DefinitionChange[], style: Style): string {
  const lines = noted.map((change) => renderInLine(change, style));
  return ['Taken, and worth a look; whole with "toolcrib changes SERVER":', ...lines].join('\n');
}
