/** Calls that wait for approval, and tools that were approved for always, for people. */

import type { LastingApproval, WaitingCall } from '../../admin/admin.ts';
import { printable, printableLines } from '../../base/text.ts';
import type { CommandContext } from './context.ts';
import type { Style } from './style.ts';
import { table } from './table.ts';

/** The newest last, where the eye is. */
export function renderWaiting(calls: readonly WaitingCall[], style: Style, now: number): string {
  if (calls.length === 0) return 'No call waits for approval.';
  const last = calls.at(-1)?.id ?? '';
  const how = `Approve: toolcrib allow ${last} (--session, --always). Refuse: toolcrib refuse ${last}.`;
  return [...calls.map((call) => waitingLines(call, style, now)), how].join('\n\n');
}

/** What exactly would be called, and for whom. */
export function waitingLines(call: WaitingCall, style: Style, now: number): string {
  const program = call.client === null ? '' : ` (the program says it is ${printable(call.client)})`;
  const project = call.project === null ? '' : ` in project ${printable(call.project)}`;
  const agent = call.asked === 'agent' ? '; the person at the agent is asked as well' : '';
  const seconds = Math.max(0, Math.round((Date.parse(call.expiresAt) - now) / 1_000));
  const cut = call.isCut
    ? [style.bad(`    Only the beginning of the arguments is shown; they have ${call.characters} characters.`)]
    : [];
  return [
    `${style.strong(call.id)}  ${style.notice(printable(call.toolKey))}  for ${printable(call.principal)}${project}${program}`,
    style.faint(`    ${seconds} s left${agent}`),
    ...cut,
    ...printableLines(call.arguments)
      .split('\n')
      .map((line) => `    ${line}`),
  ].join('\n');
}

export function renderLasting(approvals: readonly LastingApproval[], context: CommandContext): string {
  if (approvals.length === 0) return 'No tool is approved for always.';
  return table(
    approvals,
    [
      { title: 'ID', cell: ({ id }) => id },
      { title: 'TOOL', cell: ({ toolKey }) => toolKey, paint: (text) => context.style.strong(text) },
      { title: 'FOR', cell: ({ principal }) => principal },
      { title: 'PROJECT', cell: ({ project }) => project ?? '' },
      { title: 'SINCE', cell: ({ at }) => at.slice(0, 16).replace('T', ' ') },
      { title: 'BY', cell: ({ by }) => by },
    ],
    { style: context.style, width: context.width },
  );
}
