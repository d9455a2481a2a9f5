/** The text format of Prometheus, and the parser that the tests check it with. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetricLines } from '../../test/kit/metric-lines.ts';
import { Durations } from './call-counts.ts';
import { metricText } from './metric-text.ts';

test('the page has the lines that Prometheus expects', () => {
  const durations = new Durations();
  for (const ms of [0.5, 1, 70_000]) durations.add(ms);
  const text = metricText([
    { name: 'a_total', type: 'counter', help: 'All.', samples: [{ labels: { tool: 'a"b\\c\nd' }, value: 3 }] },
    { name: 'b', type: 'gauge', help: 'None yet.', samples: [] },
    { name: 'c_seconds', type: 'histogram', help: 'Times.', samples: [{ value: durations }] },
  ]);
  assert.equal(
    text.split('\n').slice(0, 6).join('\n'),
    [
      '# HELP a_total All.',
      '# TYPE a_total counter',
      'a_total{tool="a\\"b\\\\c\\nd"} 3',
      '# HELP b None yet.',
      '# TYPE b gauge',
      '# HELP c_seconds Times.',
    ].join('\n'),
  );
  assert.match(
    text,
    /c_seconds_bucket\{le="0\.001"\} 2\n.*c_seconds_bucket\{le="60"\} 2\nc_seconds_bucket\{le="\+Inf"\} 3\n/s,
  );
  assert.ok(text.endsWith('c_seconds_sum 70.0015\nc_seconds_count 3\n'));
  const page = new MetricLines(text);
  assert.equal(page.value('a_total', { tool: 'a"b\\c\nd' }), 3);
});

test('the parser of the tests refuses what Prometheus would', () => {
  const head = '# HELP a A.\n# TYPE a gauge\n';
  assert.equal(new MetricLines(`${head}a 1\n`).value('a'), 1);
  const wrong = ['a 1', 'b 1\n', 'a{x="1} 1\n', 'a{x="a\nb"} 1\n', 'a{x="\\x"} 1\n', 'a one\n', 'a 1\na 1\n', '\n'];
  for (const line of [...wrong, 'a{x="1",x="2"} 1\n', 'a{x="1",} 1\n', `a 1\n${head}`])
    assert.throws(() => new MetricLines(head + line), assert.AssertionError, line);
  const histogram = '# HELP h H.\n# TYPE h histogram\n';
  assert.throws(() => new MetricLines(`${histogram}h_bucket{le="+Inf"} 1\nh_sum 1\nh_count 2\n`));
});
