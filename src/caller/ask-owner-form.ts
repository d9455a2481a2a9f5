/** The question whether a call may be made, as a form for the person at an agent, and what that person said. */

import { type ApprovalQuestion, type ShownJson, toolKeyOf, visible } from '../access/access.ts';
import { isObject } from '../base/json.ts';
import { withEdges } from '../base/text.ts';
import type { Params, Result } from '../protocol/messages.ts';
import type { AgentSide } from './agent-side.ts';

export const askMethod = 'elicitation/create';

/** What is offered there. Beyond the session it is for the owner to say, who need not be the person at the agent. */
type Offered = 'once' | 'session' | 'refuse';

/** The first one is what a form may show as chosen already. */
const labels: Readonly<Record<Offered, string>> = {
  refuse: 'Refuse',
  once: 'Allow once',
  session: 'Allow this tool for this session',
};
const withoutSession = { ...labels, session: 'Allow this tool for one hour, for every agent with the same token' };

const member = 'decision';

/** Whether an agent puts forms to a person: one that says nothing of kinds has this one. */
export function canBeAsked({ era, capabilities, ask }: AgentSide): boolean {
  const { elicitation } = capabilities;
  if (!isObject(elicitation) || (era === 'legacy' && ask === undefined)) return false;
  return isObject(elicitation.form) || !isObject(elicitation.url);
}

export function formOf(question: ApprovalQuestion): Params {
  const { call, isSessionOffered } = question.facts;
  const { session, ...one } = call.isSessionReal ? labels : withoutSession;
  const offered = [...Object.values(one), ...(isSessionOffered ? [session] : [])];
  return {
    message: messageOf(question),
    requestedSchema: {
      type: 'object',
      properties: { [member]: { type: 'string', title: 'Decision', enum: offered } },
      required: [member],
    },
  };
}

/** Everything but a clear yes is a no. */
export function readAnswer({ action, content }: Result): Offered {
  const said = action === 'accept' && isObject(content) ? content[member] : undefined;
  if (said === labels.once) return 'once';
  return said === labels.session || said === withoutSession.session ? 'session' : 'refuse';
}

/** What is not ours is indented or on a line with what it is, so that it cannot pass for our own words. */
function messageOf({ facts: { call, shown, shownBeside } }: ApprovalQuestion): string {
  const client =
    call.client === undefined ? [] : [`    program: ${withEdges(visible(call.client))} (as it names itself)`];
  const project = call.principal.project ? [`    project: ${withEdges(visible(call.principal.project.name))}`] : [];
  return [
    'This tool is called only with your approval.',
    '',
    `    tool: ${withEdges(visible(toolKeyOf(call)))}`,
    `    asked for by: ${withEdges(visible(call.principal.name))}`,
    ...client,
    ...project,
    '',
    // Before the arguments, which may be long.
    ...(shownBeside ? besideLines(shownBeside) : []),
    ...cutOf(shown, 'the arguments'),
    'Arguments:',
    '',
    ...linesOf(shown),
  ].join('\n');
}

function besideLines(shown: ShownJson): string[] {
  const cut = cutOf(shown, 'what is sent beside the arguments');
  return [...cut, 'Sent to the server beside the arguments:', '', ...linesOf(shown), ''];
}

function cutOf({ text, isCut, characters }: ShownJson, what: string): string[] {
  return isCut ? [`Only the first ${text.length} of ${characters} characters of ${what} can be shown here.`, ''] : [];
}

function linesOf({ text }: ShownJson): string[] {
  return text.split('\n').map((line) => `    ${line}`);
}
