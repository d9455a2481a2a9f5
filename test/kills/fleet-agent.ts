/** An agent that calls tools of a fleet one after the other, and keeps what it was told. It tries again only if nothing was done. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../exam/kit/random.ts';
import { systemCodeOf } from '../../src/base/errors.ts';
import { askModern, type RawAnswer, RawSession } from '../kit/hand-made.ts';
import type { Era } from '../servers/spec.ts';
import { fleetServers } from './fleet.ts';

/** `undone`: the answer proves that nothing was done. `unknown`: nobody can tell. */
type Outcome = 'acknowledged' | 'undone' | 'unknown';

export interface Attempt {
  /** The value that the server is to write down. */
  readonly value: string;
  readonly startedAt: number;
  readonly outcome: Outcome;
  readonly why: string;
}

interface FleetAgentOptions {
  readonly name: string;
  readonly era: Era;
  readonly headers: Record<string, string>;
  /** Where the next request goes. */
  readonly door: () => string;
  readonly random: Random;
  /** Between two calls, at most. */
  readonly mostPauseMs: number;
}

/** Most calls are quick; some are under way when a gateway is killed. */
const delaysMs = [0, 0, 0, 0, 20, 100, 500];

export class FleetAgent {
  readonly attempts: Attempt[] = [];
  readonly #options: FleetAgentOptions;
  #session: RawSession | undefined;

  constructor(options: FleetAgentOptions) {
    this.#options = options;
  }

  /** Calls until it is told to stop, and resolves when the last answer is there. */
  async work(signal: AbortSignal): Promise<void> {
    const { name, random, mostPauseMs } = this.#options;
    for (let number = 0; !signal.aborted; number += 1) {
      const params = {
        name: `${random.one(fleetServers)}.note`,
        arguments: { value: `${name}-${number}`, delayMs: random.one(delaysMs) },
      };
      for (let isDone = false; !isDone && !signal.aborted; ) {
        isDone = (await this.#attempt(params)) !== 'undone';
        await pause(random.whole(0, mostPauseMs));
      }
    }
  }

  async #attempt(params: CallParams): Promise<Outcome> {
    const startedAt = performance.now();
    const judgement = await this.#send(params).then((answer) => judgeAnswer(answer, params), judgeFailure);
    if (judgement.why === unknownSession) this.#session = undefined;
    this.attempts.push({ value: params.arguments.value, startedAt, ...judgement });
    return judgement.outcome;
  }

  async #send(params: CallParams): Promise<RawAnswer> {
    const { era, headers, door } = this.#options;
    if (era === 'modern') return askModern(door(), headers, 'tools/call', { ...params });
    this.#session ??= await RawSession.open(door(), headers).catch((error: unknown) => {
      throw new NoSession('No session was opened.', { cause: error });
    });
    const url = door();
    const session = url === this.#session.url ? this.#session : this.#session.at(url);
    return session.request('tools/call', { ...params });
  }
}

interface CallParams {
  readonly name: string;
  readonly arguments: { readonly value: string; readonly delayMs: number };
}

/** No call was sent. */
class NoSession extends Error {}

type Judgement = Pick<Attempt, 'outcome' | 'why'>;

const unknownSession = '404: the session is not known';
/** The words of the gateway where a call never left it. */
const unsent = /was not sent/;

function judgeAnswer({ status, headers, message }: RawAnswer, { arguments: { value } }: CallParams): Judgement {
  const result = (message.result ?? {}) as {
    isError?: boolean;
    content?: { text?: string }[];
    structuredContent?: object;
  };
  const text = result.content?.[0]?.text ?? '';
  if (status === 200 && result.isError !== true && text === value) return { outcome: 'acknowledged', why: 'ok' };
  if (status === 503) {
    const isAdvised = headers.get('retry-after') !== null;
    return { outcome: 'undone', why: `503 ${isAdvised ? 'with' : 'without'} Retry-After` };
  }
  if (status === 404) return { outcome: 'undone', why: unknownSession };
  const { errorType } = (result.structuredContent ?? {}) as { errorType?: string };
  const why = `${status} ${errorType ?? message.error?.message ?? text}`;
  return { outcome: unsent.test(text) ? 'undone' : 'unknown', why };
}

function judgeFailure(error: Error): Judgement {
  if (error instanceof NoSession) return { outcome: 'undone', why: error.message };
  const why = systemCodeOf(error) ?? error.message;
  return { outcome: why === 'ECONNREFUSED' ? 'undone' : 'unknown', why };
}
