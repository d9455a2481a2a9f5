/** A server as a child process that speaks one JSON message a line. */

import type { Writable } from 'node:stream';
import { GatewayError } from '../base/errors.ts';
import { JsonLimitError } from '../base/json.ts';
import { lastWords } from '../base/last-words.ts';
import { redactText } from '../base/redact.ts';
import { cutAtWord, printableLines } from '../base/text.ts';
import { limits, type StdioSpec } from '../config/config.ts';
import { classify, failure, parseServerJson, type RpcMessage, rpcCodes } from '../protocol/messages.ts';
import type { Spool } from '../results/results.ts';
import { installFaultIn, packageRunnerOf } from './package-runner.ts';
import { asUnread, idOfAnswer, MessageReader, type MessageRefusal } from './read-messages.ts';
import { type ProcessContext, type ProcessExit, ServerProcess } from './server-process.ts';
import { giveWay, type Transport, type TransportEvents } from './transport.ts';

/** Needed by a server's process and its messages. */
export interface StdioContext extends ProcessContext {
  readonly spool: Spool;
  /** For servers that name no folder; that of this process unless given. */
  readonly folder?: string | undefined;
}

/** How long a process may outlive its pipes. */
const exitAfterPipeMs = 500;

const longJunk = '(a very long line that is no message)';

export class StdioTransport implements Transport {
  readonly kind = 'stdio';
  readonly runner: string | undefined;
  readonly stderr: OutputTail;
  /** Lines on stdout that were no messages: counted, with the last one kept for `doctor`. */
  readonly junk: OutputTail;
  junkLines = 0;
  readonly #server: string;
  readonly #spec: StdioSpec;
  readonly #context: StdioContext;
  #lines: LineSplitter | undefined;
  #process: ServerProcess | undefined;
  #stdin: Writable | undefined;
  #isClosed = false;
  /** When the process was started, in monotonic time. */
  #startedAt: number | undefined;
  #hasSpoken = false;

  constructor(server: string, spec: StdioSpec, context: StdioContext) {
    this.#server = server;
    this.#spec = spec;
    this.#context = context;
    this.runner = packageRunnerOf(spec);
    const secrets = Object.values(spec.env);
    this.stderr = new OutputTail(limits.stderrTailBytes, secrets);
    this.junk = new OutputTail(2_048, secrets);
  }

  async open(events: TransportEvents): Promise<void> {
    const spec = { ...this.#spec, cwd: this.#spec.cwd ?? this.#context.folder ?? null };
    const child = await ServerProcess.start(`Server "${this.#server}"`, spec, this.#context);
    this.#process = child;
    this.#stdin = child.stdin;
    this.#startedAt = this.#context.clock.elapsed();
    const lines = new LineSplitter(this.#context.spool, {
      onLine: (line) => this.#onLine(line, events),
      onLong: (value) => this.#onValue(value, longJunk, events),
      onRefused: (refusal) => this.#onRefused(refusal, events),
    });
    this.#lines = lines;
    child.stdout.on('data', (chunk: Buffer) => {
      // Nobody listens any more to one that ended, even if something goes on writing.
      if (this.#isClosed) return;
      lines.push(chunk);
      if (lines.isInLongLine) giveWay(child.stdout);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.stderr.push(text));
    void child.exited.then((exit) => {
      // Report the exit only after the server's last words, which are still in the pipe.
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
    const stdin = this.#stdin;
    if (!stdin?.writable) return Promise.reject(this.#gone('is not running', { isUnexecuted: true }));
    if (stdin.writableLength > limits.stdioUnreadBytes) return Promise.reject(this.#unread());
    stdin.write(`${JSON.stringify(message)}\n`);
    return Promise.resolve();
  }

  async settle(): Promise<void> {}

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#process?.close();
    this.#lines?.drop();
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** How long a package runner has been at it without a message of the server; undefined where none is. */
  get installingMs(): number | undefined {
    const isInstalling = this.runner !== undefined && !this.#hasSpoken && !this.#isClosed;
    return isInstalling && this.#startedAt !== undefined ? this.#context.clock.elapsed() - this.#startedAt : undefined;
  }

  #onLine(line: string, events: TransportEvents): void {
    const text = line.charCodeAt(0) === 0xfeff ? line.slice(1) : line;
    let value: unknown;
    try {
      value = parseServerJson(text);
    } catch (error) {
      if (!(error instanceof JsonLimitError)) return this.#onJunk(text);
      return this.#onRefused({ error, id: idOfAnswer(text.slice(0, 256), text.slice(-256)) }, events);
    }
    this.#onValue(value, text, events);
  }

  #onValue(value: unknown, text: string, events: TransportEvents): void {
    if (classify(value) === undefined) return this.#onJunk(text);
    this.#hasSpoken = true;
    events.onMessage(value as RpcMessage, undefined);
  }

  #onJunk(text: string): void {
    if (text.trim() === '') return;
    this.junkLines += 1;
    this.junk.push(`${text.slice(0, 500)}\n`);
  }

  /** The caller of an answer that was not read gets an error at once, if it can be found out whose it was. */
  #onRefused({ error, id }: MessageRefusal, events: TransportEvents): void {
    const trouble = asUnread(this.#server, error);
    this.#onJunk(trouble ? `(a message was skipped: ${trouble.message})` : longJunk);
    if (id === undefined || !trouble) return;
    const { code, message } = trouble;
    events.onMessage(failure(id, { code: rpcCodes.internalError, message, data: { toolcrib: code } }), undefined);
  }

  #onExit({ code, signal }: ProcessExit, events: TransportEvents): void {
    const how = signal ? `was ended by ${signal}` : `exited with code ${code}`;
    this.#endWith(this.#gone(how, { exitCode: code }), events);
  }

  #endWith(reason: GatewayError, events: TransportEvents): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#lines?.drop();
    void this.#process?.close();
    events.onClose(reason);
  }

  #unread(): GatewayError {
    const what = `Server "${this.#server}" does not read its input.`;
    return new GatewayError('RATE_LIMITED', what, {
      hint: `It was not sent; "toolcrib doctor" shows what the server printed.`,
      data: { reason: 'unread', isUnexecuted: true },
    });
  }

  #gone(how: string, facts: { readonly exitCode?: number | null; readonly isUnexecuted?: true } = {}): GatewayError {
    const stderr = this.stderr.read();
    const isStarted = this.runner === undefined || this.#hasSpoken;
    const fault = isStarted ? undefined : installFaultIn(stderr, facts.exitCode ?? null, this.#spec.env);
    const said = lastWords(stderr, 3)
      .map((line) => cutAtWord(line.trim(), 300))
      .join(' | ');
    return new GatewayError(
      'SERVER_DISCONNECTED',
      `Server "${this.#server}" ${how}.${said ? ` It said: ${said}` : ''}`,
      {
        hint: fault?.hint ?? `The next call restarts it; "toolcrib doctor" shows what it printed.`,
        data: { reason: fault?.reason ?? 'exited', exitCode: null, ...facts },
      },
    );
  }
}

interface SplitLineEvents {
  onLine(line: string): void;
  /** A line too long for the memory, parsed. */
  onLong(value: unknown): void;
  /** A line that was not read: told as soon as it is known whose answer it was, at its end otherwise. */
  onRefused(refusal: MessageRefusal): void;
}

const newline = 0x0a;

export class LineSplitter {
  readonly #spool: Spool;
  readonly #events: SplitLineEvents;
  /** The line that has begun and not ended. */
  #reader: MessageReader | undefined;
  #isTold = false;

  constructor(spool: Spool, events: SplitLineEvents) {
    this.#spool = spool;
    this.#events = events;
  }

  /** True if the current line is too long for the memory. */
  get isInLongLine(): boolean {
    return this.#reader?.isLong ?? false;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      if (this.#reader || end - from > limits.frameMemoryBytes) {
        this.#add(chunk.subarray(from, end));
        this.#finish();
      } else if (end > from) this.#events.onLine(chunk.toString('utf8', from, end));
      from = end + 1;
    }
    if (from < chunk.length) this.#add(from === 0 ? chunk : chunk.subarray(from));
  }

  /** Nothing more will come: a line that has not ended never will. */
  drop(): void {
    this.#reader?.drop();
    this.#reader = undefined;
  }

  #add(piece: Buffer): void {
    this.#reader ??= new MessageReader(this.#spool);
    this.#reader.push(piece);
    const refusal = this.#reader.refusal;
    if (refusal?.id === undefined || this.#isTold) return;
    this.#isTold = true;
    this.#events.onRefused(refusal);
  }

  #finish(): void {
    const message = this.#reader?.end();
    const isTold = this.#isTold;
    this.#reader = undefined;
    this.#isTold = false;
    if (message?.kind === 'text') this.#events.onLine(message.text);
    else if (message?.kind === 'value') this.#events.onLong(message.value);
    else if (message && !isTold) this.#events.onRefused(message.refusal);
  }
}

/** Secrets that are known only by their shape are taken to be no longer than this. */
const longestShape = 512;

export class OutputTail {
  readonly #limit: number;
  readonly #secrets: readonly string[];
  #chunks: string[] = [];
  #size = 0;
  #isCut = false;

  constructor(limit: number, secrets: readonly string[]) {
    this.#limit = limit;
    this.#secrets = secrets;
  }

  push(text: string): void {
    const piece = text.length > this.#limit ? text.slice(-this.#limit) : text;
    if (piece !== text) this.#chunks = [];
    this.#isCut ||= piece !== text;
    this.#chunks.push(piece);
    this.#size = piece === text ? this.#size + piece.length : piece.length;
    while (this.#size > this.#limit && this.#chunks.length > 1) {
      this.#size -= this.#chunks.shift()?.length ?? 0;
      this.#isCut = true;
    }
  }

  read(): string {
    const text = this.#chunks.join('');
    return printableLines(redactText(this.#isCut ? this.#withoutStump(text) : text, this.#secrets)).trimEnd();
  }

  /** A secret may have been cut in two, and half of one cannot be recognised: the cut line goes, or as much as a secret is long. */
  #withoutStump(text: string): string {
    const lineEnd = text.indexOf('\n');
    const longest = Math.max(longestShape, ...this.#secrets.map((secret) => secret.length));
    return text.slice(lineEnd === -1 || lineEnd > longest ? longest : lineEnd + 1);
  }

  /** The last lines that are not empty. */
  lastLines(count: number): string[] {
    return this.read()
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(-count);
  }
}
