/** Messages out of a stream of server-sent events; long ones by way of the disk. */

import { limits } from '../config/config.ts';
import { classify, failure, parseMessage, type RequestId, type RpcMessage, rpcCodes } from '../protocol/messages.ts';
import { type LongEvent, SseDecoder, type SseEvent } from '../protocol/sse.ts';
import type { Spool } from '../results/results.ts';
import { asUnread, MessageReader, type MessageRefusal } from './message-reader.ts';

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
