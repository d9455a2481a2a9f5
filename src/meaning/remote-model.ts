/** Vectors from a service with the OpenAI embeddings API: in batches, two at once, checked before they are believed. */

import { createHash } from 'node:crypto';
import { type Clock, sleep } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import {
  keyFrom,
  PostError,
  postJson,
  postTrouble,
  type Recipient,
  recipientName,
  type Surroundings,
  urlBelow,
} from '../base/post-json.ts';
import type { Config } from '../config/config.ts';
import type { EmbeddingModel } from './meaning.ts';
import { toVector, type Vector } from './vector.ts';

export type RemoteModelSettings = Pick<Config['search']['embedding'], 'model' | 'baseUrl' | 'apiKeyEnv' | 'dimensions'>;

export interface RemoteModelOptions extends Surroundings {
  readonly settings: RemoteModelSettings;
}

/** Limits of one request. Parsing the numbers of an answer blocks everything else. */
const batchLimits = { texts: 96, characters: 200_000, numbers: 200_000 };
/** Characters of one text that count. */
const longestText = 8_000;
const mostAtOnce = 2;
const timeoutMs = 30_000;
/** A busy service is asked once more, after this wait or the one it names; one that wants more time is not waited for. */
const retryWaitMs = 500;
const longestRetryWaitMs = 2_000;
/** Numbers that the kernel takes in one step when it compares vectors. */
const widthStep = 16;

const usualHost = 'api.openai.com';
const usualKeyEnv = 'OPENAI_API_KEY';
/** Models that make vectors of the length asked for; others refuse to be asked. */
const canShorten = /^text-embedding-3/;

interface Item {
  /** Its place among the texts of one `embed`. */
  readonly at: number;
  readonly text: string;
}

export class RemoteModel implements EmbeddingModel {
  readonly id: string;
  readonly kind = 'service';
  readonly width: number;
  readonly dimensions: number;
  readonly #settings: RemoteModelSettings;
  readonly #env: NodeJS.ProcessEnv;
  readonly #clock: Clock;
  readonly #privateHosts: Surroundings['privateHosts'];
  readonly #turns = new Turns(mostAtOnce);
  readonly #closing = new AbortController();

  constructor({ settings, env, clock, privateHosts }: RemoteModelOptions) {
    const { model, dimensions, baseUrl } = settings;
    const place = createHash('sha256').update(baseUrl.replace(/\/+$/, '')).digest('hex').slice(0, 12);
    this.id = `openai:${model}:${dimensions}:${place}`;
    this.width = Math.ceil(dimensions / widthStep) * widthStep;
    this.dimensions = dimensions;
    this.#settings = settings;
    this.#env = env;
    this.#clock = clock;
    this.#privateHosts = privateHosts;
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<(Vector | null)[]> {
    const vectors = new Array<Vector | null>(texts.length).fill(null);
    // Services refuse a blank text, and with it its whole batch.
    const items = texts.map((text, at) => ({ at, text: text.slice(0, longestText) })).filter(({ text }) => text.trim());
    if (items.length === 0) return vectors;
    const recipient = this.#recipient();
    const failing = new AbortController();
    const within = AbortSignal.any([signal, this.#closing.signal, failing.signal]);
    const batches = batchesOf(items, this.#settings.dimensions).values();
    // Both lanes draw from the same batches, one at a time, so that a query of somebody else gets its turn in between.
    const lane = async () => {
      for (const batch of batches) {
        const made = await this.#turns.take(() => this.#ask(recipient, batch, within), within);
        for (const [place, { at }] of batch.entries()) vectors[at] = made[place] ?? null;
      }
    };
    const lanes = Array.from({ length: mostAtOnce }, () => lane().catch((error) => failing.abort(error)));
    await Promise.all(lanes);
    failing.signal.throwIfAborted();
    return vectors;
  }

  async close(): Promise<void> {
    this.#closing.abort(new GatewayError('MODEL_FAILED', 'The embedding service is no longer used.'));
  }

  #recipient(): Recipient {
    const { baseUrl } = this.#settings;
    // The usual key is for the usual address: another service must not be sent it.
    const isUsual = new URL(baseUrl).host === usualHost;
    const apiKeyEnv = this.#settings.apiKeyEnv ?? (isUsual ? usualKeyEnv : null);
    const key = keyFrom(this.#env, apiKeyEnv);
    const url = urlBelow(baseUrl, 'embeddings');
    const recipient = {
      name: 'The embedding service',
      url,
      setting: 'search.embedding.baseUrl',
      keyEnv: apiKeyEnv ?? undefined,
      key,
    };
    if (key !== undefined || url.host !== usualHost) return recipient;
    throw new GatewayError('MODEL_FAILED', `${recipientName(recipient)} needs a key, but ${apiKeyEnv} is not set.`, {
      hint: `Put the key into the environment variable ${apiKeyEnv}, or name another in "search.embedding.apiKeyEnv".`,
    });
  }

  async #ask(recipient: Recipient, batch: readonly Item[], signal: AbortSignal): Promise<(Vector | null)[]> {
    const { model, dimensions } = this.#settings;
    const input = batch.map(({ text }) => text);
    const size = canShorten.test(model) ? { dimensions } : {};
    const body = { model, input, encoding_format: 'float', ...size };
    const post = () =>
      postJson(recipient, body, { clock: this.#clock, signal, timeoutMs, privateHosts: this.#privateHosts });
    try {
      const answer = await post().catch(async (error) => {
        await sleep(this.#clock, retryWaitFor(error), signal);
        return post();
      });
      return this.#read(recipient, answer, batch.length);
    } catch (error) {
      throw postTrouble(error, 'MODEL_FAILED');
    }
  }

  /** The vectors in the order of the texts. */
  #read(recipient: Recipient, answer: unknown, count: number): (Vector | null)[] {
    const data = isObject(answer) && Array.isArray(answer.data) ? (answer.data as unknown[]) : null;
    if (data === null) throw wrong(recipient, 'gave an answer without vectors');
    if (data.length !== count) throw wrong(recipient, `gave ${data.length} vectors for ${count} texts`);
    const vectors = new Map<unknown, Vector | null>();
    for (const [place, item] of data.entries()) {
      const { index = place, embedding } = isObject(item) ? item : {};
      vectors.set(index, this.#readVector(recipient, embedding));
    }
    return Array.from({ length: count }, (_, at) => {
      const vector = vectors.get(at);
      if (vector === undefined) throw wrong(recipient, `gave ${count} vectors, but none for text ${at + 1}`);
      return vector;
    });
  }

  #readVector(recipient: Recipient, embedding: unknown): Vector | null {
    const { dimensions } = this.#settings;
    if (!Array.isArray(embedding)) throw wrong(recipient, 'gave vectors that are not lists of numbers');
    if (embedding.length !== dimensions) {
      const what = `gave vectors of ${embedding.length} numbers, but search.embedding.dimensions is ${dimensions}`;
      throw wrong(recipient, what, 'Set "search.embedding.dimensions" to the length that the model has.');
    }
    if (!embedding.every(Number.isFinite)) throw wrong(recipient, 'gave vectors that hold something else than numbers');
    const padded = new Float64Array(this.width);
    padded.set(embedding);
    return toVector(padded);
  }
}

function wrong(recipient: Recipient, what: string, hint?: string): GatewayError {
  const advice = hint ?? 'Check "search.embedding.baseUrl" and "search.embedding.model".';
  return new GatewayError('MODEL_FAILED', `${recipientName(recipient)} ${what}.`, { hint: advice });
}

/** How long to wait before the second try; throws the error where none is made. */
function retryWaitFor(error: unknown): number {
  const isBusy = error instanceof PostError && (error.status === 429 || error.status >= 500);
  const waitMs = isBusy ? (error.retryAfterMs ?? retryWaitMs) : Number.POSITIVE_INFINITY;
  if (waitMs > longestRetryWaitMs) throw error;
  return waitMs;
}

function batchesOf(items: readonly Item[], dimensions: number): Item[][] {
  const mostTexts = Math.max(1, Math.min(batchLimits.texts, Math.floor(batchLimits.numbers / dimensions)));
  const batches: Item[][] = [];
  let batch: Item[] = [];
  let characters = 0;
  for (const item of items) {
    if (batch.length === mostTexts || characters + item.text.length > batchLimits.characters) {
      batches.push(batch);
      batch = [];
      characters = 0;
    }
    batch.push(item);
    characters += item.text.length;
  }
  return [...batches, batch];
}

/** So many at once; who has to wait is served in order. Each `embed` waits for few turns at a time, so that the queue stays short. */
class Turns {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async take<T>(act: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    try {
      return await act();
    } finally {
      // The turn goes straight to the next in line, so that nobody can slip in between.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        reject(signal.reason);
      };
      this.#waiting.push(turn);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }
}
