/** Sends spans and metrics to an OpenTelemetry collector by OTLP/HTTP in JSON: in batches, in the background, from a bounded queue. */

import type { Clock, Timer } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { randomId } from '../base/ids.ts';
import { isObject, type Json, type JsonObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import { PostError, postJson, urlBelow } from '../base/post-json.ts';
import type { Config } from '../config/config.ts';
import { metricsAsOtlp, resourceOf, spansAsOtlp } from './otlp.ts';
import type { EndedSpan } from './span.ts';

export interface ExporterOptions {
  readonly config: () => Pick<Config, 'telemetry' | 'access'>;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to 1, to spread the tries of several gateways. */
  readonly random: () => number;
}

/** Metrics as they are now, each in the form of OTLP. */
export type MetricsSource = () => readonly Json[];

export interface ExportFigures {
  readonly sent: number;
  /** Spans that were lost: the queue was full, or the collector refused them. */
  readonly dropped: number;
}

/** Spans that wait, and those of one request: more would keep calls waiting while they are written as JSON. */
const most = { waiting: 2_048, batch: 256 };
/** Time for one request, and at the end of the gateway for all together. */
const timesMs = { request: 10_000, lastWords: 3_000 };
/** Pauses after failures double from the first to the longest; a collector may name a longer one. */
const pausesMs = { first: 1_000, longest: 30_000, longestNamed: 300_000 };
const answerBytes = 65_536;
/** Statuses that say "later" (OTLP); every other refusal is final for its batch. */
const laterStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export class Exporter {
  readonly #options: ExporterOptions;
  readonly #resource = resourceOf(randomId());
  readonly #waiting: EndedSpan[] = [];
  #metrics: MetricsSource = () => [];
  #timer: Timer | undefined;
  #sending: Promise<void> | undefined;
  /** When the next report is due, in monotonic time: all spans that wait, and the metrics. */
  #reportAt = 0;
  /** Tries in a row that failed, and the pause before the next. */
  #failures = 0;
  #pauseMs: number | undefined;
  #sent = 0;
  #dropped = 0;
  /** Undefined while it is closed. */
  #ending: AbortController | undefined;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  get figures(): ExportFigures {
    return { sent: this.#sent, dropped: this.#dropped };
  }

  useMetrics(metrics: MetricsSource): void {
    this.#metrics = metrics;
  }

  add(span: EndedSpan): void {
    if (this.#waiting.length >= most.waiting) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(span);
    // While the collector fails, a full batch is no reason to ask it sooner.
    if (this.#waiting.length === most.batch && this.#failures === 0 && !this.#sending) this.#sendIn(0);
  }

  /** Idempotent. */
  open(): void {
    if (this.#ending) return;
    this.#ending = new AbortController();
    this.#nextReport();
    this.#sendIn(this.#waitMs);
  }

  /** Sends what waits, within a short time; the rest is dropped. */
  async close(): Promise<void> {
    const ending = this.#ending;
    if (!ending) return;
    this.#ending = undefined;
    this.#timer?.cancel();
    const timer = this.#options.clock.after(timesMs.lastWords, () => ending.abort(closed));
    await this.#sending;
    // A collector that failed just now is not asked again: nobody could wait for it.
    this.#reportAt = 0;
    if (this.#failures === 0) await this.#try(ending.signal);
    timer.cancel();
    this.discard();
  }

  /** Ends the export and drops what waits. */
  discard(): void {
    this.#timer?.cancel();
    this.#ending?.abort(closed);
    this.#ending = undefined;
    this.#failures = 0;
    this.#pauseMs = undefined;
    this.#dropped += this.#waiting.splice(0).length;
  }

  #sendIn(ms: number): void {
    const ending = this.#ending;
    if (!ending) return;
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(ms, () => {
      this.#sending = this.#try(ending.signal).finally(() => {
        this.#sending = undefined;
        if (this.#ending === ending) this.#sendIn(this.#pauseMs ?? this.#waitMs);
      });
    });
  }

  /** A batch that filled up meanwhile is sent at once. */
  get #waitMs(): number {
    return this.#waiting.length >= most.batch ? 0 : Math.max(0, this.#reportAt - this.#options.clock.elapsed());
  }

  #nextReport(): void {
    const { clock, config } = this.#options;
    this.#reportAt = clock.elapsed() + config().telemetry.intervalMs;
  }

  async #try(signal: AbortSignal): Promise<void> {
    try {
      // Spans that come meanwhile wait for the next time, or each would be a request of its own.
      for (let left = this.#waiting.length; left > 0; left -= most.batch)
        await this.#sendBatch(this.#waiting.slice(0, Math.min(left, most.batch)), signal);
      if (this.#reportAt <= this.#options.clock.elapsed()) await this.#sendMetrics(signal);
    } catch (error) {
      return this.#noteFailure(error);
    }
    if (this.#failures > 0) {
      this.#options.log.info('The OpenTelemetry collector works again', { droppedSpans: this.#dropped });
    }
    this.#failures = 0;
    this.#pauseMs = undefined;
  }

  async #sendMetrics(signal: AbortSignal): Promise<void> {
    const metrics = this.#metrics();
    if (metrics.length > 0) await this.#post('v1/metrics', metricsAsOtlp(metrics, this.#resource), signal);
    this.#nextReport();
  }

  async #sendBatch(batch: readonly EndedSpan[], signal: AbortSignal): Promise<void> {
    const body = spansAsOtlp(batch, this.#resource, this.#options.clock);
    try {
      const answer = await this.#post('v1/traces', body, signal);
      this.#settle(batch.length, Math.min(refusedIn(answer), batch.length));
    } catch (error) {
      if (isFinal(error)) this.#settle(batch.length, batch.length);
      throw error;
    }
  }

  /** The first spans that wait are done with. */
  #settle(count: number, refused: number): void {
    this.#waiting.splice(0, count);
    this.#sent += count - refused;
    this.#dropped += refused;
  }

  async #post(path: string, body: JsonObject, signal: AbortSignal): Promise<unknown> {
    const { clock, config } = this.#options;
    const { telemetry, access } = config();
    // Switched off meanwhile.
    if (telemetry.otlpUrl === null) throw closed;
    const url = urlBelow(telemetry.otlpUrl, path);
    const recipient = {
      name: 'The OpenTelemetry collector',
      url,
      setting: 'telemetry.otlpUrl',
      headers: telemetry.headers,
    };
    const privateHosts = () => access.privateHosts;
    const limits = { clock, signal, timeoutMs: timesMs.request, maxBytes: answerBytes, privateHosts };
    return postJson(recipient, body, limits).catch((error) => {
      // It took the data, and some collectors say so with an empty answer.
      if (error instanceof PostError && error.kind === 'not-json') return {};
      throw error;
    });
  }

  /** The first failure in a row is told; the others are only counted. */
  #noteFailure(error: unknown): void {
    const { log, random } = this.#options;
    if (error === closed) return;
    this.#failures += 1;
    const named = error instanceof PostError ? error.retryAfterMs : undefined;
    const grown = Math.min(pausesMs.first * 2 ** (this.#failures - 1), pausesMs.longest);
    this.#pauseMs = Math.max(grown * (0.5 + random() / 2), Math.min(named ?? 0, pausesMs.longestNamed));
    const hint = error instanceof PostError ? { hint: error.hint } : {};
    if (this.#failures > 1) log.debug('OpenTelemetry data could not be sent', { error: messageOf(error) });
    else log.warn('OpenTelemetry data could not be sent; Toolcrib tries again', { error: messageOf(error), ...hint });
  }
}

const closed = new Error('The export of OpenTelemetry data has ended.');

/** True where the same batch would be refused again. */
function isFinal(error: unknown): boolean {
  return error instanceof PostError && error.kind === 'status' && !laterStatuses.has(error.status);
}

/** The spans that a collector took the others without. */
function refusedIn(answer: unknown): number {
  const partial = isObject(answer) && isObject(answer.partialSuccess) ? answer.partialSuccess : {};
  const count = Number(partial.rejectedSpans ?? 0);
  return Number.isFinite(count) && count > 0 ? count : 0;
}
