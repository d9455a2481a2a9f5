/** All that waits, in the order in which it matters: how much there is, what keeps tools away, then what is only worth a look. */

import type { DefinitionChange, OutputOf } from '../../admin/admin.ts';
import { visibleLine } from '../../base/visible.ts';
import { countStates, isUndecided, isWaiting } from '../wording/wording.ts';
import type { DefinitionAddress } from './definition-key.ts';
import { type PrintedChanges, renderChanges } from './render-changes.ts';
import { noLimits, shortLimits } from './render-differences.ts';
import { renderReasons, someNames } from './render-reasons.ts';
import { renderUpgrades } from './render-upgrades.ts';
import type { Style } from './style.ts';

/** The scope of the survey. */
export interface SurveyOptions extends Partial<DefinitionAddress> {
  /** Every definition whole. */
  readonly verbose: boolean;
  /** Also what was rejected. */
  readonly all: boolean;
}

type Listed = Pick<OutputOf<'changes.list'>, 'changes' | 'groups' | 'upgrades'>;

/** Up to this number definitions are shown one by one; more are shown by reason. */
export const fewChanges = 3;

export function surveyChanges(
  { changes, groups, upgrades }: Listed,
  options: SurveyOptions,
  style: Style,
): PrintedChanges {
  if (changes.length === 0) return { text: 'Nothing waits: every definition is as it was approved.', whole: [] };
  const { server, name, kind, verbose, all } = options;
  const isOne = name !== undefined || kind === 'server';
  const isSingly = isOne || verbose || changes.filter(isUndecided).length <= fewChanges;
  const singly = changes.filter(({ state }) =>
    isSingly ? state !== 'rejected' || isOne || all : state === 'rejected' && all,
  );
  const shown = renderChanges(singly, style, isOne || verbose ? noLimits : shortLimits);
  const parts = [
    isOne ? '' : renderUpgrades(upgrades, style),
    countsOf(changes, isOne || all),
    legendOf(singly, style),
    isSingly ? '' : `${renderReasons(groups, style)}\n\n${nextSteps(changes, server)}`,
    shown.text,
    isSingly ? allAtOnce(changes) : '',
  ];
  return { text: parts.filter((part) => part !== '').join('\n\n'), whole: shown.whole };
}

function countsOf(changes: readonly DefinitionChange[], showsRejected: boolean): string {
  const hidden = !showsRejected && !changes.every(isUndecided) ? ' (shown with --all)' : '';
  return `${changes.some(isWaiting) ? '' : 'Nothing waits for you: '}${countStates(changes)}${hidden}.`;
}

/** Only of marks that follow. */
function legendOf(shown: readonly DefinitionChange[], style: Style): string {
  const differences = shown.flatMap((change) => change.differences);
  const marks: readonly (readonly [isUsed: boolean, meaning: string])[] = [
    [shown.some(({ state }) => state !== 'approved'), '! why it is kept from agents'],
    [shown.some(({ state }) => state === 'approved'), '? worth a look'],
    [differences.some(({ before }) => before !== null), '- as it was approved'],
    [differences.some(({ after }) => after !== null), '+ as the server has it now'],
  ];
  return style.faint(marks.flatMap(([isUsed, meaning]) => (isUsed ? [meaning] : [])).join('   '));
}

/** One command for several that wait, where they are of one server. */
function allAtOnce(changes: readonly DefinitionChange[]): string {
  const waiting = changes.filter(isWaiting);
  const [server, ...others] = new Set(waiting.map((change) => visibleLine(change.server)));
  if (server === undefined || others.length > 0 || waiting.length < 2) return '';
  const all = `All ${waiting.length}: toolcrib review`;
  return `${all} accept ${server}   or: toolcrib review reject ${server}`;
}

/** Names the server where there is one; else writes SERVER and lists some. */
function nextSteps(changes: readonly DefinitionChange[], asked: string | undefined): string {
  const servers = [...new Set(changes.filter(isUndecided).map(({ server }) => server))];
  const server = servers.length === 1 ? visibleLine(servers[0] ?? '') : 'SERVER';
  const which = servers.length > 1 && asked === undefined ? [`Servers: ${someNames(servers)}`] : [];
  return [
    ...which,
    `All of it: toolcrib review ${server} --verbose, or one: toolcrib review ${server}:NAME`,
    `Accept: toolcrib review accept ${server}   Reject: toolcrib review reject ${server}`,
  ].join('\n');
}
