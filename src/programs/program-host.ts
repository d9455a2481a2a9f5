/** Answers what a program asks for: calls through the ordinary pipeline, searches, schemas, and values kept for later. */

import type { Principal } from '../access/access.ts';
import type { Clock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { currentRequest, inRequest } from '../base/ids.ts';
import { isObject, jsonSize } from '../base/json.ts';
import {
  type Act,
  type AgentSide,
  auditAct,
  type Call,
  cachedKey,
  type RequestSender,
  RequestTrace,
} from '../caller/caller.ts';
import { limits } from '../config/config.ts';
import { notification, type Result } from '../protocol/messages.ts';
import { parseResultUri, uriOf } from '../results/results.ts';
import { type ChainHost, declareTypes, type GuestRequest } from '../sandbox/sandbox.ts';
import { discover, makeCall, parseDiscovery, toolInfo, type Uses, visibleServers } from '../tools/tools.ts';
import { CallLedger, chainKey, type KeptValue, keepValue } from './call-ledger.ts';
import { findWrittenTool, findWrittenTools, writtenForm } from './find-written-tool.ts';
import type { ProgramLayer } from './run-chain.ts';
import { exactJson, valueOfResult } from './value-of-result.ts';

/** Servers that are named to a program that asks for the types of none. */
const serversNamed = 10;
/** Results of which it is noted that numbers came as texts. */
const notedPaths = 5;

type Input = Readonly<Record<string, unknown>>;

export class ProgramHost implements ChainHost {
  readonly ledger: CallLedger;
  readonly kept: KeptValue[] = [];
  /** Notes for the agent on the values that its program got. */
  readonly notes = new Set<string>();
  /** The last call of each tool that failed, for advice where the program could not go on without it. */
  readonly failedCalls = new Map<string, Call>();
  /** Tools that asked something, which nobody can be inside a program. */
  readonly askingTools = new Set<string>();
  readonly #layers: Uses<Exclude<ProgramLayer, 'sandbox'>>;
  readonly #sender: RequestSender;
  readonly #progress: CallProgress;
  readonly #underWay = new Set<Promise<unknown>>();
  #keeps = 0;
  #keptBytes = 0;
  readonly #request = currentRequest();

  constructor(layers: Uses<Exclude<ProgramLayer, 'sandbox'>>, sender: RequestSender) {
    this.#layers = layers;
    this.#sender = sender;
    this.ledger = new CallLedger(layers.clock);
    this.#progress = new CallProgress(sender.agent, layers.clock);
  }

  /** A program asks from its own thread, which knows of no request. */
  answer(asked: GuestRequest, signal: AbortSignal): Promise<string> {
    return inRequest(this.#request, () => this.#answer(asked, signal));
  }

  #answer({ kind, input }: GuestRequest, signal: AbortSignal): Promise<string> {
    const given = isObject(input) ? input : {};
    switch (kind) {
      case 'call':
        return this.#tracked(this.#auditedCall(given, signal));
      case 'search':
        return this.#discovery('chain.search', given, () => this.#search(given, signal));
      case 'info':
        return this.#discovery('chain.info', given, () => this.#info(given));
      case 'types':
        return this.#discovery('chain.types', given, () => this.#types(given));
      case 'keep':
        return this.#tracked(this.#keep(given));
      case 'load':
        return this.#load(given, signal);
    }
  }

  returned(calls: number): void {
    this.ledger.returned(calls);
  }

  get isBusy(): boolean {
    return this.#underWay.size > 0;
  }

  /** Resolves when nothing that the program began is under way any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay);
  }

  #tracked<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    const end = () => this.#underWay.delete(work);
    work.then(end, end);
    return work;
  }

  #discovery(action: string, input: Input, run: () => Promise<string>): Promise<string> {
    return auditAct(this.#layers, this.#sender, { kind: 'discovery', action, arguments: input }, run);
  }

  /** A call of a tool that is not there for this principal is written down too. */
  #auditedCall(input: Input, signal: AbortSignal): Promise<string> {
    const { principal } = this.#sender;
    const agent = agentOfCall(this.#sender.agent, signal);
    const tool = writtenAddress(input);
    const act: Act = {
      kind: 'execution',
      action: 'tools.call',
      tool,
      arguments: input.arguments ?? {},
      isCall: true,
      detail: { way: 'chain' },
    };
    return auditAct(this.#layers, { principal, agent }, act, () => this.#call(input, agent));
  }

  /** As it is now: what a program may do ends with what its agent may, also in the middle of it. */
  get #principal(): Principal {
    const now = this.#layers.access.renew(this.#sender.principal);
    if (now) return now;
    throw new GatewayError('ACCESS_DENIED', 'The token of the program is revoked or expired.');
  }

  async #call(input: Input, agent: AgentSide): Promise<string> {
    const principal = this.#principal;
    const tool = await findWrittenTool(this.#layers, principal, input);
    const params = { arguments: argumentsOf(input.arguments, writtenForm(tool)) };
    // Advice is for whoever reads the end of the program, not for the program.
    const options = { way: 'chain', reader: 'code', advisor: null } as const;
    const call = makeCall(this.#layers, tool, params, { principal, agent }, options);
    const end = this.ledger.begin(tool.key);
    try {
      const result = await this.#layers.caller.execute(call);
      const value = this.#exact(valueOfResult(result, tool), `The result of ${tool.key}`);
      end({ isOk: true, isCached: isCached(result) });
      return value;
    } catch (error) {
      end({ isOk: false, error: error instanceof GatewayError ? error.code : 'TOOL_FAILED' });
      this.failedCalls.set(tool.key, call);
      if (error instanceof GatewayError && error.data?.reason === 'agent-capability') this.askingTools.add(tool.key);
      throw withTool(error, tool.key);
    } finally {
      this.#progress.note(this.ledger.done);
    }
  }

  async #search(input: Input, signal: AbortSignal): Promise<string> {
    const { agent } = this.#sender;
    const principal = this.#principal;
    const wanted = parseDiscovery(input, this.#layers.config().search.maxResults);
    return JSON.stringify(
      await discover(
        this.#layers,
        principal,
        { session: agent.session, trace: agent.trace, signal },
        wanted,
        'program',
      ),
    );
  }

  /** A program reads schemas rather than sentences: they come unless only the sentence is wanted. */
  async #info(input: Input): Promise<string> {
    const principal = this.#principal;
    const tool = await findWrittenTool(this.#layers, principal, input);
    const info = await toolInfo(this.#layers, principal, { toolKey: tool.key }, input.detail === 'full');
    if (input.detail === 'full' || input.detail === 'brief') return JSON.stringify(info);
    const { inputSchema, outputSchema } = tool.definition;
    return JSON.stringify({ ...info, inputSchema, outputSchema });
  }

  async #types({ names }: Input): Promise<string> {
    const principal = this.#principal;
    const given = (Array.isArray(names) ? names : []).filter((name) => typeof name === 'string');
    const wanted = new Set(given);
    if (wanted.size > limits.chainTypeNames) {
      const message = `types() was given ${wanted.size} names; at most ${limits.chainTypeNames} can be asked for at once.`;
      throw new GatewayError('ARGUMENTS_INVALID', message, { hint: 'Ask for the servers and tools that you need.' });
    }
    if (wanted.size === 0) {
      const servers = visibleServers(this.#layers.catalog.snapshot, principal).map(({ spec }) => spec.name);
      const hint = `Servers: ${servers.slice(0, serversNamed).join(', ')}${servers.length > serversNamed ? ', …' : ''}`;
      throw new GatewayError('ARGUMENTS_INVALID', 'Say of what: types("server") or types("server:tool").', { hint });
    }
    const tools = new Map<string, Awaited<ReturnType<typeof findWrittenTools>>[number]>();
    for (const name of wanted)
      for (const tool of await findWrittenTools(this.#layers, principal, name)) tools.set(tool.key, tool);
    return JSON.stringify(declareTypes([...tools.values()]));
  }

  async #keep({ value, name }: Input): Promise<string> {
    if (value === undefined)
      throw new GatewayError('ARGUMENTS_INVALID', 'There is nothing to keep: keep(value, name?).');
    this.#keeps += 1;
    if (this.#keeps > limits.chainKeptValues) {
      const message = `A program may keep at most ${limits.chainKeptValues} values.`;
      throw new GatewayError('RATE_LIMITED', message, { hint: 'Keep one list or object that holds them.' });
    }
    this.#keptBytes += jsonSize(value);
    if (this.#keptBytes > limits.chainKeptBytes) {
      const message = `A program may keep at most ${limits.chainKeptBytes} bytes of values.`;
      throw new GatewayError('TOO_LARGE', message, { hint: 'Keep only the members that are needed later.' });
    }
    const { uri, bytes } = await keepValue(this.#layers.results, this.#sender.principal, value);
    this.kept.push({ ...(typeof name === 'string' && name !== '' ? { name: name.slice(0, 100) } : {}), uri, bytes });
    return JSON.stringify(uri);
  }

  async #load({ uri }: Input, signal: AbortSignal): Promise<string> {
    const wanted = typeof uri === 'string' ? parseResultUri(uri) : undefined;
    if (!wanted) {
      throw new GatewayError('ARGUMENTS_INVALID', 'load() takes the address of a stored result.', {
        hint: `Such an address is ${uriOf('ID')}; keep(value) gives one.`,
      });
    }
    const options = { maxBytes: limits.chainValueBytes, verbatimOf: chainKey };
    const text = await this.#layers.results.load(wanted.id, this.#sender.principal.id, wanted.view, options, signal);
    return this.#exact(text, 'What was loaded');
  }

  /** JSON in which every number is what was sent; `what` it is begins the note where that takes texts. */
  #exact(json: string, what: string): string {
    const exact = exactJson(json);
    if (exact.paths.length > 0 && this.notes.size < notedPaths) {
      const where = exact.paths.join(', ');
      this.notes.add(
        `${what} has numbers with more digits than JavaScript keeps, given as texts: ${where}. Tools take these texts for the numbers.`,
      );
    }
    return exact.json;
  }
}

function argumentsOf(given: unknown, form: string): Record<string, unknown> {
  if (given === undefined || given === null) return {};
  if (isObject(given)) return given;
  throw new GatewayError('ARGUMENTS_INVALID', `Arguments are one object: ${form}({ name: value }).`);
}

/** The tool as the program wrote it. */
function writtenAddress({ toolKey, server, tool }: Input): string {
  return typeof toolKey === 'string' ? toolKey : [server, tool].filter((part) => typeof part === 'string').join(':');
}

function isCached({ _meta: meta }: Result): boolean {
  return isObject(meta) && meta[cachedKey] !== undefined;
}

/** Names the tool in trouble for the program, also where the sentence does not. */
function withTool(error: unknown, tool: string): unknown {
  if (!(error instanceof GatewayError) || error.data?.tool !== undefined) return error;
  const { code, message, hint, data, cause } = error;
  return new GatewayError(code, message, { hint, cause, data: { ...data, tool } });
}

/**
 * One call's agent. Progress of single calls is not passed on, because the program has its own; and a question reaches only agents that
 * answer while the call goes on: there is nobody to begin it again with the answer.
 */
export function agentOfCall(agent: AgentSide, signal: AbortSignal): AgentSide {
  const { era, session, client, requestId, logLevel, knowsLinks, ask } = agent;
  return {
    era,
    session,
    client,
    requestId,
    logLevel,
    knowsLinks,
    signal,
    capabilities: ask ? agent.capabilities : {},
    ask,
    unasked: [],
    notify: (message) => agent.notify(message),
    trace: new RequestTrace(agent.trace.span),
  };
}

/** Tells an agent that asked for it how many calls are done: not each of a thousand, but soon. */
export class CallProgress {
  readonly #agent: AgentSide;
  readonly #clock: Clock;
  #toldAt = Number.NEGATIVE_INFINITY;
  #told = 0;

  constructor(agent: AgentSide, clock: Clock) {
    this.#agent = agent;
    this.#clock = clock;
  }

  note(done: number): void {
    const { progressToken } = this.#agent;
    const now = this.#clock.elapsed();
    if (progressToken === undefined || done <= this.#told || now - this.#toldAt < limits.chainProgressMs) return;
    this.#toldAt = now;
    this.#told = done;
    const message = `${done} ${done === 1 ? 'call' : 'calls'} done`;
    this.#agent.notify(notification('notifications/progress', { progressToken, progress: done, message }));
  }
}
