/** A server as a child process that speaks one JSON message a line. */

import { GatewayError } from '../base/errors.ts';
import { JsonLimitError, parseJson } from '../base/json.ts';
import { cutAtWord } from '../base/text.ts';
import { limits, type StdioTransport as StdioSpec } from '../config/config.ts';
import { classify, failure, type RpcMessage, rpcCodes } from '../protocol/messages.ts';
import { LineSplitter, type OversizedLine } from './line-splitter.ts';
import { OutputTail } from './output-tail.ts';
import { type ProcessContext, type ProcessExit, ServerProcess } from './server-process.ts';
import type { Transport, TransportEvents } from './transport.ts';

/** What the end of a process may take longer than the end of its pipes. */
const exitAfterPipeMs = 500;

export class StdioTransport implements Transport {
  readonly kind = 'stdio';
  readonly stderr: OutputTail;
  /** Lines on stdout that were no messages: counted, with the last one kept for `doctor`. */
  readonly junk: OutputTail;
  junkLines = 0;
  readonly #server: string;
  readonly #spec: StdioSpec;
  readonly #context: ProcessContext;
  #process: ServerProcess | undefined;
  #isClosed = false;

  constructor(server: string, spec: StdioSpec, context: ProcessContext) {
    this.#server = server;
    this.#spec = spec;
    this.#context = context;
    const secrets = Object.values(spec.env);
    this.stderr = new OutputTail(limits.stderrTailBytes, secrets);
    this.junk = new OutputTail(2_048, secrets);
  }

  async open(events: TransportEvents): Promise<void> {
    const child = await ServerProcess.start(this.#server, this.#spec, this.#context);
    this.#process = child;
    const lines = new LineSplitter(
      limits.stdioFrameBytes,
      (line) => this.#onLine(line, events),
      (line) => this.#onOversized(line, events),
    );
    child.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.stderr.push(text));
    void child.exited.then((exit) => {
      // What the server wrote before it ended is still in the pipe; the end is told after it.
      const tell = () => this.#onExit(exit, events);
      if (child.stdout.readableEnded || child.stdout.destroyed) tell();
      else {
        child.stdout.once('end', tell);
        // A grandchild may keep the pipe open for ever: then the exit alone counts.
        this.#context.clock.after(200, tell);
      }
    });
    // Without its pipes a process is of no use, even if it lives on; most often it is about to exit, and says more by that.
    const onPipeEnd = () =>
      void this.#context.clock.after(exitAfterPipeMs, () =>
        this.#endWith(this.#gone('closed its input or output'), events),
      );
    child.stdin.once('error', onPipeEnd).once('close', onPipeEnd);
    child.stdout.once('end', onPipeEnd);
    if (this.#isClosed) await child.close();
  }

  send(message: RpcMessage): Promise<void> {
    const stdin = this.#process?.stdin;
    if (!stdin?.writable) return Promise.reject(this.#gone('is not running', { isUnexecuted: true }));
    if (stdin.writableLength > limits.stdioUnreadBytes) return Promise.reject(this.#unread());
    stdin.write(`${JSON.stringify(message)}\n`);
    return Promise.resolve();
  }

  async settle(): Promise<void> {}

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#process?.close();
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  #onLine(line: string, events: TransportEvents): void {
    const text = line.charCodeAt(0) === 0xfeff ? line.slice(1) : line;
    let message: unknown;
    try {
      message = parseJson(text);
    } catch (error) {
      if (error instanceof JsonLimitError) this.#onOversized(edges(text), events, 'is nested too deeply');
      else this.#onJunk(text);
      return;
    }
    if (classify(message) === undefined) return this.#onJunk(text);
    events.onMessage(message as RpcMessage, undefined);
  }

  #onJunk(text: string): void {
    if (text.trim() === '') return;
    this.junkLines += 1;
    this.junk.push(`${text.slice(0, 500)}\n`);
  }

  /** The caller of an answer that was too large gets an error at once, if the answer's id can be found at its edges. */
  #onOversized(
    line: OversizedLine,
    events: TransportEvents,
    what = `is larger than ${limits.stdioFrameBytes} bytes`,
  ): void {
    const id = idOfAnswer(line);
    this.#onJunk(`(a message that ${what} was skipped)`);
    if (id === undefined) return;
    const message = `The answer of server "${this.#server}" ${what} and was not read.`;
    events.onMessage(
      failure(id, { code: rpcCodes.internalError, message, data: { toolcrib: 'TOO_LARGE' } }),
      undefined,
    );
  }

  #onExit({ code, signal }: ProcessExit, events: TransportEvents): void {
    const how = signal ? `was ended by ${signal}` : `exited with code ${code}`;
    this.#endWith(this.#gone(how, { exitCode: code }), events);
  }

  #endWith(reason: GatewayError, events: TransportEvents): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    void this.#process?.close();
    events.onClose(reason);
  }

  #unread(): GatewayError {
    const what = `Server "${this.#server}" does not read what it is sent.`;
    return new GatewayError('RATE_LIMITED', what, {
      hint: `It was not sent; "toolcrib doctor" shows what the server printed.`,
      data: { reason: 'unread', isUnexecuted: true },
    });
  }

  #gone(how: string, facts: Record<string, unknown> = {}): GatewayError {
    const said = this.stderr
      .lastLines(3)
      .map((line) => cutAtWord(line, 300))
      .join(' | ');
    return new GatewayError(
      'SERVER_DISCONNECTED',
      `Server "${this.#server}" ${how}.${said ? ` It said: ${said}` : ''}`,
      {
        hint: `It is started again on the next call; "toolcrib doctor" shows what it printed.`,
        data: { reason: 'exited', exitCode: null, ...facts },
      },
    );
  }
}

/** Our id in an answer of which only the edges are known: as its last member, or right at its start. Elsewhere it is data. */
function idOfAnswer({ head, tail }: OversizedLine): number | undefined {
  const id =
    /,\s*"id"\s*:\s*(\d+)\s*\}\s*$/.exec(tail)?.[1] ??
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)\s*,\s*"(?:jsonrpc|result|error)"/.exec(head)?.[1];
  return id === undefined ? undefined : Number(id);
}

function edges(text: string): OversizedLine {
  return { head: text.slice(0, 256), tail: text.slice(-256) };
}
