/** Data for OpenTelemetry: traces of requests and the metrics of /metrics, sent to a collector while `telemetry.otlpUrl` names one. This is the front of the folder. */

import { knownSecrets } from '../base/redact.ts';
import type { Signal } from '../base/signal.ts';
import { secretsOf } from '../config/config.ts';
import { Exporter, type ExporterOptions, type ExportFigures, type MetricsSource } from './exporter.ts';
import { Tracer } from './tracer.ts';

export type { ExportFigures } from './exporter.ts';
export { nanoseconds, otlpAttributes } from './otlp.ts';
export type { Span } from './span.ts';
export { type Tracer, targetOf } from './tracer.ts';

interface TelemetryOptions extends Omit<ExporterOptions, 'random'> {
  /** Another config is in use. */
  readonly changed: Pick<Signal<unknown>, 'on'>;
}

export class Telemetry {
  /** Undefined while nothing is traced. It is a plain field, so that a request pays one look at it. */
  tracer: Tracer | undefined;
  readonly #options: TelemetryOptions;
  readonly #exporter: Exporter;
  #stop: (() => void) | undefined;

  constructor(options: TelemetryOptions) {
    this.#options = options;
    this.#exporter = new Exporter({ ...options, random: Math.random });
  }

  get figures(): ExportFigures {
    return this.#exporter.figures;
  }

  /** Sends these metrics too, from now on. */
  useMetrics(metrics: MetricsSource): void {
    this.#exporter.useMetrics(metrics);
  }

  /** Follows the config from now on. */
  open(): void {
    this.#stop ??= this.#options.changed.on(() => this.#follow());
    this.#follow();
  }

  async close(): Promise<void> {
    this.#stop?.();
    this.tracer = undefined;
    await this.#exporter.close();
  }

  #follow(): void {
    const { clock, config } = this.#options;
    const { otlpUrl: url, headers } = config().telemetry;
    if (url === null) {
      this.tracer = undefined;
      return this.#exporter.discard();
    }
    knownSecrets.set('telemetry', secretsOf({ kind: 'http', url, headers }));
    this.#exporter.open();
    this.tracer ??= new Tracer({
      clock,
      ratio: () => config().telemetry.sampleRatio,
      take: (span) => this.#exporter.add(span),
    });
  }
}
