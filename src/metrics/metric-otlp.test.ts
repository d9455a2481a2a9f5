/** Figures in the form of OTLP. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Durations, durationBuckets } from './call-counts.ts';
import { metricOtlp } from './metric-otlp.ts';

const time = { startMs: 1_000, nowMs: 61_000 };
const counted = { startTimeUnixNano: '1000000000', timeUnixNano: '61000000000' };

test('a counter is a sum since the start, a gauge a value of now', () => {
  const labels = { server: 'one' };
  const attributes = [{ key: 'server', value: { stringValue: 'one' } }];
  const metrics = metricOtlp(
    [
      { name: 'toolcrib_calls_total', type: 'counter', help: 'Calls.', samples: [{ labels, value: 3 }] },
      { name: 'process_resident_memory_bytes', type: 'gauge', help: 'Memory.', samples: [{ value: 5 }] },
      { name: 'toolcrib_never', type: 'gauge', help: 'Nothing.', samples: [] },
    ],
    time,
  );
  const sum = { dataPoints: [{ attributes, ...counted, asDouble: 3 }], aggregationTemporality: 2, isMonotonic: true };
  const gauge = { dataPoints: [{ attributes: [], timeUnixNano: counted.timeUnixNano, asDouble: 5 }] };
  assert.deepEqual(metrics, [
    { name: 'toolcrib_calls_total', description: 'Calls.', unit: '1', sum },
    { name: 'process_resident_memory_bytes', description: 'Memory.', unit: 'By', gauge },
  ]);
});

test('durations are a histogram whose buckets add up to its count', () => {
  const value = new Durations();
  for (const ms of [0.5, 3, 3, 90_000]) value.add(ms);
  const [metric] = metricOtlp(
    [{ name: 'toolcrib_call_duration_seconds', type: 'histogram', help: 'Time.', samples: [{ value }] }],
    time,
  );
  const bucketCounts = ['1', '2', ...Array.from({ length: durationBuckets.length - 2 }, () => '0'), '1'];
  const point = { attributes: [], ...counted, count: '4', sum: value.sumSeconds };
  const dataPoints = [{ ...point, explicitBounds: [...durationBuckets], bucketCounts }];
  assert.deepEqual(metric, {
    name: 'toolcrib_call_duration_seconds',
    description: 'Time.',
    unit: 's',
    histogram: { dataPoints, aggregationTemporality: 2 },
  });
});
