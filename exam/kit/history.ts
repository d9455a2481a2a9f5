/** The record of one run: every request and what became of it, one JSON object a line, judged only afterwards. */

import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Era } from './agent-requests.ts';

/** How a request ended: with its answer, without one because the stream closed, or not at all. */
export interface Exchange {
  readonly seq: number;
  readonly agent: string;
  readonly era: Era;
  readonly id: unknown;
  readonly what: string;
  readonly sentAt: number;
  /** After so long a request without an end is a fault. */
  readonly deadlineMs: number;
  /** The agent left by itself, so that nothing can be said about an answer. */
  hasLeft: boolean;
  endedAt: number | undefined;
  status: number;
  /** Answers with this id that came on its stream. */
  answers: number;
  /** Answers on its stream that belong to another request. */
  strays: number;
}

export class History {
  readonly folder: string;
  readonly exchanges: Exchange[] = [];
  readonly #file: number;
  readonly #startedAt = performance.now();

  constructor(folder: string) {
    // Files of an earlier run would be judged again.
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    this.folder = folder;
    this.#file = openSync(join(folder, 'history.jsonl'), 'w');
  }

  /** Milliseconds since the run began. */
  now(): number {
    return performance.now() - this.#startedAt;
  }

  begin(facts: Pick<Exchange, 'agent' | 'era' | 'id' | 'what' | 'deadlineMs'>): Exchange {
    const exchange: Exchange = {
      seq: this.exchanges.length,
      ...facts,
      sentAt: this.now(),
      hasLeft: false,
      endedAt: undefined,
      status: 0,
      answers: 0,
      strays: 0,
    };
    this.exchanges.push(exchange);
    this.note('request', { seq: exchange.seq, ...facts });
    return exchange;
  }

  end(exchange: Exchange, facts: Record<string, unknown> = {}): void {
    exchange.endedAt = this.now();
    const { seq, status, answers, strays, hasLeft } = exchange;
    const ms = Math.round(exchange.endedAt - exchange.sentAt);
    this.note('end', {
      seq,
      ms,
      status,
      answers,
      ...(strays > 0 && { strays }),
      ...(hasLeft && { hasLeft }),
      ...facts,
    });
  }

  /** Anything else worth knowing later: a kill, a start, a figure. */
  note(event: string, facts: Record<string, unknown> = {}): void {
    writeSync(this.#file, `${JSON.stringify({ at: Math.round(this.now() * 10) / 10, event, ...facts })}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}
