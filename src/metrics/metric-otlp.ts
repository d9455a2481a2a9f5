/** Figures in the JSON form of OTLP, the protocol of OpenTelemetry: under the names that Prometheus reads, so that both show the same. */

import type { Json, JsonObject } from '../base/json.ts';
import { nanoseconds, otlpAttributes } from '../telemetry/telemetry.ts';
import { Durations } from './call-counts.ts';
import type { Metric } from './metric-text.ts';

/** From the start of the count to now, in wall time. */
interface CountedTime {
  readonly startMs: number;
  readonly nowMs: number;
}

/** Counts go from the start on. */
const cumulative = 2;

export function metricOtlp(metrics: readonly Metric[], { startMs, nowMs }: CountedTime): Json[] {
  const counted = { startTimeUnixNano: nanoseconds(startMs), timeUnixNano: nanoseconds(nowMs) };
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, type, help, samples }) => {
      const dataPoints = samples.map(({ labels = {}, value }) => ({
        attributes: otlpAttributes(labels),
        ...(type === 'gauge' ? { timeUnixNano: counted.timeUnixNano } : counted),
        ...(value instanceof Durations ? bucketsOf(value) : { asDouble: value }),
      }));
      return { name, description: help, unit: unitOf(name), ...dataOf(type, dataPoints) };
    });
}

function dataOf(type: Metric['type'], dataPoints: readonly Json[]): JsonObject {
  if (type === 'gauge') return { gauge: { dataPoints } };
  if (type === 'histogram') return { histogram: { dataPoints, aggregationTemporality: cumulative } };
  return { sum: { dataPoints, aggregationTemporality: cumulative, isMonotonic: true } };
}

/** Each bucket by itself; the last bound is infinite and left unsaid. */
function bucketsOf(durations: Durations): JsonObject {
  const upTo = durations.upTo();
  return {
    count: String(upTo.at(-1)?.count ?? 0),
    sum: durations.sumSeconds,
    explicitBounds: upTo.slice(0, -1).map(({ bound }) => bound),
    bucketCounts: upTo.map(({ count }, at) => String(count - (upTo[at - 1]?.count ?? 0))),
  };
}

function unitOf(name: string): string {
  if (/_seconds(?:_total)?$/.test(name)) return 's';
  return name.endsWith('_bytes') ? 'By' : '1';
}
