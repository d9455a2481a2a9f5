/** The way of traces and metrics to an OpenTelemetry collector: which are sent, when it fails, and when it is switched on. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { askModern, RawSession } from '../kit/hand-made.ts';
import { MetricLines } from '../kit/metric-lines.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { OtlpCollector } from '../kit/otlp-collector.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { eventually } from '../kit/processes.ts';
import { openServer } from '../servers/hosted.ts';
import type { Dict } from '../servers/rpc.ts';

const plan = hostServers({ one: { era: 'modern', tools: [{ name: 'show', runAs: 'arguments' }] } });
const quick = 100;
const never = 3_600_000;

function openWith(telemetry: Dict): Promise<TestGateway> {
  return openTestGateway({ servers: plan.servers, config: { telemetry } });
}

/** Calls the tool; gives the `traceparent` that the server got. */
async function show(gateway: TestGateway, meta: Dict = {}): Promise<string | undefined> {
  const params = { name: 'one.show', arguments: {} };
  const url = `${gateway.url}/mcp?surface=direct`;
  const { message } = await askModern(url, gateway.agentHeaders, 'tools/call', params, { meta });
  const result = message.result as Dict;
  assert.equal(result.isError, undefined, JSON.stringify(message));
  return (result.structuredContent as { meta: { traceparent?: string } }).meta.traceparent;
}

async function page(gateway: TestGateway): Promise<MetricLines> {
  return new MetricLines(await (await fetch(`${gateway.url}/metrics`, { headers: gateway.ownerHeaders })).text());
}

const warnings = ({ logged }: TestGateway) =>
  logged.filter((line) => line.includes('"level":"warn"') && line.includes('OpenTelemetry'));

test('[OTEL-03] without a trace of its own a request is sampled by the ratio, and the server is told', async () => {
  await using collector = await OtlpCollector.open();
  await using gateway = await openWith({ otlpUrl: collector.url, intervalMs: quick, sampleRatio: 0 });
  assert.match((await show(gateway)) ?? '', /^00-[\da-f]{32}-[\da-f]{16}-00$/);
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  await show(gateway, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
  const spans = await collector.trace(traceId, 'tools/call one.show');
  assert.deepEqual(
    collector.spans.filter((span) => !spans.includes(span)),
    [],
  );
});

test('[OTEL-06] a dead collector loses no call and causes one warning; spans beyond the queue are counted', async () => {
  const closed = await OtlpCollector.open();
  const { url, port } = closed;
  await closed[Symbol.asyncDispose]();
  await using gateway = await openWith({ otlpUrl: url, intervalMs: quick });
  const session = await RawSession.open(`${gateway.url}/mcp`, gateway.agentHeaders, { version: '2025-03-26' });
  for (let batch = 0; batch < 42; batch += 1) {
    const pings = Array.from({ length: 50 }, (_, at) => ({ jsonrpc: '2.0', id: at, method: 'ping' }));
    assert.equal((await session.send(pings)).status, 200);
  }
  await show(gateway);
  const { dropped, sent } = await counts(gateway);
  assert.ok(dropped > 0 && sent === 0, `${dropped} dropped, ${sent} sent`);
  const retries = () => gateway.logged.filter((line) => line.includes('OpenTelemetry data could not be sent"'));
  await eventually('further tries', () => retries()[1]);
  assert.equal(warnings(gateway).length, 1, warnings(gateway).join(''));
  await using collector = await OtlpCollector.open(port);
  await eventually('the rest is sent', async () => ((await counts(gateway)).sent >= 2_048 ? true : undefined));
  assert.ok(collector.spans.length >= 2_048);
  assert.equal(warnings(gateway).length, 1);
});

async function counts(gateway: TestGateway): Promise<{ readonly sent: number; readonly dropped: number }> {
  const now = await page(gateway);
  const read = (name: string) => now.value(`toolcrib_spans_${name}_total`) ?? Number.NaN;
  return { sent: read('sent'), dropped: read('dropped') };
}

test('[OTEL-06] a collector that never answers delays neither calls nor the end of the gateway for long', async () => {
  await using collector = await OtlpCollector.open();
  collector.answer = () => {};
  await using gateway = await openWith({ otlpUrl: collector.url, intervalMs: quick });
  await eventually('the collector is asked', () => (collector.requests > 0 ? true : undefined));
  for (let call = 0; call < 20; call += 1) await show(gateway);
  await gateway.close();
});

test('[OTEL-06] spans that a collector refuses are counted as dropped', async () => {
  await using collector = await OtlpCollector.open();
  collector.answer = (response) => response.writeHead(400).end();
  await using gateway = await openWith({ otlpUrl: collector.url, intervalMs: quick });
  await show(gateway);
  await eventually('they are dropped', async () => ((await counts(gateway)).dropped >= 3 ? true : undefined));
  assert.match(warnings(gateway).join(''), /The OpenTelemetry collector at 127\.0\.0\.1:\d+ answered HTTP 400/);
});

test('[OTEL-07] a collector that is busy gets the same spans later, each once', async () => {
  await using collector = await OtlpCollector.open();
  collector.answer = (response) => {
    collector.answer = undefined;
    response.writeHead(503, { 'retry-after': '1' }).end();
  };
  await using gateway = await openWith({ otlpUrl: collector.url, intervalMs: quick });
  await eventually('the collector is asked', () => (collector.requests > 0 ? true : undefined));
  const [, traceId = ''] = ((await show(gateway)) ?? '').split('-');
  const spans = await collector.trace(traceId, 'tools/call one.show', 'tools/call show');
  assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length);
  await eventually('it is told', () => gateway.logged.find((line) => line.includes('collector works again')));
});

test('[OTEL-07] an orderly end sends the spans and metrics that wait', async () => {
  await using collector = await OtlpCollector.open();
  await using gateway = await openWith({ otlpUrl: collector.url, intervalMs: never });
  const [, traceId = ''] = ((await show(gateway)) ?? '').split('-');
  assert.equal(collector.requests, 0);
  await gateway.close();
  await collector.trace(traceId, 'tools/call one.show', 'tools/call show');
  assert.ok(collector.points.some(({ metric, value }) => metric === 'toolcrib_calls_total' && value === 1));
});

test('[OTEL-08] headers may refer to secrets, which appear nowhere else', async () => {
  await using collector = await OtlpCollector.open();
  const headers = { Authorization: `Bearer \${secret:COLLECTOR}`, 'X-Team': 'tools' };
  await using gateway = await openWith({ otlpUrl: collector.url, intervalMs: quick, headers });
  const { admin, facts } = gateway.gateway;
  assert.match(
    facts.configWarnings.join('\n'),
    /"telemetry\.headers\.Authorization" refers to the secret COLLECTOR, which is not set; set it: toolcrib secret set COLLECTOR/,
  );
  const listed = async () =>
    (await admin.run('secrets.list', {})).map(({ name, state, usedBy }) => [name, state, usedBy]);
  assert.deepEqual(await listed(), [['COLLECTOR', 'missing', ['telemetry.headers']]]);
  const latest = () => collector.headers.at(-1);
  await eventually('it is sent without the header', () => latest());
  assert.deepEqual([latest()?.authorization, latest()?.['x-team']], [undefined, 'tools']);
  const value = 'collector-key-4711';
  await admin.run('secrets.set', { name: 'COLLECTOR', value });
  await eventually('the header is sent', () => (latest()?.authorization === `Bearer ${value}` ? true : undefined));
  assert.deepEqual(gateway.gateway.facts.configWarnings, []);
  collector.answer = (response) => response.writeHead(401).end(JSON.stringify({ message: `bad key ${value}` }));
  await eventually('it is refused', () => warnings(gateway)[0]);
  assert.ok(!gateway.logged.join('').includes(value) && !collector.text.includes(value));
  collector.answer = undefined;
  assert.deepEqual(await listed(), [['COLLECTOR', 'set', ['telemetry.headers']]]);
  await assert.rejects(admin.run('secrets.remove', { name: 'COLLECTOR' }), /in use by telemetry\.headers and was kept/);
  await admin.run('secrets.remove', { name: 'COLLECTOR', force: true });
  await eventually('the header is gone', () => (latest()?.authorization === undefined ? true : undefined));
});

test('[OTEL-09] the collector gets what /metrics shows', async () => {
  await using collector = await OtlpCollector.open();
  await using gateway = await openWith({ otlpUrl: collector.url, intervalMs: quick });
  for (let call = 0; call < 3; call += 1) await show(gateway);
  await new ModernAgent(gateway, '/mcp?surface=search').call('tool_discovery', { query: 'show' });
  const now = await page(gateway);
  const amount = (metric: string) => collector.points.find((point) => point.metric === metric)?.value;
  await eventually('the search is reported', () =>
    amount('toolcrib_search_duration_seconds') === 1 ? true : undefined,
  );
  assert.equal(amount('toolcrib_calls_total'), 3);
  assert.equal(amount('toolcrib_call_duration_seconds'), 3);
  assert.deepEqual(new Set(collector.points.map(({ metric }) => metric)), new Set(now.types.keys()));
  const shown = now.all('toolcrib_servers').map(({ labels, value }) => [labels.state, value]);
  const sent = collector.points.filter(({ metric }) => metric === 'toolcrib_servers');
  assert.deepEqual(
    sent.map(({ labels, value }) => [labels.state, value]),
    shown,
  );
});

test('[OTEL-10] lines of the log name the request and its trace, also while nothing is traced', async () => {
  await using collector = await OtlpCollector.open();
  for (const otlpUrl of [null, collector.url]) {
    const gone = await openServer({ era: 'modern', tools: [{ name: 'show', runAs: 'arguments' }] });
    const config = { telemetry: { otlpUrl }, connect: { maxRetries: 0 } };
    await using gateway = await openTestGateway({ servers: { gone: { url: gone.url } }, config });
    await gone.stop();
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { ...gateway.agentHeaders, traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const url = `${gateway.url}/mcp?surface=direct`;
    const { headers: answered } = await askModern(url, headers, 'tools/call', { name: 'gone.show', arguments: {} });
    const lines = gateway.logged
      .map((line) => JSON.parse(line) as Dict)
      .filter(({ event }) => event === 'A link failed');
    assert.ok(lines.length > 0);
    for (const line of lines) assert.deepEqual([line.requestId, line.traceId], [answered.get('x-request-id'), traceId]);
  }
});

test('[OTEL-11] an edit of the config switches it on and off; off, nothing is sent and messages pass unchanged', async () => {
  await using collector = await OtlpCollector.open();
  await using gateway = await openWith({});
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const edit = (telemetry: Dict) =>
    writeFile(gateway.configFile, JSON.stringify({ telemetry, access: { keyring: 'off' }, mcpServers: plan.servers }));
  const isPassed = async () => (await show(gateway, { traceparent })) === traceparent;
  assert.deepEqual([await show(gateway), await isPassed()], [undefined, true]);
  await edit({ otlpUrl: collector.url, intervalMs: quick });
  await eventually('calls are traced', async () => ((await isPassed()) ? undefined : true));
  await eventually('spans come', () => collector.spans[0]);
  await edit({});
  await eventually('calls are traced no more', async () => ((await isPassed()) ? true : undefined));
  const late = '5bf92f3577b34da6a3ce929d0e0e4736';
  await show(gateway, { traceparent: `00-${late}-00f067aa0ba902b7-01` });
  await gateway.close();
  assert.ok(!collector.text.includes(late));
});
