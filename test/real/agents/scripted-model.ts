/** A stand-in for any agent's model: it follows a script of tools to use, in the words of one model API. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A tool of the gateway to use, by the gateway's own name for it. */
export interface ScriptedStep {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The acts of the model in one run of the agent. */
export interface ModelScript {
  readonly steps?: readonly ScriptedStep[];
  /** Its last words. */
  readonly words?: string;
  /** It answers every request with this status instead. */
  readonly status?: number;
  /** It never answers. */
  readonly isSilent?: boolean;
}

/** How one model API writes requests and answers. */
export interface ModelWire {
  isRequest(path: string): boolean;
  /** Names of the gateway's tools that the agent offers, and the text of each result it brings, oldest first. */
  read(body: unknown): { readonly tools: readonly string[]; readonly results: readonly string[] };
  /** The events of an answer that uses a tool, or ends the turn with words where there is no step. */
  say(step: ScriptedStep | undefined, turn: number, words: string): readonly Readonly<Record<string, unknown>>[];
}

export class ScriptedModel implements AsyncDisposable {
  readonly #wire: ModelWire;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #scriptFor: (request: string) => ModelScript | Promise<ModelScript> = () => ({});
  turns = 0;
  /** Of the last request that offered any. */
  tools: readonly string[] = [];
  results: readonly string[] = [];

  private constructor(wire: ModelWire) {
    this.#wire = wire;
  }

  static async open(wire: ModelWire): Promise<ScriptedModel> {
    const model = new ScriptedModel(wire);
    model.#server.listen(0, '127.0.0.1');
    await once(model.#server, 'listening');
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  play(steps: readonly ScriptedStep[]): void {
    this.playFor(() => ({ steps }));
  }

  /** The script of each run is known by the text of its requests. */
  playFor(scriptFor: (request: string) => ModelScript | Promise<ModelScript>): void {
    this.#scriptFor = scriptFor;
    this.turns = 0;
    this.tools = [];
    this.results = [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
    if (incoming.method !== 'POST' || !this.#wire.isRequest(incoming.url ?? '')) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const { tools, results } = this.#wire.read(JSON.parse(body));
    if (tools.length > 0) this.tools = tools;
    this.results = results;
    this.turns += 1;
    const { steps = [], words = 'Done.', status = 200, isSilent } = await this.#scriptFor(body);
    if (isSilent) return;
    if (status !== 200) {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ type: 'error', error: { type: 'api_error', message: 'The stand-in fails.' } }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of this.#wire.say(this.#nextStep(steps), this.turns, words)) {
      const name = typeof event.type === 'string' ? `event: ${event.type}\n` : '';
      response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
  }

  /** Some agents write the dot of a public name as an underscore, others keep it. */
  #nextStep(steps: readonly ScriptedStep[]): ScriptedStep | undefined {
    const step = steps[this.results.length];
    const offered = this.tools.find((name) => name === step?.tool.replaceAll('.', '_'));
    return step && { ...step, tool: offered ?? step.tool };
  }
}
