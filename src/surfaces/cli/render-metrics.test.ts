/** Tests of showing what was measured. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OutputOf, ToolFigures } from '../../admin/admin.ts';
import { duration, percent } from '../../base/amounts.ts';
import { readShare } from './commands/metrics.ts';
import type { CommandContext } from './context.ts';
import { renderDays, renderFigures, renderMetrics } from './render-metrics.ts';
import { renderUsage } from './render-usage.ts';
import { styleFor } from './style.ts';

const style = styleFor({ write() {} }, {});
const healthy = { waitingRows: 0, lostRows: 0 };
const noFailures = { arguments: 0, tool: 0, server: 0, timeout: 0, cancelled: 0, refused: 0 };

/** Only what the renderers look at. */
const context = { style, width: undefined } as CommandContext;

function figures(members: Partial<ToolFigures>): ToolFigures {
  return {
    toolKey: 'files:read',
    callCount: 0,
    successCount: 0,
    failures: noFailures,
    cachedCount: 0,
    successRate: null,
    latencyMs: { avg: null, p50: null, p95: null, p99: null },
    lastCalledAt: null,
    lastOkAt: null,
    failuresInARow: 0,
    lastError: null,
    ...members,
  };
}

const busy = figures({
  callCount: 1_204,
  successCount: 1_190,
  failures: { arguments: 4, tool: 6, server: 2, timeout: 1, cancelled: 1, refused: 0 },
  cachedCount: 100,
  successRate: 0.9925,
  latencyMs: { avg: 15.4, p50: 11.2, p95: 1_530, p99: 125_000 },
  lastCalledAt: '2026-08-31T10:11:12.345Z',
  lastOkAt: '2026-08-31T10:11:12.345Z',
  failuresInARow: 0,
  lastError: { at: '2026-08-30T01:02:03.000Z', errorType: 'TOOL_FAILED', message: 'No such\u001b[31m file.' },
});

test('tools stand in a table with the figures that matter', () => {
  const found = { tools: [busy, figures({ toolKey: 'a:b', callCount: 2 })], toolCount: 2, store: healthy };
  assert.equal(
    renderMetrics(found, context),
    [
      'TOOL        CALLS    OK    P50    P95  LAST ERROR',
      'files:read   1204  99 %  11 ms  1.5 s  No such[31m file.',
      'a:b             2     -      -      -',
      '',
      '2 tools.',
    ].join('\n'),
  );
});

test('omissions and unwritten records are stated', () => {
  const text = renderMetrics({ tools: [busy], toolCount: 240, store: { waitingRows: 3, lostRows: 1 } }, context);
  assert.match(text, /^1 of 240 tools\.$/m);
  assert.match(text, /^note: 3 calls still to be written, because the store refuses; 1 call lost, because it refused/m);
});

test('of one tool everything is said, with failures in words', () => {
  assert.equal(
    renderFigures(busy, healthy, style),
    [
      'files:read',
      '  calls         1204, 100 of them from the cache',
      '  succeeded     99 % (1190 of 1199)',
      '  failed        6  the tool said no',
      '                2  its server could not be reached, or died',
      '                1  it took too long',
      '  not counted   4  wrong arguments',
      '                1  cancelled by the agent',
      '  latency       p50 11 ms, p95 1.5 s, p99 2.1 min; 15 ms on average',
      '  last called   2026-08-31 10:11:12 UTC',
      '  last success  2026-08-31 10:11:12 UTC',
      '  last error    2026-08-30 01:02:03 UTC (TOOL_FAILED): No such[31m file.',
    ].join('\n'),
  );
});

test('a tool that nobody got through to is not called bad', () => {
  const tool = figures({ callCount: 2, failures: { ...noFailures, arguments: 2 }, failuresInARow: 0 });
  const text = renderFigures(tool, healthy, style);
  assert.match(text, /succeeded +no call says anything about it yet/);
  assert.match(text, /latency +no call has reached the server yet/);
  assert.match(text, /last success +never/);
});

test('the trend shows each day in proportion to the busiest, failures light', () => {
  const day = (name: string, ok: number, tool: number): OutputOf<'metrics.days'>[number] => ({
    day: name,
    callCount: ok + tool,
    outcomes: { ...noFailures, ok, tool },
    successRate: ok / (ok + tool),
    avgLatencyMs: 5,
    p50Ms: 5,
    p95Ms: 9,
    p99Ms: 9,
    cachedCount: 0,
  });
  const lines = renderDays([day('2026-08-29', 48, 0), day('2026-08-30', 12, 12), day('2026-08-31', 1, 0)], style);
  assert.deepEqual(lines.split('\n').slice(1), [
    `2026-08-29     48  100 %  5.0 ms  9.0 ms  ${'█'.repeat(24)}`,
    `2026-08-30     24   50 %  5.0 ms  9.0 ms  ${'█'.repeat(6)}${'░'.repeat(6)}`,
    '2026-08-31      1  100 %  5.0 ms  9.0 ms  █',
  ]);
  assert.equal(renderDays([], style), 'No calls in these days.');
});

test('an overview of usage is made of sentences, and leaves out what there is nothing of', () => {
  const tool = { toolKey: 'a:list', callCount: 3, successRate: 1, lastError: null };
  const overview = {
    topTools: [tool],
    failingTools: [],
    sequences: [
      { before: 'a:list', after: 'a:read', count: 13, share: 0.62 },
      { before: 'a:list', after: 'a:drop', count: 1, share: 0.05 },
    ],
    queries: [{ query: 'read\u0007 a file', toolKey: 'a:read', count: 3, ok: 2 }],
    suggestions: [{ failed: 'a:read', suggested: 'b:read', taken: 2, worked: 1 }],
  };
  assert.equal(
    renderUsage(overview, context),
    [
      'Most used',
      '  TOOL    CALLS     OK',
      '  a:list      3  100 %',
      '',
      'What follows what',
      '  after a:list, usually a:read (62 %, 13 times)',
      '  after a:list, sometimes a:drop (5 %, 1 time)',
      '',
      'Tools called after a search',
      '  "read\\u0007 a file": a:read 3 times, worked 2 times',
      '',
      'Alternatives that were taken',
      '  instead of a:read: b:read 2 times, worked 1 time',
    ].join('\n'),
  );
  const nothing = { topTools: [], failingTools: [], sequences: [], queries: [], suggestions: [] };
  assert.match(renderUsage(nothing, context), /^No tool was called yet\./);
});

test('a share is never rounded to all or nothing', () => {
  assert.deepEqual([null, 0, 0.001, 0.5, 0.999, 1].map(percent), ['-', '0 %', '<1 %', '50 %', '>99 %', '100 %']);
});

test('a duration has the unit that fits', () => {
  const shown = [null, 0.04, 9.94, 9.96, 11.2, 999.4, 999.6, 99_000, 150_000].map(duration);
  assert.deepEqual(shown, ['-', '0.0 ms', '9.9 ms', '10 ms', '11 ms', '999 ms', '1.0 s', '99.0 s', '2.5 min']);
});

test('a rate on the line is a number from 0 to 1', () => {
  assert.deepEqual(
    ['0', '.5', '0.25', '1', undefined].map((text) => readShare('x', text)),
    [0, 0.5, 0.25, 1, undefined],
  );
  for (const wrong of ['50', '1.1', '-1', 'half', '', '50%', '1e-1']) {
    assert.throws(() => readShare('failing-below', wrong), /--failing-below must be a number from 0 to 1/);
  }
});
