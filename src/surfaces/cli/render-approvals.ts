/** Calls that wait for approval, and tools that were approved beyond one call, for people. */

import type { LastingApproval, WaitingCall } from '../../admin/admin.ts';
import { printableLines } from '../../base/text.ts';
import { visibleLine } from '../../base/visible.ts';
import type { CommandContext } from './context.ts';
import type { Style } from './style.ts';
import { table } from './table.ts';

/** The newest last, where the eye is. */
export function renderWaiting(calls: readonly WaitingCall[], style: Style, now: number): string {
  if (calls.length === 0) return 'No call waits for approval.';
  const last = calls.at(-1)?.id ?? '';
  const how = `Approve: toolcrib approve ${last} (--session, --always). Deny: toolcrib deny ${last}.`;
  return [...calls.map((call) => waitingLines(call, style, now)), how].join('\n\n');
}

/** The exact call, and its caller. */
export function waitingLines(call: WaitingCall, style: Style, now: number): string {
  const program = call.client === null ? '' : ` (the program says it is ${visibleLine(call.client)})`;
  const project = call.project === null ? '' : ` in project ${visibleLine(call.project)}`;
  const agent = call.asked === 'agent' ? '; the person at the agent is asked as well' : '';
  const seconds = Math.max(0, Math.round((Date.parse(call.expiresAt) - now) / 1_000));
  const cut = call.isCut
    ? [style.bad(`    Only the beginning of the arguments is shown; they have ${call.characters} characters.`)]
    : [];
  return [
    `${style.strong(call.id)}  ${style.notice(visibleLine(call.toolKey))}  for ${visibleLine(call.principal)}${project}${program}`,
    style.faint(`    ${seconds} s left${agent}`),
    ...(call.beside ? besideLines(call.beside, style) : []),
    ...cut,
    ...indented(call.arguments),
  ].join('\n');
}

/** Before the arguments, which may be long, and apart from them. */
function besideLines(beside: NonNullable<WaitingCall['beside']>, style: Style): string[] {
  const cut = beside.isCut
    ? [style.bad(`    Only the beginning of this is shown; it has ${beside.characters} characters.`)]
    : [];
  return ['    Sent to the server beside the arguments:', ...cut, ...indented(beside.json), '    Arguments:'];
}

function indented(json: string): string[] {
  return printableLines(json)
    .split('\n')
    .map((line) => `    ${line}`);
}

export function renderLasting(approvals: readonly LastingApproval[], context: CommandContext): string {
  if (approvals.length === 0) return 'No tool is approved beyond a single call.';
  return table(
    approvals,
    [
      { title: 'ID', cell: ({ id }) => id },
      { title: 'TOOL', cell: ({ toolKey }) => toolKey, paint: (text) => context.style.strong(text) },
      { title: 'FOR', cell: ({ principal }) => principal },
      { title: 'PROJECT', cell: ({ project }) => project ?? '' },
      { title: 'PROGRAM', cell: ({ client }) => client ?? '' },
      { title: 'SINCE', cell: ({ at }) => minute(at) },
      { title: 'HOLDS', cell: holdsIn },
      { title: 'BY', cell: ({ by }) => by },
    ],
    { style: context.style, width: context.width },
  );
}

function holdsIn({ holds, until }: LastingApproval): string {
  if (holds === 'always') return 'always';
  return until === null ? 'until its session ends' : `until ${minute(until)}`;
}

function minute(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}
