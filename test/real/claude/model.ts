/** A stand-in for the model behind an agent: it follows a script of tools to use and keeps what it was sent. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ModelRequest, messageText, modelRequest, type Saying, streamMessage, textOf } from './model-wire.ts';

/** A tool to use, under the name by which the agent offers it. */
export interface Step {
  readonly tool: string;
  /** May depend on the results so far. */
  readonly input: StepInput | ((results: readonly StepResult[]) => StepInput);
  /** Done while the agent waits for the model. */
  readonly before?: () => Promise<unknown>;
}

type StepInput = Readonly<Record<string, unknown>>;

/** The result of a step. */
export interface StepResult {
  readonly tool: string;
  readonly input: StepInput;
  readonly text: string;
  readonly isError: boolean;
}

export interface Turn {
  readonly request: ModelRequest;
  readonly bytes: number;
}

/** The tool by which an agent that defers tools loads one of them. */
const loader = 'ToolSearch';

export class Model implements AsyncDisposable {
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #steps: Step[] = [];
  #lastWords = '';
  #asked = new Map<string, Pick<StepResult, 'tool' | 'input'>>();
  #lastId = 0;
  turns: Turn[] = [];
  results: StepResult[] = [];

  static async open(): Promise<Model> {
    const model = new Model();
    model.#server.listen(0, '127.0.0.1');
    await once(model.#server, 'listening');
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Forgets what was and follows these steps, one a turn; then it ends with these words. */
  play(steps: readonly Step[], lastWords = 'Done.'): void {
    this.#steps = [...steps];
    this.#lastWords = lastWords;
    this.#asked = new Map();
    this.turns = [];
    this.results = [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
    const path = new URL(incoming.url ?? '/', this.url).pathname;
    if (path !== '/v1/messages' || incoming.method !== 'POST') {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"type":"error"}');
      return;
    }
    const request = modelRequest.parse(JSON.parse(body));
    this.turns.push({ request, bytes: Buffer.byteLength(body) });
    this.#hear(request);
    this.#lastId += 1;
    streamMessage(response, `msg_${this.#lastId}`, request.model, await this.#say(request));
  }

  /** Notes the results of what was asked for. */
  #hear(request: ModelRequest): void {
    for (const { content } of request.messages) {
      for (const block of typeof content === 'string' ? [] : content) {
        const asked = this.#asked.get(block.tool_use_id ?? '');
        if (block.type !== 'tool_result' || asked === undefined) continue;
        this.#asked.delete(block.tool_use_id ?? '');
        this.results.push({ ...asked, text: textOf(block.content), isError: block.is_error === true });
      }
    }
  }

  async #say(request: ModelRequest): Promise<Saying> {
    const step = this.#steps[0];
    if (step === undefined) return { text: this.#lastWords };
    const isLoaded = request.tools.some((tool) => tool.name === step.tool);
    const wasFetched = this.results.at(-1)?.tool === loader;
    if (isLoaded || wasFetched) {
      this.#steps.shift();
      await step.before?.();
      return this.#use(step);
    }
    if (isMentioned(request, step.tool)) return this.#use({ tool: loader, input: loading(step.tool) });
    return { text: `There is no tool ${step.tool}.` };
  }

  #use({ tool, input: given }: Step): Saying {
    const input = typeof given === 'function' ? given(this.results) : given;
    this.#lastId += 1;
    const id = `toolu_${this.#lastId}`;
    this.#asked.set(id, { tool, input });
    return { id, tool, input };
  }
}

function loading(tool: string): Record<string, unknown> {
  return { query: `select:${tool}`, max_results: 1 };
}

function isMentioned(request: ModelRequest, tool: string): boolean {
  return messageText(request).split(/\s+/).includes(tool);
}
