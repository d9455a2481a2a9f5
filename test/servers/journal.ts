/** The server's diary: one JSON line per event, written before the event has any other effect, for tests to read. */

import { openSync, writeSync } from 'node:fs';
import type { Dict } from './rpc.ts';

export type JournalEvent =
  | 'started'
  | 'listening'
  | 'http'
  | 'http-status'
  | 'session-opened'
  | 'session-closed'
  | 'session-lost'
  | 'message'
  | 'response'
  | 'unparsable'
  | 'initialize'
  | 'initialized'
  | 'discover'
  | 'list'
  | 'listen'
  | 'subscribe'
  | 'unsubscribe'
  | 'tool'
  | 'tool-done'
  | 'raw'
  | 'cancelled'
  | 'storm-done'
  | 'grandchild'
  | 'crash'
  | 'signal'
  | 'stdin-end'
  | 'exit';

export class Journal {
  readonly #file: number | undefined;

  constructor(path: string | undefined) {
    this.#file = path === undefined ? undefined : openSync(path, 'a');
  }

  /** Appends one event synchronously, so that it is on disk even when the process dies in the next statement. */
  write(event: JournalEvent, facts: Dict = {}): void {
    if (this.#file === undefined) return;
    writeSync(this.#file, `${JSON.stringify({ event, at: Date.now(), pid: process.pid, ...facts })}\n`);
  }
}
