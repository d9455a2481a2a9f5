/** Executes calls: the order of the stages, in one place. */

import { type Approvals, RateLimit } from '../access/access.ts';
import type { AuditLog } from '../audit/audit.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import type { Downstream } from '../downstream/downstream.ts';
import type { CallMetrics } from '../metrics/metrics.ts';
import type { Result } from '../protocol/messages.ts';
import type { StoredResults } from '../results/results.ts';
import type { Span } from '../telemetry/telemetry.ts';
import { OwnerAsker } from './ask-owner.ts';
import { type AgentSide, type Call, CallCourse, type CallEnd, type Stage } from './call.ts';
import { Conversations, StateSeal } from './conversations.ts';
import { type Forwarded, Forwarder, sendCall } from './forward.ts';
import { CallHelp, endOf } from './help-call.ts';
import { CallMeter, outcomeOf, type ToolVerdict, Trail } from './measure-call.ts';
import type { CallRecorder } from './record-calls.ts';
import { ResultCache } from './reuse-result.ts';
import { authorizeCall, limitCalls, noteCoercions, shapeResults, validateArguments } from './stages.ts';

export {
  type Advisor,
  type AgentSide,
  type AlternativeTool,
  type Call,
  type CallWay,
  type RequestSender,
  RequestTrace,
  type Standing,
} from './call.ts';
export { timeoutFor } from './forward.ts';
export { type Act, type ActFacts, auditAct, outcomeOf, type ToolVerdict } from './measure-call.ts';
export {
  CallRecorder,
  type RecordingPage,
  type RecordingStatus,
  recordingLimits,
} from './record-calls.ts';
export { cachedKey } from './reuse-result.ts';
export { sampledModel } from './sampled-model.ts';
export { checkedCall, fitResult } from './stages.ts';
export { type Reader, type Recovery, troubleResult } from './trouble.ts';

export interface CallerOptions {
  readonly downstream: Downstream;
  readonly results: StoredResults;
  readonly metrics: CallMetrics;
  readonly audit: AuditLog;
  readonly approvals: Approvals;
  readonly recorder: CallRecorder;
  readonly config: () => Config;
  readonly clock: Clock;
  readonly log: Log;
  /** For the commands in advice; see there. */
  readonly dataOption: string;
  /** Told how a call of a session ended, where that says anything about the tool. */
  readonly onVerdict: (session: string, toolKey: string, verdict: ToolVerdict) => void;
  /** Set where others share the database: the id of this replica, and the key that seals states for all of them. */
  readonly shared?: { readonly replica: string; readonly stateKey: Buffer } | undefined;
}

type Run = (call: Call) => Promise<Result>;

export class Caller {
  readonly #clock: Clock;
  readonly #onVerdict: CallerOptions['onVerdict'];
  readonly #forwarder: Forwarder;
  readonly #conversations: Conversations;
  readonly #run: Run;
  readonly #runPlain: Run;
  readonly #help: CallHelp;
  readonly #meter: CallMeter;

  constructor(options: CallerOptions) {
    const { clock, log, config, downstream, results, metrics, audit, recorder, shared } = options;
    this.#clock = clock;
    this.#onVerdict = options.onVerdict;
    this.#conversations = new Conversations(clock, shared?.replica);
    this.#forwarder = new Forwarder(downstream, this.#conversations, new StateSeal(clock, shared?.stateKey));
    const rate = limitCalls(new RateLimit(clock, () => config().limits.callsPerMinute));
    const { stage: reuse } = new ResultCache(clock);
    const shape = shapeResults(results, log);
    const link = sendCall(this.#forwarder, (call, error, ms) => void this.#end(call, { error }, ms));
    const { stage: ask } = new OwnerAsker({
      approvals: options.approvals,
      settings: () => config().access,
      clock,
      dataOption: options.dataOption,
      onAbandoned: (call, error) => void this.#end(call, { error }, 0),
    });
    // The outermost first: `shape` acts on what `link` brings back, and what is used again has its shape already.
    this.#run = compose({
      rate,
      authorize: authorizeCall,
      validate: validateArguments,
      ask,
      note: noteCoercions,
      reuse,
      shape,
      link,
    });
    // The server is to be seen exactly as it is, without our own opinion of arguments or results.
    this.#runPlain = compose({ rate, authorize: authorizeCall, ask, reuse, link });
    const trail = new Trail(clock);
    this.#help = new CallHelp({ config, trail, log, execute: (call) => this.execute(call) });
    this.#meter = new CallMeter({ metrics, audit, recorder, trail, clock });
  }

  /** Executes a call, helps where it failed, and has it counted before anybody hears of its end. */
  async execute(given: Call): Promise<Result> {
    const before = this.#conversations.workedMs(given.params.requestState);
    const course = new CallCourse(this.#clock, given.agent.trace.span && callSpan(given, given.agent.trace.span));
    if (before > 0) course.add('link', before);
    const call = { ...given, course };
    const since = this.#clock.elapsed();
    const { trace } = call.agent;
    const waitedMs = trace.waitedMs;
    const run = call.way === 'plain' ? this.#runPlain : this.#run;
    const ended = await endOf(() => run(call));
    course.enter(undefined, ended);
    const workedMs = this.#clock.elapsed() - since - (trace.waitedMs - waitedMs);
    const reply = await this.#end(call, ended, before + workedMs);
    if ('error' in reply) throw reply.error;
    return reply.result;
  }

  /** Help, then measure; a call whose agent has been asked something has not ended yet. */
  async #end(call: Call, ended: CallEnd, ms: number): Promise<CallEnd> {
    const outcome = outcomeOf(ended, call.params.arguments);
    if (outcome === undefined) {
      call.course?.span?.finish(ended);
      return ended;
    }
    call.course?.enter('help');
    const reply = await this.#help.help(call, ended, outcome);
    call.course?.enter(undefined);
    call.course?.span?.finish(ended);
    Object.assign(call.agent.trace, { isRecorded: true, server: call.server });
    await this.#meter.measure(call, ended, outcome, ms);
    if (outcome.verdict !== null) this.#onVerdict(call.agent.session, call.key, outcome.verdict);
    return reply;
  }

  /** Passes another request (resource, prompt, completion) on to its server. */
  forward(request: Forwarded, agent: AgentSide): Promise<Result> {
    agent.trace.server = request.server;
    return this.#forwarder.forward(request, agent);
  }

  /** Runs work of our own that may ask its agent something meanwhile (`agent.ask`), in the way of its era. */
  converse(...request: Parameters<Forwarder['converse']>): Promise<Result> {
    return this.#forwarder.converse(...request);
  }

  close(): void {
    this.#conversations.close();
  }
}

function callSpan({ server, tool, way }: Call, request: Span): Span {
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'toolcrib.server': server,
    'toolcrib.way': way,
  };
  return request.child(`execute_tool ${tool}`, { attributes });
}

/** Stages by their names, the outermost first. Each has the time from its beginning to that of the next. */
function compose(stages: Readonly<Record<string, Stage>>): Run {
  return Object.entries(stages).reduceRight<Run>(
    (next, [name, stage]) =>
      (call) => {
        call.course?.enter(name);
        return stage(call, next);
      },
    () => Promise.reject(new Error('The last stage must not call the next.')),
  );
}
