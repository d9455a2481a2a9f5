/** An author is a model that writes texts as JSON. It is asked once more, with the reason, after an unusable text or a cut or malformed answer. */

import { type AgentProgram, agentModel } from '../agent-program/agent-program.ts';
import type { Clock } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { cutAtWord, printableJson } from '../base/text.ts';
import type { Config } from '../config/config.ts';
import { type AskModel, type ModelAnswer, modelOf, withRetries } from '../language-model/language-model.ts';
import type { ModelAuthor } from '../store/store.ts';

export interface Author {
  readonly name: ModelAuthor;
  readonly ask: AskModel;
}

type Meter = (ask: AskModel) => AskModel;

export interface AuthorSurroundings {
  readonly config: () => Pick<Config, 'llm' | 'access'>;
  readonly env: NodeJS.ProcessEnv;
  /** The program that the owner allows. */
  readonly agentProgram: () => AgentProgram | null;
  readonly clock: Clock;
}

/** The available authors, the best first. `sampled`: the model of the calling agent. `meter` counts the requests to all others. */
export function authorsFor(
  { config, env, agentProgram, clock }: AuthorSurroundings,
  { sampled, meter = (ask) => ask }: { readonly sampled?: AskModel | undefined; readonly meter?: Meter | undefined },
): Author[] {
  const { llm } = config();
  const program = agentProgram();
  const authors: Author[] = sampled ? [{ name: 'sampling', ask: sampled }] : [];
  if (llm.provider === 'openai-compatible' || llm.provider === 'anthropic') {
    const ask: AskModel = async (question, signal) =>
      modelOf(llm, { env, clock, privateHosts: () => config().access.privateHosts })(question, signal);
    // An answer that was cut off is asked for again with that reason.
    authors.push({ name: 'model', ask: withRetries(meter(ask), clock, () => true) });
  }
  if (program) authors.push({ name: 'agent', ask: meter(agentModel(program, { clock, timeoutMs: llm.timeoutMs })) });
  return authors;
}

/** A number of texts to write. */
export interface WritingOrder {
  readonly count: number;
  readonly system: string;
  /** The question that asks for `count` texts. */
  text(count: number): string;
  /** The member of the answer that lists them. */
  readonly member: string;
  /** Takes one item of the answer; returns the reason if it cannot be used. */
  take(item: Readonly<Record<string, unknown>>): Promise<string | undefined>;
}

interface Written {
  readonly taken: number;
  /** Reasons why texts were dropped, each with the beginning of its text. */
  readonly dropped: readonly string[];
  /** The last mistake in its answers. */
  readonly fault?: string | undefined;
  /** Why this author is not asked again. */
  readonly failure?: string | undefined;
}

/** Limit of one answer in tokens: twenty texts, and room for a model that thinks first. */
const longestAnswer = 4_096;
const mostAtOnce = 20;
/** An answer that lacks something is asked for again once. */
const mostFailures = 2;
const quotedChars = 120;

/** Limit on the reported reasons for dropped texts. */
const mostReasons = 10;

/** The authors for one request, the best first. One that fails is not asked again. */
export class Authors {
  #willing: readonly Author[];
  readonly #signal: AbortSignal;
  readonly #notes: string[] = [];
  readonly #dropped: string[] = [];

  constructor(authors: readonly Author[], signal: AbortSignal) {
    this.#willing = authors;
    this.#signal = signal;
  }

  get isEmpty(): boolean {
    return this.#willing.length === 0;
  }

  /** Lets the first author write that can; undefined if none did. */
  async write(orderFor: (author: Author['name']) => WritingOrder): Promise<Author['name'] | undefined> {
    for (const author of this.#willing) {
      const order = orderFor(author.name);
      const { taken, dropped, fault, failure } = await writeBy(author, order, this.#signal);
      this.#dropped.push(...dropped);
      if (failure !== undefined) {
        this.#willing = this.#willing.filter((one) => one !== author);
        this.#notes.push(failure);
      } else if (taken < order.count)
        this.#notes.push(`The author "${author.name}" wrote ${taken} of ${order.count}. ${fault}`);
      if (taken > 0) return author.name;
    }
    return undefined;
  }

  /** The account of the writing, besides the texts. */
  get account(): { readonly notes: readonly string[]; readonly dropped: number; readonly reasons: readonly string[] } {
    return { notes: this.#notes, dropped: this.#dropped.length, reasons: this.#dropped.slice(0, mostReasons) };
  }
}

async function writeBy({ name, ask }: Author, order: WritingOrder, signal: AbortSignal): Promise<Written> {
  const dropped: string[] = [];
  let taken = 0;
  let faults: readonly string[] = [];
  for (let failures = 0; taken < order.count && failures < mostFailures; ) {
    const wanted = Math.min(order.count - taken, mostAtOnce);
    const question = { system: order.system, text: withFaults(order.text(wanted), faults), maxTokens: longestAnswer };
    const answer = await ask(question, signal).catch((error: unknown) => {
      if (signal.aborted || !(error instanceof GatewayError)) throw error;
      return error.message;
    });
    if (typeof answer === 'string') return { taken, dropped, failure: answer };
    if (answer.ended === 'refused') return { taken, dropped, failure: `The author "${name}" declined to write.` };
    const read = await takeItems(answer, order, wanted);
    taken += read.taken;
    dropped.push(...read.dropped);
    faults = read.faults;
    if (read.taken < wanted) failures += 1;
  }
  return { taken, dropped, fault: faults[0] };
}

function withFaults(text: string, faults: readonly string[]): string {
  if (faults.length === 0) return text;
  return [text, 'Your last answer was wrong. Do not repeat these mistakes:', ...faults.map((one) => `- ${one}`)].join(
    '\n',
  );
}

async function takeItems(answer: ModelAnswer, { member, take }: WritingOrder, wanted: number) {
  if (answer.ended === 'cut') return onlyFault(`It was cut off at ${longestAnswer} tokens. Write shorter texts.`);
  const list = objectIn(answer.text)?.[member];
  if (!Array.isArray(list)) return onlyFault(`It was no JSON object with a list "${member}".`);
  const dropped: string[] = [];
  let taken = 0;
  for (const item of list.slice(0, wanted)) {
    const fault = isObject(item) ? await take(item) : 'It is no JSON object.';
    if (fault === undefined) taken += 1;
    else dropped.push(`${cutAtWord(printableJson(item), quotedChars)}: ${fault}`);
  }
  const missing = wanted - Math.min(list.length, wanted);
  const short = missing === 0 ? [] : [`It had ${list.length} of ${wanted}.`];
  return { taken, dropped, faults: [...short, ...dropped] };
}

function onlyFault(fault: string) {
  return { taken: 0, dropped: [], faults: [fault] };
}

const endOfThought = '</think>';

/** The text after the model's thoughts as one JSON object, which may be in a code fence. */
function objectIn(text: string): Record<string, unknown> | undefined {
  const said = text.split(endOfThought).at(-1) ?? '';
  const bare = said
    .trim()
    .replace(/^```(?:json)?\s*\n/, '')
    .replace(/\n```$/, '');
  try {
    const value: unknown = JSON.parse(bare);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
