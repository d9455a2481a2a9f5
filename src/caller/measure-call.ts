/** The end of a call, or of another act of a principal: whose fault it was, if anybody's; its row and its audit event, written before its answer leaves; and the last steps of its session. */

import { hideArguments } from '../arguments/arguments.ts';
import {
  type AuditEvent,
  type AuditLog,
  type GivenOrder,
  shownMistake,
  shownOrder,
  typedName,
} from '../audit/audit.ts';
import type { Clock } from '../base/clock.ts';
import { type ErrorCode, errorCodes, GatewayError, messageOf } from '../base/errors.ts';
import { isObject, type Json, type JsonObject, jsonSize } from '../base/json.ts';
import { beginningToMask, redactedBeginning } from '../base/redact.ts';
import type { CallMetrics, CallRecord, OutcomeKind } from '../metrics/metrics.ts';
import { type Result, RpcError, rpcCodes } from '../protocol/messages.ts';
import { addressOf, type Call, type CallEnd, type RequestSender } from './call.ts';
import type { CallRecorder } from './record-calls.ts';
import { cachedKey } from './reuse-result.ts';

interface CallMeterOptions {
  readonly metrics: CallMetrics;
  readonly audit: AuditLog;
  readonly recorder: CallRecorder;
  readonly trail: Trail;
  readonly clock: Clock;
}

export class CallMeter {
  readonly #options: CallMeterOptions;

  constructor(options: CallMeterOptions) {
    this.#options = options;
  }

  measure(call: Call, ended: CallEnd, outcome: CallOutcome, ms: number): Promise<void> {
    const { metrics, audit, recorder, trail, clock } = this.#options;
    const { session } = call.agent;
    const key = addressOf(call);
    const meta = 'result' in ended && isObject(ended.result._meta) ? ended.result._meta : {};
    const previous = trail.before(session);
    if (outcome.kind === 'ok') trail.worked(session, key);
    const row: CallRecord = {
      at: clock.now(),
      server: call.server,
      tool: call.tool,
      outcome: outcome.kind,
      errorType: outcome.errorType,
      error: outcome.message,
      ms,
      requestBytes: jsonSize(call.params.arguments ?? {}),
      resultBytes: 'result' in ended ? resultSize(ended.result, meta) : 0,
      way: call.way,
      isCached: meta[cachedKey] !== undefined,
      principal: call.principal.id,
      session,
      previous,
      query: call.query,
      suggestedFor: trail.takeSuggestion(session, key),
    };
    recorder.note(call, ended, row);
    return metrics.record(row, audit.recordOf(eventOf(call, row)));
  }
}

function eventOf(call: Call, row: CallRecord): AuditEvent {
  const { principal, agent, params } = call;
  return {
    kind: 'execution',
    action: 'tools.call',
    principal,
    client: agent.client,
    rpcId: agent.requestId,
    project: principal.project?.name,
    session: agent.session,
    server: row.server,
    tool: row.tool,
    outcome: row.outcome,
    errorType: row.errorType,
    ms: row.ms,
    arguments: params.arguments ?? {},
    detail: detailOf(call, row),
  };
}

/** Only members that say something: most calls have three. */
function detailOf({ way, course }: Call, { error, isCached, requestBytes, resultBytes }: CallRecord): JsonObject {
  const detail: Record<string, Json> = { way, requestBytes, resultBytes };
  if (isCached) detail.isCached = true;
  if (error !== null) detail.error = error;
  if (course === undefined) return detail;
  if (course.corrections.length > 0) detail.isCorrected = true;
  if (course.alternatives.length > 0) detail.alternatives = [...course.alternatives];
  const stages = course.stageTimes();
  if (stages !== undefined) detail.stages = stages;
  return detail;
}

/** The size that the server sent, even if the agent got only its beginning. */
function resultSize(result: unknown, meta: Record<string, unknown>): number {
  const kept = meta['toolcrib/result'];
  return isObject(kept) && typeof kept.bytes === 'number' ? kept.bytes : jsonSize(result);
}

export interface CallOutcome {
  readonly kind: OutcomeKind;
  readonly errorType: ErrorCode | null;
  /** The failure, short and without secrets; null if there was none. */
  readonly message: string | null;
  /** The verdict on the tool: it worked, it failed, or none, because others were at fault. */
  readonly verdict: ToolVerdict | null;
}

export type ToolVerdict = 'good' | 'bad';

/** The most characters of a resource's address that are recorded. */
const mostAddressChars = 256;

/** Characters of a message that are recorded. */
const messageCharacters = 200;

/** The side at fault by error code; all others are refusals of ours. */
const kindsByCode: Partial<Record<ErrorCode, OutcomeKind>> = {
  ARGUMENTS_INVALID: 'arguments',
  SERVER_DISCONNECTED: 'server',
  SERVER_NOT_RUNNING: 'server',
  CIRCUIT_OPEN: 'server',
  TIMEOUT: 'timeout',
  TOOL_FAILED: 'tool',
  TOO_LARGE: 'tool',
  CANCELLED: 'cancelled',
};

/** Reasons that put trouble on somebody else: the call never left, the agent fell silent, the server itself was busy. */
const kindsByReason: Readonly<Record<string, OutcomeKind>> = {
  'queue-timeout': 'refused',
  'agent-silent': 'cancelled',
  busy: 'server',
};

/** Kinds that blame the tool or its server, */
const blamed: ReadonlySet<OutcomeKind> = new Set<OutcomeKind>(['tool', 'server', 'timeout']);
/** except where the server never got the call, was merely busy, or did its work too well. */
const acquitted: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['CIRCUIT_OPEN', 'RATE_LIMITED', 'TOO_LARGE']);

/** How official SDKs word a refusal of the arguments inside a result. */
const argumentsRefused = /-32602\b|\binput validation error\b|\bvalidation errors? for \w*arguments\b/i;
/** Where in a result such words are looked for. */
const looked = { blocks: 3, characters: 2_000 };

/** Undefined while the call goes on: the agent has been asked something. `given`: its arguments, which are not told on. */
export function outcomeOf(ended: CallEnd, given?: unknown): CallOutcome | undefined {
  if ('error' in ended) return outcomeOfError(ended.error, given);
  const { result } = ended;
  if (result.resultType === 'input_required') return undefined;
  if (result.isError !== true) return { kind: 'ok', errorType: null, message: null, verdict: 'good' };
  const said = keptOf(textsOf(result)[0] ?? 'The tool said that it failed.', given);
  const errorType = troubleIn(result);
  if (errorType) return failed(kindsByCode[errorType] ?? 'refused', errorType, said);
  return failed(isArgumentRefusal(result) ? 'arguments' : 'tool', 'TOOL_FAILED', said);
}

function outcomeOfError(error: unknown, given: unknown): CallOutcome {
  const said = keptOf(messageOf(error), given);
  if (error instanceof RpcError) return failed(kindOfRpcError(error), 'TOOL_FAILED', said);
  // Anything else that is not trouble is an abort or a bug of ours.
  if (!(error instanceof GatewayError)) return failed('refused', null, said);
  if (error.cause instanceof RpcError) return failed(kindOfRpcError(error.cause), error.code, said);
  const reason = String(error.data?.reason);
  const outcome = failed(kindsByReason[reason] ?? kindsByCode[error.code] ?? 'refused', error.code, said);
  // A wrong credential of ours says nothing about the tool.
  return reason === 'credential' ? { ...outcome, verdict: null } : outcome;
}

function failed(kind: OutcomeKind, errorType: ErrorCode | null, said: string): CallOutcome {
  const isBlamed = blamed.has(kind) && (errorType === null || !acquitted.has(errorType));
  return { kind, errorType, message: said, verdict: isBlamed ? 'bad' : null };
}

function kindOfRpcError({ code, data }: RpcError): OutcomeKind {
  if (code === rpcCodes.invalidParams) return 'arguments';
  const isAgents = code === rpcCodes.missingCapability || (isObject(data) && data.reason === 'agent-capability');
  return isAgents ? 'refused' : 'tool';
}

/** Trouble that was made into a result by a gateway behind us. */
function troubleIn({ structuredContent }: Result): ErrorCode | undefined {
  const said = isObject(structuredContent) ? structuredContent.errorType : undefined;
  return errorCodes.find((code) => code === said);
}

/** True if a tool's result says that the arguments were wrong. */
function isArgumentRefusal(result: Result): boolean {
  return textsOf(result).some((text) => argumentsRefused.test(text.slice(0, looked.characters)));
}

function textsOf({ content }: Result): string[] {
  const blocks: unknown[] = Array.isArray(content) ? content.slice(0, looked.blocks) : [];
  return blocks.flatMap((block) => (isObject(block) && typeof block.text === 'string' ? [block.text] : []));
}

/** The first line, short, without secrets and without what the agent sent. It is cut before anything is looked for in it. */
function keptOf(text: string, given: unknown): string {
  const hidden = hideArguments(beginningToMask(text, messageCharacters), given);
  return redactedBeginning(hidden, messageCharacters).split('\n', 1)[0] ?? '';
}

/** Sessions that are remembered, for how long, and how many suggestions of each. */
const trailLimits = { sessions: 2_000, ageMs: 30 * 60_000, suggestions: 50 };

interface Trace {
  readonly at: number;
  /** The tool that worked last. */
  readonly last: string | null;
  /** From a suggested tool to the one that failed. */
  readonly suggested: ReadonlyMap<string, string>;
}

export class Trail {
  readonly #clock: Clock;
  readonly #traces = new Map<string, Trace>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The tool that worked last in this session. */
  before(session: string): string | null {
    return this.#find(session)?.last ?? null;
  }

  worked(session: string, toolKey: string): void {
    this.#keep(session, { last: toolKey });
  }

  suggested(session: string, failed: string, toolKeys: readonly string[]): void {
    const all = new Map(this.#find(session)?.suggested);
    for (const key of toolKeys) {
      // Suggested again, it is the newest.
      all.delete(key);
      all.set(key, failed);
    }
    this.#keep(session, { suggested: new Map([...all].slice(-trailLimits.suggestions)) });
  }

  /** The failed tool as whose alternative this one was suggested; taken once. */
  takeSuggestion(session: string, toolKey: string): string | null {
    const trace = this.#find(session);
    const failed = trace?.suggested.get(toolKey);
    if (!trace || failed === undefined) return null;
    const suggested = new Map(trace.suggested);
    suggested.delete(toolKey);
    this.#keep(session, { suggested });
    return failed;
  }

  #find(session: string): Trace | undefined {
    const trace = this.#traces.get(session);
    return trace && trace.at >= this.#clock.elapsed() - trailLimits.ageMs ? trace : undefined;
  }

  #keep(session: string, news: Partial<Trace>): void {
    const trace: Trace = {
      last: null,
      suggested: new Map(),
      ...this.#find(session),
      ...news,
      at: this.#clock.elapsed(),
    };
    this.#traces.delete(session);
    this.#traces.set(session, trace);
    const [oldest] = this.#traces.keys();
    if (oldest !== undefined && this.#traces.size > trailLimits.sessions) this.#traces.delete(oldest);
  }
}

interface AuditLayers {
  readonly audit: Pick<AuditLog, 'record'>;
  readonly clock: Clock;
}

export interface Act extends Pick<AuditEvent, 'kind' | 'action' | 'arguments' | 'tool'> {
  /** It asks for a call, which is written down where it is executed: here only if it came to none. */
  readonly isCall?: boolean | undefined;
  /** An order of the owner, as it was given. */
  readonly order?: GivenOrder | undefined;
  readonly detail?: JsonObject | undefined;
}

/** Facts about the act that its answer holds. */
export interface ActFacts {
  /** Where the answer is a result, which may tell of a failure. */
  readonly result?: Result | undefined;
  readonly detail?: JsonObject | undefined;
}

/** Has one act of a principal written down in the audit before its answer leaves: exactly once, however it ends. */
export async function auditAct<T>(
  layers: AuditLayers,
  sender: RequestSender,
  act: Act,
  run: () => Promise<T>,
  factsOf: (answer: T) => ActFacts = () => ({}),
): Promise<T> {
  const since = layers.clock.elapsed();
  const ended = await run().then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  );
  const ms = layers.clock.elapsed() - since;
  if ('error' in ended) {
    await recordAct(layers, sender, act, ended, ms);
    throw ended.error;
  }
  const { result = {}, detail } = factsOf(ended.answer);
  await recordAct(layers, sender, act, { result, detail }, ms);
  return ended.answer;
}

type ActEnd = { readonly result: Result; readonly detail?: JsonObject | undefined } | { readonly error: unknown };

async function recordAct(
  { audit }: Pick<AuditLayers, 'audit'>,
  { principal, agent }: RequestSender,
  { isCall, order, detail, tool, ...act }: Act,
  ending: ActEnd,
  ms: number,
): Promise<void> {
  const { isRecorded, server } = agent.trace;
  if (isCall && isRecorded) return;
  const typed = typeof tool === 'string' ? typedTool(tool) : undefined;
  const outcome = outcomeOf(ending, typed === tool ? act.arguments : [act.arguments, tool]);
  // The agent has been asked something: it comes back, or the call is written down as given up.
  if (outcome === undefined) return;
  // A call that was not executed may have named a tool that does not exist.
  const isMistaken = isCall === true || isMistake(outcome);
  const shown = order && (isMistaken ? shownMistake(order) : shownOrder(order));
  const more = 'error' in ending ? undefined : ending.detail;
  // A call says why it came to nothing, wherever that was.
  const why = act.kind === 'execution' && outcome.message !== null ? { error: outcome.message } : undefined;
  await audit.record({
    ...act,
    tool: isMistaken ? typed : tool,
    server: shown?.server ?? server,
    principal,
    client: agent.client,
    rpcId: agent.requestId,
    project: principal.project?.name,
    session: agent.session,
    outcome: outcome.kind,
    errorType: outcome.errorType,
    ms,
    detail:
      shown || detail || more || why ? { ...(shown && { input: shown.input }), ...detail, ...more, ...why } : undefined,
  });
}

/** The sender named something that does not exist, or sent something unreadable: a secret may stand in place of a name. */
const mistakes: ReadonlySet<ErrorCode | null> = new Set<ErrorCode>([
  ...(['TOOLKEY_INVALID', 'TOOLKEY_EXPIRED', 'TOOL_NOT_FOUND', 'SERVER_NOT_FOUND'] as const),
  ...(['ARGUMENTS_INVALID', 'CONFIG_INVALID', 'USAGE'] as const),
]);

function isMistake({ kind, errorType }: CallOutcome): boolean {
  return kind === 'arguments' || mistakes.has(errorType);
}

/** A resource is named by its address, which is masked before it is kept. */
function typedTool(text: string): string {
  return text.includes('://') ? redactedBeginning(text, mostAddressChars) : typedName(text);
}
