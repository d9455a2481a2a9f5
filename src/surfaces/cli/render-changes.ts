/** Definitions that changed, as their owner reads about them: why first, then what differs. */

import type { ChangeHistory, DefinitionChange } from '../../admin/admin.ts';
import type { Style } from './style.ts';
import { visible } from './visible.ts';
import { wrapText } from './wrap-text.ts';

type Difference = DefinitionChange['differences'][number];
type Reason = DefinitionChange['reasons'][number];

export function renderChanges(changes: readonly DefinitionChange[], style: Style): string {
  return changes.map((change) => renderChange(change, style)).join('\n\n');
}

const states: Readonly<Record<DefinitionChange['state'], string>> = {
  changed: 'changed since it was approved; calls are refused',
  held: 'held back; nobody can see or call it',
  rejected: 'rejected; it stays as it was approved',
  approved: 'taken, and worth a look',
};

function renderChange(change: DefinitionChange, style: Style): string {
  const { state, kind, key, approvedFingerprint, fingerprint, times, isOffered } = change;
  const what = kind === 'tool' ? '' : kind === 'server' ? ' (what the server says of itself)' : ` (${kind})`;
  const stateText =
    state === 'rejected' && approvedFingerprint === null ? 'rejected; nobody can see or call it' : states[state];
  const more = [
    ...(times > 1 ? [`It changed ${times} times, to and fro.`] : []),
    ...(isOffered ? [] : ['The server does not offer it just now.']),
  ];
  const marks = style.faint(`${approvedFingerprint?.slice(0, 12) ?? 'nothing approved'} → ${fingerprint.slice(0, 12)}`);
  return [
    `${style.strong(visible(key))}${what}: ${paintState(stateText, state, style)}  ${marks}`,
    ...change.reasons.map((reason) => renderReason(reason, state, style)),
    ...more.map((line) => `  ${line}`),
    ...change.differences.flatMap((difference) => renderDifference(difference, style)),
    ...(state === 'approved' ? [`  Fine? toolcrib approve ${addressOf(change)}`] : decisionsFor(change)),
  ].join('\n');
}

function decisionsFor(change: DefinitionChange): string[] {
  const address = addressOf(change);
  return [`  Accept it: toolcrib approve ${address}   Refuse it: toolcrib reject ${address}`];
}

/** Of a server alone, everything of it would be meant; of a name, things of every kind. */
function addressOf({ key, kind }: DefinitionChange): string {
  return kind === 'tool' ? visible(key) : `${visible(key)} --kind ${kind}`;
}

function paintState(text: string, state: DefinitionChange['state'], style: Style): string {
  return state === 'changed' || state === 'held' ? style.bad(text) : style.notice(text);
}

function renderReason({ where, sentence }: Reason, state: string, style: Style): string {
  const place = where === '' ? '' : `${placeInWords(where)}: `;
  return `  ${state === 'approved' ? style.notice('?') : style.bad('!')} ${visible(place + sentence)}`;
}

/** A path as a person speaks of it. */
export function placeInWords(where: string): string {
  const parts = where.replace(/~$/, ', its name').split('.');
  const [first = '', ...rest] = parts;
  if (first === 'inputSchema' || first === 'outputSchema') {
    const names = rest.flatMap((part, at) => (rest[at - 1] === 'properties' ? [part] : []));
    const last = rest.lastIndexOf('properties') + 2;
    const detail = names.length === 0 ? rest : rest.slice(last);
    const thing = first === 'inputSchema' ? 'parameter' : 'answer';
    const whole = first === 'inputSchema' ? 'parameters' : 'answer';
    const named = names.length === 0 ? whole : `${thing} ${names.join('.')}`;
    return detail.length === 0 ? named : `${named}, ${detail.join('.')}`;
  }
  if (first === 'annotations' && rest[0]?.endsWith('Hint')) return `hint ${rest.join('.')}`;
  return parts.join('.');
}

/** What was decided about, without what led to it. */
export function renderDecided(changes: readonly DefinitionChange[], style: Style): string {
  const shown = changes.map(({ key, differences }) =>
    [style.strong(visible(key)), ...differences.flatMap((difference) => renderDifference(difference, style))].join(
      '\n',
    ),
  );
  return shown.join('\n\n');
}

/** Longer texts are shown by the sentences that differ. */
const wholeChars = 240;

function renderDifference({ where, change, before, after }: Difference, style: Style): string[] {
  const verb = change === 'changed' ? '' : ` ${change}`;
  const [old, now] = shortened(before, after);
  return [
    `  ${visible(placeInWords(where))}${verb}:`,
    ...old.flatMap((text) => lines('-', text).map((line) => style.bad(line))),
    ...now.flatMap((text) => lines('+', text).map((line) => style.good(line))),
  ];
}

function lines(mark: string, text: string): string[] {
  return visible(text)
    .split('\n')
    .flatMap((line) => wrapText(line, wholeChars))
    .map((line) => `    ${mark} ${line}`);
}

function shortened(before: string | null, after: string | null): [string[], string[]] {
  if (before === null || after === null || before.length + after.length <= 2 * wholeChars)
    return [before === null ? [] : [before], after === null ? [] : [after]];
  const [old, now] = [sentencesOf(before), sentencesOf(after)];
  const [gone, added] = [old.filter((item) => !now.includes(item)), now.filter((item) => !old.includes(item))];
  // Where only the order or the spacing differs, nothing less than all shows it.
  return gone.length + added.length === 0 ? [[before], [after]] : [gone, added];
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?;])\s+|\n+/).filter((item) => item.trim() !== '');
}

const acts: Readonly<Record<string, string>> = {
  held: 'held back',
  passed: 'changed, and passed',
  changed: 'changed, and waits for approval',
  returned: 'is again what was approved',
  approved: 'approved',
  rejected: 'rejected',
};

export function renderHistory(history: readonly ChangeHistory[], style: Style): string {
  const entries = history.map(({ at, key, kind, act, by, grade, reasons, differences, before, after }) => {
    const who = by === null ? '' : ` by ${visible(by)}`;
    const graded = act === 'passed' && grade !== null ? ` (${grade})` : '';
    const marks = style.faint(`${before?.slice(0, 12) ?? '–'} → ${after?.slice(0, 12) ?? '–'}`);
    const what = kind === 'tool' || kind === 'server' ? '' : ` (${kind})`;
    return [
      `${at}  ${style.strong(visible(key))}${what} ${acts[act] ?? act}${graded}${who}  ${marks}`,
      ...reasons.map((reason) => renderReason(reason, act === 'passed' ? 'approved' : 'changed', style)),
      ...differences.flatMap((difference) => renderDifference(difference, style)),
    ].join('\n');
  });
  return entries.join('\n');
}
