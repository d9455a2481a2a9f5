/** The transport of a link: sends messages, hears messages, knows when it ended. */

import type { Readable } from 'node:stream';
import type { RequestId, RpcMessage } from '../protocol/messages.ts';

export interface TransportEvents {
  /** `owner` is our request on whose own stream the message arrived, where the transport can tell. */
  onMessage(message: RpcMessage, owner: RequestId | undefined): void;
  /** The transport ended by itself; nothing more will come. Not called after `close()`. */
  onClose(reason: Error): void;
  /** Nobody is there at the moment, or (undefined) somebody is again; the transport goes on trying. */
  onReach?(trouble: Error | undefined): void;
}

export interface SendOptions {
  /** HTTP headers for this message alone. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Gives the message up: on HTTP the exchange is closed. */
  readonly signal?: AbortSignal | undefined;
}

export interface Transport {
  readonly kind: 'stdio' | 'http' | 'sse';
  /** The package runner that starts the server: until the first message it may be downloading. */
  readonly runner?: string | undefined;
  /** How long it has been at it without a message of the server; undefined where none is. */
  readonly installingMs?: number | undefined;
  open(events: TransportEvents, signal: AbortSignal): Promise<void>;
  /** Resolves when the message has been handed over; rejects when it could not be sent or its stream broke before an answer. */
  send(message: RpcMessage, options?: SendOptions): Promise<void>;
  /** Called once, after the handshake: what the transport must know from then on. Resolves when it can hear everything. */
  settle(agreed: { readonly era: 'legacy' | 'modern'; readonly version: string }): Promise<void>;
  /** Somebody is there again: reopens now what waits to be reopened. */
  hurry?(): void;
  /** Ends it and everything it started; idempotent. */
  close(): Promise<void>;
}

/** Without it a fast server would be read for many chunks in a row, and each costs a moment. */
export function giveWay(stream: Readable): void {
  stream.pause();
  setImmediate(() => stream.resume());
}
