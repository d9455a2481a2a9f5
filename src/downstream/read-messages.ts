/** Messages out of bytes as they arrive, or out of a stream of server-sent events; long ones by way of the disk. */

import { GatewayError, messageOf } from '../base/errors.ts';
import { JsonLimitError } from '../base/json.ts';
import { limits } from '../config/config.ts';
import { classify, failure, parseMessage, type RequestId, type RpcMessage, rpcCodes } from '../protocol/messages.ts';
import { type LongEvent, SseDecoder, type SseEvent } from '../protocol/sse.ts';
import { type Spool, SpoolMessage } from '../results/results.ts';

/** How much of the start and end of a message that is not read is kept, to find out whose answer it was. */
const edgeBytes = 256;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** `text`: it was short. `value`: it was long, and is parsed. `refused`: it was not read to its end. */
export type ReadMessage =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly refusal: MessageRefusal };

export interface MessageRefusal {
  readonly error: unknown;
  /** The request that it answers, if known. */
  readonly id: RequestId | undefined;
}

export class MessageReader {
  readonly #spool: Spool;
  /** A short message so far: the first piece as it came, more of them in a buffer that grows. */
  #bytes: Buffer = Buffer.alloc(0);
  #size = 0;
  #long: SpoolMessage | undefined;
  #refusal: MessageRefusal | undefined;
  #head = '';
  #tail: Buffer = Buffer.alloc(0);

  constructor(spool: Spool) {
    this.#spool = spool;
  }

  /** True if it is too long for the memory. */
  get isLong(): boolean {
    return this.#size > limits.frameMemoryBytes;
  }

  /** Set as soon as it is clear that the message will not be read; the id may be known only at its end. */
  get refusal(): MessageRefusal | undefined {
    return this.#refusal;
  }

  push(piece: Buffer): void {
    const before = this.#size;
    this.#size += piece.length;
    if (!this.isLong) return this.#hold(piece, before);
    if (before > limits.frameMemoryBytes) return this.#write(piece);
    this.#spill(before === 0 ? piece : Buffer.concat([this.#bytes.subarray(0, before), piece]));
  }

  end(): ReadMessage {
    if (!this.isLong) return { kind: 'text', text: this.#bytes.toString('utf8', 0, this.#size) };
    try {
      if (this.#long) return { kind: 'value', value: this.#long.end(limits.wholeMessageBytes) };
    } catch (error) {
      this.#refuse(error);
    }
    const id = this.#refusal?.id ?? idOfAnswer(this.#head, this.#tail.toString('latin1'));
    return { kind: 'refused', refusal: { error: this.#refusal?.error, id } };
  }

  /** Nobody will ask for it: its file goes. */
  drop(): void {
    this.#long?.drop();
    this.#long = undefined;
  }

  #hold(piece: Buffer, before: number): void {
    if (before === 0) {
      this.#bytes = piece;
      return;
    }
    if (this.#size > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.min(this.#size * 2, limits.frameMemoryBytes));
      this.#bytes.copy(grown, 0, 0, before);
      this.#bytes = grown;
    }
    piece.copy(this.#bytes, before);
  }

  #spill(held: Buffer): void {
    const bytes = held.subarray(0, 3).equals(byteOrderMark) ? held.subarray(3) : held;
    this.#head = bytes.toString('latin1', 0, edgeBytes);
    this.#bytes = Buffer.alloc(0);
    try {
      this.#long = new SpoolMessage(this.#spool);
    } catch (error) {
      this.#refuse(error);
    }
    this.#write(bytes);
  }

  #write(piece: Buffer): void {
    this.#tail = lastOf(this.#tail, piece);
    try {
      this.#long?.push(piece);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #refuse(error: unknown): void {
    this.#refusal = { error, id: this.#long?.answerId };
    this.drop();
  }
}

/** The refusal as an error for the caller; undefined if the text was no message at all. */
export function asUnread(server: string, error: unknown): GatewayError | undefined {
  if (error instanceof GatewayError) return error;
  if (!(error instanceof JsonLimitError)) return undefined;
  return new GatewayError('TOO_LARGE', `The answer of server "${server}" was not read. ${messageOf(error)}`, {
    hint: `Ask server "${server}" for less at a time.`,
  });
}

/** Our id in an answer of which only the edges are known: as its last member, or right at its start. Elsewhere it is data. */
export function idOfAnswer(head: string, tail: string): number | undefined {
  const id =
    /,\s*"id"\s*:\s*(\d+)\s*\}\s*$/.exec(tail)?.[1] ??
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)\s*,\s*"(?:jsonrpc|result|error)"/.exec(head)?.[1];
  return id === undefined ? undefined : Number(id);
}

function lastOf(before: Buffer, piece: Buffer): Buffer {
  if (piece.length >= edgeBytes) return Buffer.from(piece.subarray(-edgeBytes));
  return Buffer.concat([before, piece]).subarray(-edgeBytes);
}

interface MessageStreamOptions {
  readonly server: string;
  readonly spool: Spool;
  /** The request whose own stream it is: a message that cannot be read ends that one. */
  readonly owner?: RequestId | undefined;
  /** Every event, also those that carry no message. */
  onEvent(event: SseEvent): void;
  onMessage(message: RpcMessage): void;
}

export class MessageStream {
  readonly #options: MessageStreamOptions;
  readonly #decoder: SseDecoder<MessageReader>;
  /** The answer under way will not be read, and its caller knows. */
  #isTold = false;

  constructor(options: MessageStreamOptions) {
    this.#options = options;
    this.#decoder = new SseDecoder(
      (event) => this.#onEvent(event),
      limits.frameMemoryBytes,
      () => new MessageReader(options.spool),
    );
  }

  /** Throws a GatewayError where the answer to the stream's own request cannot be read. */
  push(chunk: Buffer): void {
    this.#decoder.push(chunk);
    const refusal = this.#decoder.long?.refusal;
    if (refusal) this.#onRefused(refusal);
  }

  get isInLongEvent(): boolean {
    return this.#decoder.long !== undefined;
  }

  /** Nothing more will come: an event that has not ended never will. */
  drop(): void {
    this.#decoder.long?.drop();
  }

  #onEvent(event: LongEvent<MessageReader>): void {
    this.#options.onEvent(event);
    if (event.event !== 'message') return event.long?.drop();
    const message = event.long ? this.#endLong(event.long) : event.data === '' ? undefined : parseMessage(event.data);
    if (message) this.#options.onMessage(message);
  }

  #endLong(long: MessageReader): RpcMessage | undefined {
    const read = long.end();
    if (read.kind === 'refused') this.#onRefused(read.refusal);
    this.#isTold = false;
    if (read.kind === 'text') return parseMessage(read.text);
    return read.kind === 'value' && classify(read.value) !== undefined ? (read.value as RpcMessage) : undefined;
  }

  /** Reports a message that was not read; skips text that is no message at all. */
  #onRefused({ error, id }: MessageRefusal): void {
    const trouble = asUnread(this.#options.server, error);
    if (!trouble || this.#isTold) return;
    if (this.#options.owner !== undefined) throw trouble;
    if (id === undefined) return;
    this.#isTold = true;
    const { code, message } = trouble;
    this.#options.onMessage(failure(id, { code: rpcCodes.internalError, message, data: { toolcrib: code } }));
  }
}
