/** Stage: asks a person before a call whose permission is `ask`. It comes after the arguments were read, so that what is shown is what is sent. */

import {
  type ApprovalDecision,
  type ApprovalRequest,
  Approvals,
  type CallToApprove,
  escapeUnseen,
  type SentParts,
  type ShownJson,
  toolKeyOfCall,
} from '../access/access.ts';
import { abortable, type Clock, sleep } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { fingerprintOf } from '../base/ids.ts';
import { isObject } from '../base/json.ts';
import { withEdges } from '../base/text.ts';
import type { Config } from '../config/config.ts';
import { hopKeys } from '../protocol/eras.ts';
import { type Params, type Result, RpcError, rpcCodes } from '../protocol/messages.ts';
import type { AgentSide, Call, Stage } from './call.ts';
import { isElsewhere, replicaIsGone } from './conversations.ts';
import { changedMeanwhile, checkAuthorized } from './stages.ts';

interface AskOwnerOptions {
  readonly approvals: Approvals;
  /** Read for each call, because the config may change. */
  readonly settings: () => Pick<Config['access'], 'askBy' | 'approvalWaitMs'>;
  readonly clock: Clock;
  /** The option that leads the owner's commands to this gateway; empty where none is needed. */
  readonly dataOption: string;
  /** Told when the agent was asked and never came back. */
  readonly onAbandoned: (call: Call, error: GatewayError) => void;
}

type Next = (call: Call) => Promise<Result>;

/** The name of our question among those that an agent is asked in one answer. */
const questionKey = 'toolcrib-approval';

export class OwnerAsker {
  readonly #options: AskOwnerOptions;

  constructor(options: AskOwnerOptions) {
    this.#options = options;
  }

  readonly stage: Stage = (call, next) => {
    const isOurs = call.agent.era === 'modern' && Approvals.isHandle(call.params.requestState);
    // One that comes back to a question is answered by what was said, also where nobody would be asked any more.
    return call.permission === 'allow' && !isOurs ? next(call) : this.#ask(call, next, isOurs);
  };

  async #ask(call: Call, next: Next, isReturning: boolean): Promise<Result> {
    const { approvals, settings } = this.#options;
    const wanted = wantedBy(call);
    if (isReturning) return this.#comeBack(call, wanted, next);
    if (await this.#isApproved(call, wanted)) return this.#send(call, wanted, next);
    if (approvals.isRefused(wanted)) throw refusedByPerson(call);
    if (!settings().askBy.includes('agent') || !canBeAsked(call.agent)) return this.#leaveToOwner(call, wanted, next);
    return call.agent.era === 'modern' ? this.#askLater(call, wanted) : this.#askNow(call, wanted, next);
  }

  /** By what was said before. */
  async #isApproved(call: Call, wanted: CallToApprove): Promise<boolean> {
    const { approvals } = this.#options;
    const { requestState, inputResponses } = call.params;
    if (approvals.isGranted(wanted)) return true;
    await abortable(approvals.refresh(), call.agent.signal);
    if (approvals.isGranted(wanted)) return true;
    const isContinued = requestState !== undefined || inputResponses !== undefined;
    const { signal } = call.agent;
    const taking = isContinued
      ? approvals.takeReturn(wanted, requestState, signal)
      : approvals.takePass(wanted, signal);
    if (await abortable(taking, signal)) return true;
    if (call.isApproved === true) await approvals.approveOwn(wanted);
    return call.isApproved === true;
  }

  /** A legacy agent is asked while its request waits; the owner may be quicker. */
  async #askNow(call: Call, wanted: CallToApprove, next: Next): Promise<Result> {
    const { approvals } = this.#options;
    const question = approvals.askAgent(wanted, sentBy(call));
    const asking = new AbortController();
    void this.#put(call, question, asking.signal);
    const decision = await this.#decisionOn(question, call).finally(() => asking.abort(taken));
    // Nobody could be asked there after all.
    if (decision === 'withdrawn') return this.#leaveToOwner(call, wanted, next);
    return this.#follow(decision, call, wanted, next);
  }

  async #put(call: Call, question: ApprovalRequest, signal: AbortSignal): Promise<void> {
    const { approvals } = this.#options;
    try {
      const answer = await call.agent.ask?.(askMethod, formOf(question), AbortSignal.any([signal, call.agent.signal]));
      await approvals.answerAtAgent(question, readAnswer(answer ?? {}));
    } catch {
      // The agent has left, or does not do what it said it can; whoever waits for the decision hears that there is none.
      approvals.withdraw(question);
    }
  }

  /** Not longer than the agent stays. */
  async #decisionOn(question: ApprovalRequest, { agent }: Call): Promise<ApprovalDecision> {
    const { approvals, clock } = this.#options;
    const since = clock.elapsed();
    try {
      const decision = await abortable(question.decided, agent.signal);
      agent.signal.throwIfAborted();
      return decision;
    } catch (error) {
      approvals.withdraw(question);
      throw error;
    } finally {
      agent.trace.waitedMs += clock.elapsed() - since;
    }
  }

  /** A modern agent gets the question and comes back with the answer. */
  #askLater(call: Call, wanted: CallToApprove): Result {
    const { approvals, onAbandoned } = this.#options;
    const { request: question, handle } = approvals.askLater(wanted, sentBy(call), () =>
      onAbandoned(call, nobodyAnswered(call)),
    );
    return inputRequired(question, handle);
  }

  async #comeBack(call: Call, wanted: CallToApprove, next: Next): Promise<Result> {
    const { approvals } = this.#options;
    const handle = String(call.params.requestState);
    const question = approvals.findByHandle(handle, wanted);
    // A handle of somebody else, or for another call, is answered like one that never existed.
    if (!question) {
      if (isElsewhere(handle, approvals.replica)) throw replicaIsGone();
      throw new RpcError(
        rpcCodes.invalidParams,
        'The requestState is unknown or has expired; start the call again without it.',
      );
    }
    const { inputResponses } = call.params;
    const said = isObject(inputResponses) && Object.hasOwn(inputResponses, questionKey) && inputResponses[questionKey];
    if (!isObject(said) && question.decision === undefined) return inputRequired(question, handle);
    approvals.setHandle(question, undefined);
    const answer = isObject(said) ? readAnswer(said) : undefined;
    // Each of the two can refuse; what the owner allowed meanwhile needs no second yes.
    if (answer === 'refuse' && question.decision !== undefined) throw refusedByPerson(call);
    if (answer !== undefined)
      await approvals.answerAtAgent(question, answer).catch((error) => {
        // It could not be written down, and may be brought again.
        approvals.setHandle(question, handle);
        throw error;
      });
    return this.#follow(await question.decided, call, wanted, next);
  }

  /** An agent that can't be asked hears that the owner is, and may repeat the call. */
  async #leaveToOwner(call: Call, wanted: CallToApprove, next: Next): Promise<Result> {
    const { approvals, settings, clock, dataOption } = this.#options;
    const { askBy, approvalWaitMs } = settings();
    if (call.way === 'api' && call.principal.scopes.has('admin')) throw approveYourself(call);
    if (!askBy.includes('owner')) throw needsApproval(call, undefined);
    const until = clock.elapsed() + approvalWaitMs;
    const { signal } = call.agent;
    const ask = () => abortable(approvals.askOwner(wanted, sentBy(call)), signal);
    let question = await ask();
    if (approvalWaitMs === 0) throw needsApproval(call, question, dataOption);
    let decision = await this.#decisionWithin(until, question, call);
    if (decision === 'withdrawn') {
      // It ended with another gateway, or in favour of another request for this call. The agent still waits.
      question = await ask();
      decision = await this.#decisionWithin(until, question, call);
    }
    if (decision === undefined) throw needsApproval(call, question, dataOption);
    // The same call may have been made twice, and one approval is good for one of them.
    if (decision === 'once' && !(await abortable(approvals.takePass(wanted, signal), signal)))
      throw needsApproval(call, await ask(), dataOption);
    return this.#follow(decision, call, wanted, next);
  }

  /** The question stays open beyond the wait, and beyond the agent: the owner may answer it later. */
  async #decisionWithin(
    until: number,
    question: ApprovalRequest,
    { agent }: Call,
  ): Promise<ApprovalDecision | undefined> {
    const { clock } = this.#options;
    const since = clock.elapsed();
    const enough = new AbortController();
    const patience = sleep(clock, until - since, enough.signal).then(
      () => undefined,
      () => undefined,
    );
    try {
      return await abortable(Promise.race([question.decided, patience]), agent.signal);
    } finally {
      enough.abort();
      agent.trace.waitedMs += clock.elapsed() - since;
    }
  }

  /** Checks the permission again after the wait: an approval can't allow what the owner forbids by now. */
  #follow(decision: ApprovalDecision, call: Call, wanted: CallToApprove, next: Next): Promise<Result> {
    if (decision === 'refuse') throw refusedByPerson(call);
    if (decision === 'expired' || decision === 'withdrawn') throw nobodyAnswered(call);
    const { identity, ...standing } = call.standing();
    checkAuthorized({ ...call, ...standing });
    if (identity !== wanted.definition) throw changedMeanwhile(call);
    return this.#send(call, wanted, next);
  }

  /** Removes our own question from the parameters: the server must not see it. */
  async #send(call: Call, wanted: CallToApprove, next: Next): Promise<Result> {
    const result = await next(Approvals.isHandle(call.params.requestState) ? withoutAnswer(call) : call);
    // Its server asks something: when the agent comes back with the answer, it is still the call that was approved.
    if (result.resultType === 'input_required') await this.#options.approvals.expectReturn(wanted, result.requestState);
    return result;
  }
}

const taken = new Error('The question has been answered elsewhere.');

function wantedBy(call: Call): CallToApprove {
  const { principal, agent, server, tool } = call;
  return {
    principal,
    session: agent.session,
    isSessionReal: agent.era === 'legacy',
    client: agent.client,
    requestId: agent.requestId,
    server,
    tool,
    definition: call.standing().identity,
    sent: fingerprintOf(sentBy(call)),
  };
}

function sentBy({ params }: Call): SentParts {
  return { arguments: params.arguments, beside: sentBeside(params) };
}

function withoutAnswer(call: Call): Call {
  const { requestState, inputResponses, ...params } = call.params;
  return { ...call, params };
}

function inputRequired(question: ApprovalRequest, requestState: string): Result {
  const inputRequests = { [questionKey]: { method: askMethod, params: formOf(question) } };
  return { resultType: 'input_required', inputRequests, requestState };
}

const askMethod = 'elicitation/create';

/** The choices in the form. Only the owner, who need not be the person at the agent, decides beyond the session. */
type Offered = 'once' | 'session' | 'refuse';

/** The first one is what a form may show as chosen already. */
const labels: Readonly<Record<Offered, string>> = {
  refuse: 'Refuse',
  once: 'Allow once',
  session: 'Allow this tool for this session',
};
const withoutSession = { ...labels, session: 'Allow this tool for one hour, for every agent with the same token' };

const member = 'decision';

/** True if the agent can show forms to a person; an agent that names no kinds can. */
function canBeAsked({ era, capabilities, ask }: AgentSide): boolean {
  const { elicitation } = capabilities;
  if (!isObject(elicitation) || (era === 'legacy' && ask === undefined)) return false;
  return isObject(elicitation.form) || !isObject(elicitation.url);
}

function formOf(question: ApprovalRequest): Params {
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
function readAnswer({ action, content }: Result): Offered {
  const said = action === 'accept' && isObject(content) ? content[member] : undefined;
  if (said === labels.once) return 'once';
  return said === labels.session || said === withoutSession.session ? 'session' : 'refuse';
}

/** Foreign text is indented or labelled, so that it can't pass for our own words. */
function messageOf({ facts: { call, shown, shownBeside } }: ApprovalRequest): string {
  const client =
    call.client === undefined ? [] : [`    program: ${withEdges(escapeUnseen(call.client))} (as it names itself)`];
  const project = call.principal.project
    ? [`    project: ${withEdges(escapeUnseen(call.principal.project.name))}`]
    : [];
  return [
    'This tool runs only with your approval.',
    '',
    `    tool: ${withEdges(escapeUnseen(toolKeyOfCall(call)))}`,
    `    asked for by: ${withEdges(escapeUnseen(call.principal.name))}`,
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

/** `question`: the one that the owner was asked; undefined where the owner answers none. */
function needsApproval({ key }: Call, question: ApprovalRequest | undefined, dataOption = ''): GatewayError {
  if (!question) {
    return new GatewayError('APPROVAL_NEEDED', `Tool "${key}" needs approval, and nobody can be asked for it here.`, {
      hint: 'Only agents that can ask a person may call it; the owner decides that with "access.askBy" in the config.',
      data: { reason: 'nobody-to-ask' },
    });
  }
  const { id, expiresAt } = question.facts;
  return new GatewayError('APPROVAL_NEEDED', `Tool "${key}" needs approval: the owner has been asked (id "${id}").`, {
    hint: `After the owner runs "toolcrib approve ${id}${dataOption}", exactly the same call works once.`,
    data: { reason: 'asked', approval: id, expiresAt: new Date(expiresAt).toISOString() },
  });
}

/** The caller is the person who approves. */
function approveYourself({ key }: Call): GatewayError {
  return new GatewayError('APPROVAL_NEEDED', `Tool "${key}" needs your approval.`, {
    hint: 'Approve this call with --yes, or over the API with "approve": true.',
    data: { reason: 'own' },
  });
}

function nobodyAnswered({ key }: Call): GatewayError {
  return new GatewayError('APPROVAL_NEEDED', `Tool "${key}" was not called: nobody approved it in time.`, {
    data: { reason: 'unanswered' },
  });
}

function refusedByPerson({ key }: Call): GatewayError {
  return new GatewayError('ACCESS_DENIED', `Tool "${key}" was not called: the person who was asked refused it.`, {
    hint: 'Do not call it again unless the user asks for it.',
    data: { reason: 'refused' },
  });
}

const id = /^[\w.:-]{1,128}$/;

/**
 * Members of `_meta` by which programs tell their requests apart, with the form that they have: where a request stands in a trace
 * (W3C Trace Context), and names of it that well-known agents make. They are others each time, and nothing is done because of
 * them. Anything of another form does not count.
 */
const madeAnew: ReadonlyMap<string, RegExp> = new Map([
  ['traceparent', /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/],
  ['tracestate', /^[\t\x20-\x7e]{0,512}$/],
  ['claudecode/toolUseId', id],
  ['vscode.conversationId', id],
  ['vscode.requestId', id],
]);

/** Undefined where there is nothing. Answers to what the server itself asked are not among it. */
export function sentBeside(params: Params): Readonly<Record<string, unknown>> | undefined {
  const { name, arguments: _, requestState, inputResponses, _meta: meta, ...others } = params;
  const said = isObject(meta) ? saidIn(meta) : meta;
  const beside = said === undefined ? others : { ...others, _meta: said };
  return Object.keys(beside).length === 0 ? undefined : beside;
}

function saidIn(meta: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> | undefined {
  const said = Object.entries(meta).filter(([key, value]) => !hopKeys.includes(key) && !isMadeAnew(key, value));
  return said.length === 0 ? undefined : Object.fromEntries(said);
}

function isMadeAnew(key: string, value: unknown): boolean {
  return typeof value === 'string' && madeAnew.get(key)?.test(value) === true;
}
