/** The judge that runs a real agent program, once for each prompt, at a door that offers the tools found for the prompt. */

import type { AgentProgram } from '../agent-program/agent-program.ts';
import { type Clock, inTime } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { estimateTokens } from '../base/estimate-tokens.ts';
import { fingerprintOf } from '../base/ids.ts';
import { jsonSize } from '../base/json.ts';
import { redactedBeginning } from '../base/redact.ts';
import type { Snapshot } from '../catalog/catalog.ts';
import { type Config, parseServer } from '../config/config.ts';
import type { ToolSearch } from '../search/search.ts';
import type { EvaluationDoor, OpenEvaluationDoor } from './evaluation-door.ts';
import type { Choice, DescriptionJudge, PricedQuestion, Wording } from './judge.ts';
import { BudgetError, type ModelBudget } from './model-budget.ts';
import { OfferedTools } from './offered-tools.ts';

/** Limit on the agent's words that are kept. */
const mostReasoningChars = 1_000;
const mostArgumentBytes = 20_000;
/** An agent asks its model before and after a call, each time with instructions of its own. */
const usual = { calls: 2, ownTokens: 12_000 };

export interface AgentJudgeOptions {
  readonly search: Pick<ToolSearch, 'trial'>;
  readonly program: Pick<AgentProgram, 'run' | 'mark'>;
  readonly openDoor: OpenEvaluationDoor;
  readonly settings: () => Pick<Config['optimize'], 'surface' | 'timeoutMs'>;
  readonly budget: ModelBudget;
  readonly clock: Clock;
}

export class AgentJudge implements DescriptionJudge {
  readonly name = 'agent';
  readonly #options: AgentJudgeOptions;
  readonly #offered: OfferedTools;
  /** The agent at work; one that ran out of time is still being ended. */
  #working: Promise<unknown> = Promise.resolve();

  constructor(options: AgentJudgeOptions) {
    this.#options = options;
    this.#offered = new OfferedTools(options.search);
  }

  begin(): Promise<void> {
    return this.#offered.begin();
  }

  async checkSanity(wording: Wording, signal: AbortSignal): Promise<string | null> {
    const { clock, settings } = this.#options;
    try {
      const tools = withReady(await this.#offered.catalogFor(wording, ready.prompt, signal));
      const limits = { clock, timeoutMs: settings().timeoutMs, signal };
      const { calls, reasoning = '' } = await inTime((within) => this.#ask(tools, ready.prompt, within), limits);
      const isCalled = calls?.some(({ tool }) => tool === ready.address);
      return isCalled ? null : `The agent did not call the tool that it was told to call. ${reasoning}`;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof BudgetError) throw error;
      return messageOf(error);
    }
  }

  async price(wording: Wording, prompt: string, signal: AbortSignal): Promise<PricedQuestion> {
    const tools = await this.#offered.catalogFor(wording, prompt, signal);
    const { program, settings } = this.#options;
    const definitions = [...tools.tools.values()].map(({ key, definition }) => [key, definition]);
    return {
      key: fingerprintOf([program.mark, settings().surface, prompt, definitions]),
      ...costOf(tools, prompt),
    };
  }

  async choose(wording: Wording, prompt: string, signal: AbortSignal): Promise<Choice> {
    const tools = await this.#offered.catalogFor(wording, prompt, signal);
    if (tools.tools.size === 0) throw new Error(`The tool "${wording.server}:${wording.toolName}" is missing.`);
    return this.#ask(tools, prompt, signal);
  }

  async close(): Promise<void> {
    await this.#working;
    await this.#offered.close();
  }

  /** One after the other: agents are large programs. */
  #ask(tools: Snapshot, prompt: string, signal: AbortSignal): Promise<Choice> {
    const asked = this.#working.then(() => this.#run(tools, prompt, signal));
    this.#working = asked.catch(() => {}); // told to the one that asked
    return asked;
  }

  async #run(tools: Snapshot, prompt: string, signal: AbortSignal): Promise<Choice> {
    const { program, openDoor, settings, budget } = this.#options;
    const settle = await budget.begin(costOf(tools, prompt));
    const door = await openDoor(tools, settings().surface);
    try {
      const { words, tokens } = await program.run(prompt, door, signal);
      await settle({ calls: door.calls.length + door.lookups + 1, tokens: tokens || costOf(tools, prompt).tokens });
      if (!door.isListed) throw new Error('The agent never listed its tools.');
      return choiceAt(door, tools, words);
    } finally {
      await door.close();
    }
  }
}

function choiceAt({ calls, mistakes }: EvaluationDoor, { tools }: Snapshot, words: string): Choice {
  const kept = calls.map(({ tool, arguments: given }) => ({
    tool,
    arguments: jsonSize(given, mostArgumentBytes) > mostArgumentBytes ? null : given,
  }));
  const called = calls.length === 0 ? 'nothing' : calls.map(({ tool }) => tool ?? 'an unknown tool').join(', ');
  // Some agents repeat the errors of their tools.
  const untold = mistakes.filter((mistake) => !words.includes(mistake));
  const said = [`Called ${called}.`, ...untold, words].join(' ');
  return {
    tool: calls[0]?.tool ?? null,
    calls: kept,
    isDoubted: false,
    offered: [...tools.values()].map(({ server, serverName }) => `${server}:${serverName}`),
    reasoning: redactedBeginning(said.trim(), mostReasoningChars),
  };
}

function costOf({ tools }: Snapshot, prompt: string): { readonly calls: number; readonly tokens: number } {
  const texts = [...tools.values()].map(({ definition: { name, description, inputSchema } }) =>
    JSON.stringify({ name, description, inputSchema }),
  );
  const each = usual.ownTokens + estimateTokens(prompt) + estimateTokens(texts.join('\n'));
  return { calls: usual.calls, tokens: usual.calls * each };
}

/** Every agent that can reach the door gets it right. */
const ready = {
  server: 'readiness',
  tool: 'say_ready',
  address: 'readiness:say_ready',
  prompt: 'Call the tool say_ready, please.',
};

/** Adds the tool that the agent is told to call. */
function withReady(set: Snapshot): Snapshot {
  const [some] = set.servers.values();
  if (!some) return set;
  const { server, tool: name, address: key } = ready;
  const definition = { name, description: 'Says that you are ready.', inputSchema: { type: 'object', properties: {} } };
  const entry = { key, server, name, serverName: name, definition, fingerprint: '' };
  const spec = parseServer(server, { command: 'none' }, {}, 'file');
  return {
    servers: new Map(set.servers).set(server, { ...some, spec, title: 'Readiness', description: '', tools: [entry] }),
    tools: new Map(set.tools).set(key, entry),
  };
}
