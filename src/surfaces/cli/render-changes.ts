/** Definitions that changed, as their owner reads about them: why first, then what differs. */

import type { ChangeHistory, DefinitionChange } from '../../admin/admin.ts';
import { minuteOf } from '../../base/amounts.ts';
import { typed, visibleLine } from '../../base/visible.ts';
import { actInWords, changeInWords, sayReason, stateInWords } from '../wording/wording.ts';
import { noLimits, type PrintLimits, renderDifferences } from './render-differences.ts';
import type { Style } from './style.ts';

type Reason = DefinitionChange['reasons'][number];

/** Definitions as they were printed. */
export interface PrintedChanges {
  readonly text: string;
  /** Those of which nothing was left out: only these were read. */
  readonly whole: readonly DefinitionChange[];
}

/** Each with everything about it, as far as there is limits. */
export function renderChanges(
  changes: readonly DefinitionChange[],
  style: Style,
  limits: PrintLimits = noLimits,
): PrintedChanges {
  const printed = changes.map((change) => renderChange(change, style, limits));
  return {
    text: printed.map(({ text }) => text).join('\n\n'),
    whole: changes.filter((_, at) => printed[at]?.isWhole),
  };
}

interface PrintedChange {
  readonly text: string;
  readonly isWhole: boolean;
}

function renderChange(change: DefinitionChange, style: Style, limits: PrintLimits): PrintedChange {
  const { state, key, approvedFingerprint, comparedFingerprint, fingerprint, times, isOffered } = change;
  const more = [
    ...(times > 1 ? [`It changed ${times} times, to and fro.`] : []),
    ...(isOffered ? [] : ['The server does not offer it just now.']),
  ];
  const from = approvedFingerprint === null ? 'nothing approved' : comparedFingerprint?.slice(0, 12);
  const marks = style.faint(`${from === undefined ? '' : `${from} → `}${fingerprint.slice(0, 12)}`);
  const { lines, isWhole } = renderDifferences(change.differences, limits, style);
  const text = [
    `${style.strong(visibleLine(key))}${kindNote(change)}: ${paintState(stateInWords(change), state, style)}  ${marks}`,
    ...change.reasons.map((reason) => `  ${renderReason(reason, state, style)}`),
    ...more.map((line) => `  ${line}`),
    ...lines,
    ...(isWhole ? [] : [`  All of it: toolcrib review ${addressOf(change)}`]),
    ...decisionsFor(change),
  ].join('\n');
  return { text, isWhole };
}

/** A rejected definition is decided: don't offer it as if it were open. */
function decisionsFor(change: DefinitionChange): string[] {
  const address = addressOf(change);
  if (change.state === 'rejected') return [];
  if (change.state === 'approved')
    return [`  Accept it: toolcrib review accept ${address}   Reject it: toolcrib review reject ${address}`];
  return [`  Accept it: toolcrib review accept ${address}   Reject it: toolcrib review reject ${address}`];
}

/** The kind of a definition that is not a tool. */
export function kindNote({ kind }: Pick<DefinitionChange, 'kind'>): string {
  return kind === 'tool' ? '' : kind === 'server' ? ' (server description)' : ` (${kind})`;
}

/** Of a server alone, everything of it would be meant; of a name, things of every kind. */
function addressOf({ key, kind }: DefinitionChange): string {
  return kind === 'tool' ? typed(key) : `${typed(key)} --kind ${kind}`;
}

function paintState(text: string, state: DefinitionChange['state'], style: Style): string {
  return state === 'changed' || state === 'held' ? style.bad(text) : style.notice(text);
}

function renderReason(reason: Reason, state: string, style: Style): string {
  return `${state === 'approved' ? style.notice('?') : style.bad('!')} ${reasonInWords(reason)}`;
}

/** Where and why, with nothing hidden. */
export function reasonInWords(reason: Pick<Reason, 'where' | 'sentence'>): string {
  return visibleLine(sayReason(reason));
}

export function renderHistory(history: readonly ChangeHistory[], style: Style): string {
  if (history.length === 0) return 'No changes yet.';
  const entries = history.map(({ at, key, kind, change, act, by, grade, reasons, differences, before, after }) => {
    const said = act === null ? [] : [`${actInWords({ act, grade })}${by === null ? '' : ` by ${visibleLine(by)}`}`];
    const what = [...(change === null ? [] : [changeInWords(change)]), ...said].join(', ');
    const [old, now] = [before, after].map((mark) => visibleLine(mark?.slice(0, 12) ?? '–'));
    const marks = style.faint(`${old} → ${now}`);
    const of = kind === 'tool' || kind === 'server' ? '' : ` (${kind})`;
    return [
      `${minuteOf(at)}  ${style.strong(visibleLine(key))}${of} ${what}  ${marks}`,
      ...reasons.map(
        (reason) => `  ${renderReason(reason, act === 'passed' || act === 'marked' ? 'approved' : 'changed', style)}`,
      ),
      ...renderDifferences(differences, noLimits, style).lines,
    ].join('\n');
  });
  return entries.join('\n');
}
