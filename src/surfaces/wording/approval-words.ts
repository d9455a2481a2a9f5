/** Calls that wait for approval in words: who asks, what is left out, and the answers. */

import type { WaitingCall } from '../../admin/admin.ts';

/** `done` follows the key of the tool. */
export const callAnswers = [
  { answer: 'once', label: 'Approve once', done: 'is approved once' },
  { answer: 'session', label: 'Approve for the session', done: 'is approved for the session' },
  { answer: 'always', label: 'Approve always', done: 'is approved always' },
  { answer: 'refuse', label: 'Deny', done: 'is denied' },
] as const;

export type CallReply = (typeof callAnswers)[number];

/** Without the name of the caller, which stands before it. */
export function callerInWords({ project, client, asked }: WaitingCall): string {
  const where = project === null ? '' : ` in project ${project}`;
  const program = client === null ? '' : `; its client says it is ${client}`;
  return `${where}${program}.${asked === 'agent' ? ' The person at the agent is asked as well.' : ''}`;
}

export function cutInWords(characters: number): string {
  return `Only the beginning is shown, of ${characters} characters.`;
}

/** The meaning of an approval for the session where there is none; empty where there is one. */
export function sessionInWords({ hasSession }: Pick<WaitingCall, 'hasSession'>): string {
  return hasSession
    ? ''
    : 'The agent has no session: “for the session” means every agent with this token, for an hour.';
}
