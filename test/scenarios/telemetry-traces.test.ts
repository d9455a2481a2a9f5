/** Traces by OpenTelemetry: from an agent through the gateway to a server, and what spans say. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { untilWaiting } from '../kit/approvals.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { askModern, RawSession } from '../kit/hand-made.ts';
import { type CollectedSpan, OtlpCollector } from '../kit/otlp-collector.ts';
import { hostServers, planServers } from '../kit/planned-servers.ts';
import { openServer } from '../servers/hosted.ts';
import type { OpenServer } from '../servers/launch.ts';
import type { Dict } from '../servers/rpc.ts';

const secret = 'canary-7f3a9b51c2';
const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const tools = [
  { name: 'show', description: 'Shows what it got.', runAs: 'arguments' },
  { name: 'strict', description: 'Takes a text.', inputSchema: text, runAs: 'echo' },
  { name: 'no', description: 'Refuses.', respond: { content: [{ type: 'text', text: secret }], isError: true } },
  { name: 'pay', description: 'Pays.', runAs: 'echo' },
];
const entry = { permissions: { pay: 'ask' } };
const prompts = [{ name: 'greet', text: 'Hello.' }];
const remote = hostServers({
  far: { tools, prompts, era: 'modern', entry },
  old: { tools, era: 'legacy' },
});
const local = planServers({ near: { tools, era: 'modern' } });

let collector: OtlpCollector;
let gateway: TestGateway;
let gone: OpenServer;
let next = 0;

before(async () => {
  collector = await OtlpCollector.open();
  gone = await openServer({ tools, era: 'modern' });
  gateway = await openTestGateway({
    servers: { ...remote.servers, ...local.servers, gone: { url: gone.url } },
    config: {
      telemetry: { otlpUrl: collector.url, intervalMs: 100 },
      access: { askBy: ['owner'], approvalWaitMs: 60_000 },
      connect: { maxRetries: 0 },
    },
  });
});
after(async () => {
  await gateway.close();
  await collector[Symbol.asyncDispose]();
});

/** A place in a trace of its own. */
function newParent(flags = '01') {
  next += 1;
  const traceId = `4bf92f3577b34da6a3ce929d${String(next).padStart(8, '0')}`;
  const spanId = '00f067aa0ba902b7';
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` };
}

const door = (surface = 'full') => `${gateway.url}/mcp?surface=${surface}`;

async function call(toolKey: string, args: Dict, meta: Dict = {}, headers: Record<string, string> = {}): Promise<Dict> {
  const params = { name: 'tool_execute', arguments: { toolKey, arguments: args } };
  const { message } = await askModern(door(), { ...gateway.agentHeaders, ...headers }, 'tools/call', params, { meta });
  return (message.result ?? message.error) as Dict;
}

function named(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const found = spans.filter((span) => span.name === name);
  assert.equal(found.length, 1, `${name} among ${spans.map((span) => span.name).join(', ')}`);
  return found[0] as CollectedSpan;
}

/** The `traceparent` header of the latest call that a server got. */
function headerAt(server: string): unknown {
  const latest = remote.noted(server, 'http').findLast(({ rpc }) => rpc === 'tools/call');
  return (latest?.headers as Dict | undefined)?.traceparent;
}

const metaOf = (result: Dict) => (result.structuredContent as { meta: Dict }).meta;

for (const server of ['near', 'far']) {
  test(`[OTEL-01] one trace goes from a modern agent to the modern server "${server}"`, async () => {
    const { traceId, spanId, traceparent } = newParent();
    const result = await call(`${server}:show`, {}, { traceparent, tracestate: 'vendor=1' });
    const spans = await collector.trace(traceId, 'tools/call tool_execute', 'execute_tool show', 'tools/call show');
    const [request, made, sent] = ['tools/call tool_execute', 'execute_tool show', 'tools/call show'].map((name) =>
      named(spans, name),
    ) as [CollectedSpan, CollectedSpan, CollectedSpan];
    assert.deepEqual([request.kind, made.kind, sent.kind], ['server', 'internal', 'client']);
    assert.deepEqual(
      [request.parentSpanId, made.parentSpanId, sent.parentSpanId],
      [spanId, request.spanId, made.spanId],
    );
    assert.ok(request.startNano <= sent.startNano && sent.endNano <= request.endNano);
    assert.ok(spans.every(({ isError, traceState }) => !isError && traceState === 'vendor=1'));
    const meta = metaOf(result);
    assert.deepEqual(
      [meta.traceparent, meta.tracestate],
      [`00-${traceId}-${sent.spanId}-01`, 'vendor=1'],
      'The server stands below the span of the gateway.',
    );
    const { attributes } = sent;
    assert.deepEqual(
      [attributes['mcp.method.name'], attributes['gen_ai.tool.name'], attributes['toolcrib.server']],
      ['tools/call', 'show', server],
    );
    assert.equal(attributes['network.transport'], server === 'near' ? 'pipe' : 'tcp');
    assert.equal(request.attributes['mcp.protocol.version'], '2026-07-28');
    if (server === 'far') assert.equal(headerAt(server), meta.traceparent);
  });
}

test('[OTEL-01] a legacy agent and a legacy server are in one trace too', async () => {
  const { traceId, spanId, traceparent } = newParent();
  const opening = newParent();
  const session = await RawSession.open(door('direct'), { ...gateway.agentHeaders, traceparent: opening.traceparent });
  const opened = named(await collector.trace(opening.traceId, 'initialize'), 'initialize');
  assert.equal(opened.attributes['mcp.session.id'], session.headers['mcp-session-id']);
  const params = { name: 'old.show', arguments: {}, _meta: { traceparent } };
  const { message } = await session.request('tools/call', params);
  const spans = await collector.trace(traceId, 'tools/call old.show', 'tools/call show');
  const request = named(spans, 'tools/call old.show');
  const sent = named(spans, 'tools/call show');
  assert.equal(request.parentSpanId, spanId);
  assert.equal(request.attributes['mcp.session.id'], session.headers['mcp-session-id']);
  assert.equal(metaOf(message.result as Dict).traceparent, `00-${traceId}-${sent.spanId}-01`);
  // Without a name for it in the message, the header tells.
  const other = newParent();
  const body = { jsonrpc: '2.0', id: 77, method: 'tools/call', params: { name: 'old.show', arguments: {} } };
  const bare = await session.send(body, { traceparent: other.traceparent });
  const below = await collector.trace(other.traceId, 'tools/call old.show', 'tools/call show');
  assert.equal(metaOf(bare.message.result as Dict).traceparent, undefined);
  assert.equal(headerAt('old'), `00-${other.traceId}-${named(below, 'tools/call show').spanId}-01`);
});

test('[OTEL-02] the message goes before the headers, and a malformed trace is none', async () => {
  const [inMessage, inHeader] = [newParent(), newParent()];
  await call('far:show', {}, { traceparent: inMessage.traceparent }, { traceparent: inHeader.traceparent });
  await collector.trace(inMessage.traceId, 'tools/call tool_execute');
  await call('far:show', {}, {}, { traceparent: inHeader.traceparent });
  await collector.trace(inHeader.traceId, 'tools/call tool_execute');
  for (const traceparent of [
    '00-0-0-01',
    `ff-${inMessage.traceId}-00f067aa0ba902b7-01`,
    7,
    `00-${'0'.repeat(32)}-a-01`,
  ]) {
    const given = metaOf(await call('far:show', {}, { traceparent })).traceparent;
    const [, traceId = ''] = /^00-([\da-f]{32})-[\da-f]{16}-01$/.exec(String(given)) ?? [];
    const spans = await collector.trace(traceId, 'tools/call tool_execute');
    const request = named(spans, 'tools/call tool_execute');
    assert.equal(request.parentSpanId, undefined);
    assert.equal(String(request.attributes['toolcrib.request.id']).replaceAll('-', ''), traceId);
  }
});

test('[OTEL-03] a trace that its agent does not sample is passed on and not recorded', async () => {
  const { traceId, traceparent } = newParent('00');
  const passed = String(metaOf(await call('far:show', {}, { traceparent })).traceparent);
  assert.match(passed, new RegExp(`^00-${traceId}-[\\da-f]{16}-00$`));
  assert.notEqual(passed, traceparent);
  const later = newParent();
  await call('far:show', {}, { traceparent: later.traceparent });
  await collector.trace(later.traceId, 'tools/call tool_execute');
  assert.deepEqual(
    collector.spans.filter((span) => span.traceId === traceId),
    [],
  );
});

test('[OTEL-04] a failed call says so, with the type of the error and the stage', async () => {
  const cases: readonly (readonly [tool: string, args: Dict, stage: string, type: string])[] = [
    ['far:strict', { txt: 1 }, 'validate', 'ARGUMENTS_INVALID'],
    ['far:no', {}, 'tools/call no', 'tool_error'],
  ];
  for (const [tool, args, stage, type] of cases) {
    const { traceId, traceparent } = newParent();
    await call(tool, args, { traceparent });
    const expected = ['tools/call tool_execute', `execute_tool ${tool.slice(4)}`, stage];
    const spans = await collector.trace(traceId, ...expected);
    for (const name of expected) {
      const { isError, attributes } = named(spans, name);
      assert.deepEqual([isError, attributes['error.type']], [true, type], `${tool}: ${name}`);
    }
  }
});

test('[OTEL-04] a call whose server cannot be reached fails in the link', async () => {
  await gone.stop();
  const { traceId, traceparent } = newParent();
  await call('gone:show', {}, { traceparent });
  const spans = await collector.trace(traceId, 'link', 'execute_tool show', 'tools/call tool_execute');
  // It is tried once more, because the server never saw the call.
  const failed = spans.filter(({ isError }) => isError);
  assert.deepEqual(new Set(failed.map(({ attributes }) => attributes['error.type'])), new Set(['SERVER_NOT_RUNNING']));
  for (const name of ['link', 'execute_tool show', 'tools/call tool_execute'])
    assert.ok(
      failed.some((span) => span.name === name),
      name,
    );
});

test('[OTEL-04] a call that waited for a person shows the wait', async () => {
  const { traceId, traceparent } = newParent();
  const paying = call('far:pay', { text: 'all' }, { traceparent });
  const [waiting] = await untilWaiting(gateway, 'agent');
  await gateway.gateway.admin.run('approvals.answer', { id: waiting?.id ?? '', answer: 'refuse' });
  await paying;
  const spans = await collector.trace(traceId, 'ask', 'execute_tool pay');
  const asked = named(spans, 'ask');
  assert.deepEqual([asked.isError, asked.attributes['error.type']], [true, 'ACCESS_DENIED']);
  assert.equal(asked.parentSpanId, named(spans, 'execute_tool pay').spanId);
  assert.deepEqual(
    spans.filter(({ kind }) => kind === 'client'),
    [],
  );
});

test('[OTEL-05] no argument, result, query or secret is in a span, and names are short', async () => {
  const { traceId, traceparent } = newParent();
  await call('far:show', { text: secret, password: secret }, { traceparent });
  await call('far:no', {}, { traceparent });
  await askModern(door(), gateway.agentHeaders, 'tools/call', { name: 'tool_discovery', arguments: { query: secret } });
  const long = `tc_0123456789abcdefABCDEF${'x'.repeat(5_000)}\u202e\n`;
  await askModern(door(), gateway.agentHeaders, 'tools/call', { name: long, arguments: {} }, { meta: { traceparent } });
  await askModern(door(), gateway.agentHeaders, 'resources/read', { uri: `x://${secret}` }, { meta: { traceparent } });
  await collector.trace(traceId, 'resources/read');
  assert.ok(!collector.text.includes(secret));
  assert.ok(!collector.text.includes('0123456789abcdefABCDEF'));
  for (const { name, attributes } of collector.spans) {
    assert.ok(name.length <= 128 && Object.keys(attributes).length <= 16, name);
    for (const value of Object.values(attributes)) assert.ok(String(value).length <= 128);
  }
});

test('[OTEL-12] searches, calls of a program and prompts are part of the trace', async () => {
  const [found, ran, asked] = [newParent(), newParent(), newParent()];
  const ask = (name: string, args: Dict, traceparent: string) =>
    askModern(door(), gateway.agentHeaders, 'tools/call', { name, arguments: args }, { meta: { traceparent } });
  await ask('tool_discovery', { query: 'shows what it got' }, found.traceparent);
  const search = named(await collector.trace(found.traceId, 'search', 'tools/call tool_discovery'), 'search');
  // By words alone, until the table of meanings is loaded.
  assert.match(String(search.attributes['toolcrib.search.mode']), /^(?:hybrid|bm25)$/);
  assert.ok(Number(search.attributes['toolcrib.search.results']) > 0);
  const code = 'await servers.far.show({}); await servers.near.show({}); return 1;';
  await ask('call_tool_chain', { code }, ran.traceparent);
  const spans = await collector.trace(
    ran.traceId,
    'tools/call call_tool_chain',
    'execute_tool show',
    'execute_tool show',
  );
  const made = spans.filter(({ name }) => name === 'execute_tool show');
  const request = named(spans, 'tools/call call_tool_chain');
  assert.deepEqual(
    made.map(({ parentSpanId, attributes }) => [parentSpanId, attributes['toolcrib.server']]),
    [
      [request.spanId, 'far'],
      [request.spanId, 'near'],
    ],
  );
  const url = `${gateway.url}/servers/far/mcp?names=plain`;
  const meta = { traceparent: asked.traceparent };
  await askModern(url, gateway.agentHeaders, 'prompts/get', { name: 'greet' }, { meta });
  const all = await collector.trace(asked.traceId, 'prompts/get greet', 'prompts/get greet');
  const both = all.filter(({ name }) => name === 'prompts/get greet');
  assert.deepEqual(both.map(({ kind }) => kind).sort(), ['client', 'server']);
});
