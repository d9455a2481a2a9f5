/** The way bytes leave over stdio: a stack of small layers, each of which may spoil them in one way. */

import { junkLines, lineEnd, startBytes } from './junk.ts';
import type { Message } from './rpc.ts';
import { jsonOf, notification } from './rpc.ts';
import { JUNK_KINDS, type JunkKind, type Modes } from './spec.ts';

/** A place to write to. What is given to one `write` is meant to arrive together. */
export interface Sink {
  write(bytes: Buffer): void;
  /** Writes at once what is still held back. */
  flush(): void;
}

export interface StdioWriter {
  send(messages: readonly Message[]): void;
  /** Writes all but the second half of the last message. */
  sendHalf(messages: readonly Message[]): void;
  flush(): void;
}

/** Builds the layers that the modes ask for on top of `out`. */
export function stdioWriter(modes: Modes, out: (bytes: Buffer) => void): StdioWriter {
  const kinds = junkKinds(modes.junkStdout);
  let sink: Sink = { write: out, flush: () => {} };
  if (modes.splitWrites !== undefined && modes.splitWrites !== false) {
    const { bytes = 3, delayMs = 0 } = modes.splitWrites === true ? {} : modes.splitWrites;
    sink = splitting(sink, bytes, delayMs);
  }
  if (kinds.length > 0) sink = littering(sink, kinds);
  if (modes.twoMessagesPerWrite === true) sink = pairing(sink);
  const frame = (message: Message) => Buffer.from(`${jsonOf(message)}${lineEnd(kinds)}`);
  return {
    send: (messages) => sink.write(Buffer.concat(messages.map(frame))),
    sendHalf: (messages) => {
      const bytes = Buffer.concat(messages.map(frame));
      const last = frame(messages.at(-1) ?? notification('notifications/none'));
      sink.write(bytes.subarray(0, bytes.length - Math.ceil(last.length / 2)));
    },
    flush: () => sink.flush(),
  };
}

/** Cuts everything into slices of a few bytes, with a turn of the event loop or a delay between them. */
export function splitting(next: Sink, size: number, delayMs: number): Sink {
  let held = Buffer.alloc(0);
  let isRunning = false;
  const later = delayMs > 0 ? (step: () => void) => setTimeout(step, delayMs) : setImmediate;
  const step = () => {
    next.write(held.subarray(0, size));
    held = held.subarray(size);
    isRunning = held.length > 0;
    if (isRunning) later(step);
  };
  return {
    write: (bytes) => {
      held = Buffer.concat([held, bytes]);
      if (isRunning) return;
      isRunning = true;
      step();
    },
    flush: () => {
      if (held.length > 0) next.write(held);
      held = Buffer.alloc(0);
      next.flush();
    },
  };
}

/** Puts a line that is no message before every message, a different one each time. */
function littering(next: Sink, kinds: readonly JunkKind[]): Sink {
  const lines = junkLines(kinds);
  let start: Buffer | undefined = startBytes(kinds);
  let turn = 0;
  return {
    write: (bytes) => {
      const line = lines.length === 0 ? Buffer.alloc(0) : (lines[turn++ % lines.length] ?? Buffer.alloc(0));
      next.write(Buffer.concat([start ?? Buffer.alloc(0), line, bytes]));
      start = undefined;
    },
    flush: () => next.flush(),
  };
}

const COMPANION = Buffer.from(`${JSON.stringify(notification('notifications/x-test/companion'))}\n`);

/** Holds each write until there is a second one; a lone one leaves with an unknown notification for company. */
function pairing(next: Sink): Sink {
  let held: Buffer | undefined;
  let timer: NodeJS.Timeout | undefined;
  const release = (companion: Buffer) => {
    clearTimeout(timer);
    if (held !== undefined) next.write(Buffer.concat([held, companion]));
    held = undefined;
  };
  return {
    write: (bytes) => {
      if (held !== undefined) return release(bytes);
      held = bytes;
      timer = setTimeout(() => release(COMPANION), 5);
    },
    flush: () => {
      release(COMPANION);
      next.flush();
    },
  };
}

function junkKinds(mode: Modes['junkStdout']): readonly JunkKind[] {
  if (mode === undefined || mode === false) return [];
  return mode === true ? JUNK_KINDS : mode;
}
