/** One execution of a tool: everything the pipeline needs, so that no stage has to look anything up. */

import type { Principal } from '../access/access.ts';
import type { Clock } from '../base/clock.ts';
import type { ErrorCode } from '../base/errors.ts';
import type { Permission } from '../config/config.ts';
import type { Era } from '../protocol/eras.ts';
import type { Params, RequestId, Result, RpcNotification } from '../protocol/messages.ts';
import type { Span } from '../telemetry/telemetry.ts';
import type { Hold } from '../trust/trust.ts';
import type { Reader } from './trouble.ts';

/** How a call came in. `plain` shows a server exactly as it is; `api` is a person or program that wants all of a result. */
export type CallWay = 'execute' | 'direct' | 'server' | 'plain' | 'api' | 'chain';

export interface Call {
  readonly principal: Principal;
  readonly server: string;
  /** The name by which the server knows the tool. */
  readonly tool: string;
  /** `server:tool`, for messages. */
  readonly key: string;
  readonly definition: Readonly<Record<string, unknown>>;
  readonly fingerprint: string;
  readonly permission: Permission;
  /** Its definition changed lately: the agent may still have the old one. */
  readonly isRenewed: boolean;
  /** Set while the tool is another one than what was approved. */
  readonly hold?: Hold | undefined;
  /** The same as it is by now, for a call that waited: by then its token may be revoked, its server gone, its tool another. */
  readonly standing: () => Standing;
  /** Set where whoever calls may approve the call as well, and does. */
  readonly isApproved?: boolean | undefined;
  /** The parameters of `tools/call` with the server's own tool name. */
  readonly params: Params;
  readonly timeoutMs: number;
  readonly agent: AgentSide;
  readonly way: CallWay;
  /** The meta-tools that the agent has, for advice that it can follow. */
  readonly reader: Reader;
  /** How long a result may be used again; 0: never. */
  readonly cacheTtlMs: number;
  /** Identifies the server beyond its name: results of another server under the same name are not reused. */
  readonly serverIdentity: string;
  /** Set where each agent session has a server of its own: results are then the session's, too. */
  readonly isPerSession: boolean;
  /** A result over this becomes a preview and a link; null: it stays whole. */
  readonly maxResultBytes: number | null;
  /** The agent validates structured content against the output schema, so it must stay whole. */
  readonly keepsStructured: boolean;
  /** The search whose answer offered the tool. */
  readonly query: string | null;
  /** Suggests other tools when this one fails; null: no suggestions. */
  readonly advisor: Advisor | null;
  /** Arguments that were read as another type, as short notes. */
  readonly coerced?: readonly string[] | undefined;
  /** Set while the call is executed. */
  readonly course?: CallCourse | undefined;
}

/** The facts that decide if a call may be made. */
export interface Standing extends Pick<Call, 'permission' | 'hold' | 'definition' | 'fingerprint'> {
  /** Changes with the server and with the tool's definition. */
  readonly identity: string;
}

/** The tool itself: an alias counts as the tool that it stands for. */
export function addressOf({ server, tool }: Pick<Call, 'server' | 'tool'>): string {
  return `${server}:${tool}`;
}

/** A stage acts on a call and hands it to the next; what it throws is trouble, what it returns is the result. */
export type Stage = (call: Call, next: (call: Call) => Promise<Result>) => Promise<Result>;

/** How a call ended. */
export type CallEnd = { readonly result: Result } | { readonly error: unknown };

/** Another tool for the purpose of one that failed. */
export interface AlternativeTool {
  readonly server: string;
  readonly tool: string;
  readonly toolKey: string;
  /** 0 to 1. */
  readonly similarity: number;
  /** null: never called yet. */
  readonly successRate: number | null;
  /** One sentence. */
  readonly reason: string;
  /** True: it is the same tool for another account or folder. */
  readonly otherAccount?: boolean | undefined;
  /** The failed call's arguments that it accepts. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  /** Required parameters that these leave open. */
  readonly missing?: readonly string[] | undefined;
}

/** Knows the other tools; the caller itself looks nothing up. */
export interface Advisor {
  /** Best first; only tools that the same principal may call, and none with a stronger effect. */
  alternatives(call: Call, errorType: ErrorCode | null): Promise<readonly AlternativeTool[]>;
  /** The name by which this agent calls a tool. */
  nameOf(toolKey: string): string;
  /** A call of an alternative that may be made without asking, or undefined. */
  retry(call: Call, alternative: AlternativeTool): Call | undefined;
}

/** The agent at the other end of one request, as far as a call has to know it. The doors make these. */
export interface AgentSide {
  readonly era: Era;
  readonly capabilities: Record<string, unknown>;
  readonly logLevel?: string | undefined;
  /** It knows resource links, which the first versions of the protocol had not. */
  readonly knowsLinks?: boolean | undefined;
  /** Separates the users of a server that must not be shared: a session, or the principal where there is none. */
  readonly session: string;
  /** Aborts when the agent cancels, or is gone where its era takes that as cancelling. */
  readonly signal: AbortSignal;
  readonly progressToken?: RequestId | undefined;
  /** The program at the other end as it names itself, and the id of its request: for the audit, and believed for nothing else. */
  readonly client?: string | undefined;
  readonly requestId?: string | undefined;
  /** Sends a notification on the stream of this request. */
  notify(message: RpcNotification): void;
  /** Asks the agent something: on that stream in the legacy era, and only within a conversation in the modern one. */
  readonly ask?: ((method: string, params: Params | undefined, signal: AbortSignal) => Promise<Result>) | undefined;
  /** Questions of servers that it could not be asked, if somebody wants to know. */
  readonly unasked?: string[] | undefined;
  readonly trace: RequestTrace;
}

/** The sender of a request: a principal and its agent. */
export interface RequestSender {
  readonly principal: Principal;
  readonly agent: AgentSide;
}

/** The course of one request so far: its calls write it, and the audit of the request reads it. */
export class RequestTrace {
  /** A call of this request has ended, and its audit event is written. */
  isRecorded = false;
  /** The server that the request was passed on to. */
  server: string | null = null;
  /** Time spent waiting for a person. */
  waitedMs = 0;
  /** The span of the request; undefined where nobody traces it. */
  readonly span: Span | undefined;

  constructor(span?: Span) {
    this.span = span;
  }
}

/** Shorter stages are neither recorded nor added up: most calls have no others. */
const leastStageMs = 1;
const leastVisitMs = 0.05;

/** The outcome of a stage that handed the call to the next. */
const passedOn: CallEnd = { result: {} };

/** The course of one call so far: its stages write it, and its record in the audit shows it. */
export class CallCourse {
  /** Short notes on the arguments that were corrected. */
  corrections: readonly string[] = [];
  /** Other tools that were offered when it failed, by their keys. */
  alternatives: readonly string[] = [];
  /** The span of the call; undefined where nobody traces it. */
  readonly span: Span | undefined;
  readonly #clock: Clock;
  readonly #stages = new Map<string, number>();
  #stage: string | undefined;
  #since = 0;

  constructor(clock: Clock, span?: Span) {
    this.#clock = clock;
    this.span = span;
  }

  /** The time from now on is spent in this stage; undefined: in none. `ended`: the call ended in the stage before. */
  enter(stage: string | undefined, ended: CallEnd = passedOn): void {
    const now = this.#clock.elapsed();
    const before = this.#stage;
    const isVisit = before !== undefined && now - this.#since >= leastVisitMs;
    if (isVisit) this.add(before, now - this.#since);
    // The way to the server has spans of its own.
    if (this.span && before !== undefined && before !== 'link' && (isVisit || 'error' in ended))
      this.span.record(before, this.#since, ended);
    this.#stage = stage;
    this.#since = now;
  }

  add(stage: string, ms: number): void {
    this.#stages.set(stage, (this.#stages.get(stage) ?? 0) + ms);
  }

  /** Whole milliseconds of each stage that took a while; undefined where none did. */
  stageTimes(): Record<string, number> | undefined {
    let times: Record<string, number> | undefined;
    for (const [stage, ms] of this.#stages) if (ms >= leastStageMs) times = { ...times, [stage]: Math.round(ms) };
    return times;
  }
}
