/** Helps after a failed call: adds advice that the agent can follow, and other tools for the purpose. */

import { mistakeInOutput } from '../arguments/arguments.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import { type Result, RpcError } from '../protocol/messages.ts';
import { ownText } from '../results/results.ts';
import { type AlternativeTool, addressOf, type Call, type CallEnd, type CallWay } from './call.ts';
import { type CallOutcome, outcomeOf, type Trail } from './measure-call.ts';
import { takesNow } from './stages.ts';
import {
  type Advice,
  type Reader,
  type Recovery,
  recoveries,
  refusedByTool,
  sayTrouble,
  troubleFacts,
  troubleResult,
} from './trouble.ts';

/** Tools tried or worth trying instead, as data. */
const fallbackKey = 'toolcrib/fallback';

interface HelpOptions {
  readonly config: () => Config;
  readonly trail: Trail;
  readonly log: Log;
  /** Executes another call, without help of its own. */
  readonly execute: (call: Call) => Promise<Result>;
}

export class CallHelp {
  readonly #options: HelpOptions;

  constructor(options: HelpOptions) {
    this.#options = options;
  }

  async help(call: Call, ended: CallEnd, outcome: CallOutcome): Promise<CallEnd> {
    if (outcome.kind === 'cancelled' || call.way === 'plain') return ended;
    const named = 'error' in ended ? { error: nameError(call, ended.error, outcome) } : ended;
    const lack = 'result' in named && outcome.kind === 'ok' ? lackOf(call.definition, named.result) : null;
    if ('error' in named && !(named.error instanceof GatewayError)) return named;
    const isFailure = failures.has(outcome.kind) && !isRefusal(outcome);
    const found = isFailure || lack ? await this.#alternatives(call, outcome) : [];
    const tried = isFailure ? await this.#retry(call, found) : undefined;
    if (tried?.result) return { result: bothOutcomes(call, outcome, tried.alternative, tried.result) };
    const alternatives = found.filter((alternative) => alternative !== tried?.alternative);
    if (alternatives.length > 0) {
      const keys = alternatives.map(({ toolKey }) => toolKey);
      if (call.course) call.course.alternatives = keys;
      this.#options.trail.suggested(call.agent.session, addressOf(call), keys);
    }
    // Our own refusal says it already.
    const isOutdated = outcome.kind === 'arguments' && outcome.errorType !== 'ARGUMENTS_INVALID' && call.isRenewed;
    const furtherSteps = isOutdated ? [takesNow(call)] : [];
    const advice = {
      furtherSteps,
      reader: call.reader,
      alternatives,
      tried: tried?.sentence,
      isPromised: call.keepsStructured,
      nameOf: call.advisor?.nameOf,
    };
    if ('result' in named) {
      const isOwed =
        furtherSteps.length > 0 || (outcome.kind !== 'ok' && isPromisedSteps(call) && !hasSteps(named.result));
      if (alternatives.length === 0 && tried === undefined && !isOwed) return named;
      return { result: withAdvice(named.result, lack, lack === null ? recoveryOf(outcome) : incomplete, advice) };
    }
    return throwingWays.has(call.way)
      ? { error: withSuggestions(named.error, alternatives, tried?.sentence) }
      : { result: troubleResult(named.error, advice) };
  }

  /** Advice is worth having, not worth failing for. */
  async #alternatives(call: Call, { errorType }: CallOutcome): Promise<readonly AlternativeTool[]> {
    if (!call.advisor || this.#options.config().calls.maxFallbacks === 0) return [];
    try {
      return await call.advisor.alternatives(call, errorType);
    } catch (error) {
      this.#options.log.warn('Alternatives could not be looked for.', { tool: call.key, error: messageOf(error) });
      return [];
    }
  }

  /** Where the owner allows it, the first alternative that can do no harm is called at once. */
  async #retry(call: Call, alternatives: readonly AlternativeTool[]): Promise<Tried | undefined> {
    const { advisor } = call;
    if (!advisor || !this.#options.config().calls.autoRetryFallback || call.keepsStructured) return undefined;
    for (const alternative of alternatives) {
      const next = advisor.retry(call, alternative);
      if (!next) continue;
      this.#options.trail.suggested(call.agent.session, addressOf(call), [alternative.toolKey]);
      // It must not stop half-way with a question that nobody expects.
      const agent = { ...next.agent, capabilities: {}, ask: undefined };
      const ended = await endOf(() => this.#options.execute({ ...next, agent, advisor: null }));
      const outcome = outcomeOf(ended);
      if (outcome?.kind === 'ok' && 'result' in ended) return { alternative, result: ended.result };
      // One try is help; a walk through everything that is alike is not.
      const message = outcome?.message ?? 'It asks for more input.';
      return { alternative, sentence: `"${alternative.toolKey}" was tried instead and failed: ${message}` };
    }
    return undefined;
  }
}

/** The outcome of an alternative called without asking. */
interface Tried {
  readonly alternative: AlternativeTool;
  readonly result?: Result;
  readonly sentence?: string;
}

/** Ways whose callers are programs: they catch trouble as such. */
const throwingWays: ReadonlySet<CallWay> = new Set<CallWay>(['api', 'chain']);

const failures: ReadonlySet<string> = new Set(['tool', 'server', 'timeout']);

/** How tools say that something is not allowed. */
const refusal = /\b(denied|forbidden|unauthori[sz]ed|not (allowed|permitted|authori[sz]ed)|no permission)\b/i;

function isRefusal({ kind, message }: CallOutcome): boolean {
  return kind === 'tool' && message !== null && refusal.test(message);
}

/** How it ends, whether it throws at once or later. */
export async function endOf(run: () => Promise<Result>): Promise<CallEnd> {
  try {
    return { result: await run() };
  } catch (error) {
    return { error };
  }
}

/** Surfaces whose instructions promise steps for every failed call. On the others the server's own words stand alone. */
const promised: ReadonlySet<Reader> = new Set<Reader>(['search', 'code']);

function isPromisedSteps({ reader, way }: Call): boolean {
  return promised.has(reader) && !throwingWays.has(way);
}

/** A gateway behind this one has said already what to do. */
function hasSteps({ structuredContent }: Result): boolean {
  return isObject(structuredContent) && Array.isArray(structuredContent.recoverySteps);
}

/** Names the tool in a server's error for readers other than its own caller. */
function nameError(call: Call, error: unknown, { kind }: CallOutcome): unknown {
  const { key, way, isRenewed } = call;
  const isOwn = way === 'direct' || way === 'server';
  // An agent that has an old schema must hear of the new one.
  const isOutdated = kind === 'arguments' && isRenewed;
  if (!(error instanceof RpcError) || (isOwn && !isPromisedSteps(call) && !isOutdated)) return error;
  return new GatewayError('TOOL_FAILED', `Tool "${key}" failed: ${error.message}`, { cause: error });
}

/** Where it claims success and lacks something. */
const incomplete: Recovery = {
  action: 'Use another tool if this is not enough',
  steps: ['Check that this is enough for the task.'],
};

/** The advice for a result with which a tool says that it failed. */
function recoveryOf(outcome: CallOutcome): Recovery {
  if (isRefusal(outcome)) return refusedByTool;
  return outcome.kind === 'arguments' ? recoveries.ARGUMENTS_INVALID : recoveries.TOOL_FAILED;
}

/** The tool's own words stay first and as they are. */
function withAdvice(result: Result, lack: Lack | null, recovery: Recovery, advice: Advice): Result {
  const opening = lack === null ? 'The tool failed.' : lack.sentence;
  const text = sayTrouble(opening, troubleFacts(undefined, { ...advice, recovery }), advice);
  const content = Array.isArray(result.content) ? result.content : [];
  const { alternatives = [] } = advice;
  const advised = { ...result, content: [...content, ownText(text)] };
  if (alternatives.length === 0 && advice.tried === undefined) return advised;
  const fallback = { fallbackSuggestions: alternatives, ...(lack === null ? {} : { lack: lack.kind }) };
  return { ...advised, _meta: { ...metaOf(result), [fallbackKey]: fallback } };
}

function withSuggestions(error: unknown, alternatives: readonly AlternativeTool[], tried: string | undefined): unknown {
  if (!(error instanceof GatewayError) || (alternatives.length === 0 && tried === undefined)) return error;
  const { code, hint, data, cause } = error;
  const message = [error.message, tried].filter(Boolean).join(' ');
  return new GatewayError(code, message, { hint, cause, data: { ...data, fallbackSuggestions: alternatives } });
}

function bothOutcomes(call: Call, failed: CallOutcome, { toolKey, reason }: AlternativeTool, result: Result): Result {
  const text = `"${call.key}" failed: ${failed.message} "${toolKey}" was called instead, with the same arguments. ${reason}`;
  const fallback = {
    failed: { toolKey: call.key, errorType: failed.errorType, message: failed.message },
    tried: { toolKey, isOk: true },
  };
  const content = Array.isArray(result.content) ? result.content : [];
  return { ...result, content: [ownText(text), ...content], _meta: { ...metaOf(result), [fallbackKey]: fallback } };
}

function metaOf(result: Result): Record<string, unknown> {
  return isObject(result._meta) ? result._meta : {};
}

interface Lack {
  readonly kind: 'empty' | 'invalid';
  readonly sentence: string;
}

/** null: nothing is wrong. A tool that changes something has done so whatever it says, and must not be called again for that. */
function lackOf(definition: Readonly<Record<string, unknown>>, result: Result): Lack | null {
  // Of a large result the agent has only the beginning.
  if (isObject(result._meta) && result._meta['toolcrib/result'] !== undefined) return null;
  const { annotations } = definition;
  if (!isObject(annotations) || annotations.readOnlyHint !== true) return null;
  const { structuredContent } = result;
  const broken = brokenPromise(definition, structuredContent);
  if (broken !== null) return { kind: 'invalid', sentence: broken };
  if (structuredContent !== undefined || !isBlank(result.content)) return null;
  return { kind: 'empty', sentence: 'The answer is empty.' };
}

function brokenPromise(definition: Readonly<Record<string, unknown>>, structuredContent: unknown): string | null {
  if (!isObject(definition.outputSchema)) return null;
  if (structuredContent === undefined) return 'The answer lacks the structured content that the tool promises.';
  const mistake = mistakeInOutput(definition, structuredContent);
  return mistake === undefined ? null : `The answer is not what the tool promises: ${mistake}.`;
}

function isBlank(content: unknown): boolean {
  if (!Array.isArray(content)) return true;
  return content.every((block) => isObject(block) && typeof block.text === 'string' && block.text.trim() === '');
}
