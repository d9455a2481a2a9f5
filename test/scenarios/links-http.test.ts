/** Remote servers that refuse, vanish, forget us or send too much: each a clear error, and each heals by itself. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestGateway } from '../kit/gateway.ts';
import { ModernAgent, type ToolAnswer } from '../kit/modern-agent.ts';
import { eventually } from '../kit/processes.ts';
import { type RunningServer, type ServerSpec, startServer } from '../servers/launch.ts';

const quick = { connect: { maxRetries: 0 } };

/** The answer of a call if this is the whole config of the only server. */
async function callThrough(entry: Record<string, unknown>): Promise<{ answer: ToolAnswer; row: Row }> {
  await using gateway = await openTestGateway({ servers: { far: entry }, config: quick });
  const answer = await new ModernAgent(gateway, '/servers/far/mcp?names=plain').call('echo', { text: 'hello' });
  const [row] = await gateway.gateway.admin.run('servers.list', {});
  assert.ok(row);
  return { answer, row };
}

interface Row {
  readonly state: string;
  readonly lastError: string | null;
  readonly hint: string | null;
  readonly reason: string | null;
  readonly nextRetryAt: string | null;
}

async function refusing(status: number, headers: Record<string, string> = {}): Promise<RunningServer> {
  return startServer({ modes: { httpStatus: [{ status, times: 'always', headers }] } });
}

test('[LINK-12] a refused credential is named, with what to do', async () => {
  await using server = await startServer({ bearer: 'right' });
  const { answer, row } = await callThrough({ url: server.url, headers: { Authorization: 'Bearer wrong-secret' } });
  assert.match(row.lastError ?? '', /Server "far" refused our credential \(HTTP 401\)/);
  assert.equal(row.reason, 'credential');
  assert.match(row.hint ?? '', /"headers" in the config/);
  assert.ok(answer.isError && !JSON.stringify([answer.result, row]).includes('wrong-secret'));
});

test('[LINK-13] a busy server is left alone for as long as it asks', async () => {
  for (const [status, wait, leastMs, mostMs] of [
    [429, '20', 19_000, 20_500],
    [503, () => new Date(Date.now() + 60_000).toUTCString(), 1_500, 61_000],
    [429, '999999', 299_000, 300_500],
    [503, '-5', 5_000, 10_000],
    [503, 'soon', 5_000, 10_000],
  ] as const) {
    const value = typeof wait === 'string' ? wait : wait();
    await using server = await refusing(status, { 'Retry-After': value });
    const askedAt = Date.now();
    const { answer, row } = await callThrough({ url: server.url });
    assert.match(row.lastError ?? '', new RegExp(`Server "far" is busy \\(HTTP ${status}\\)`));
    const nextAt = Date.parse(row.nextRetryAt ?? '');
    // A date was named before the server was started, which may take its time.
    const least = typeof wait === 'string' ? leastMs : Date.parse(value) - askedAt - leastMs;
    const isThen = nextAt - askedAt > least && nextAt - Date.now() < mostMs;
    assert.ok(isThen, `${value}: next try ${nextAt - askedAt} ms after the call`);
    assert.ok(['RATE_LIMITED', 'CIRCUIT_OPEN'].includes(answer.errorType ?? ''), answer.text);
    assert.equal(server.journal().filter(({ event }) => event === 'http-status').length, 1, 'it was asked once');
  }
});

test('[LINK-14] a busy answer to a call is told and not retried', async () => {
  const step = { status: 429, times: 'always' as const, headers: { 'Retry-After': '7' }, rpc: 'tools/call' };
  await using server = await startServer({ modes: { httpStatus: [step] } });
  await using gateway = await openTestGateway({ servers: { far: { url: server.url } }, config: quick });
  const agent = new ModernAgent(gateway);
  await agent.tools();
  const answer = await agent.call('far.count');
  assert.equal(answer.errorType, 'RATE_LIMITED');
  assert.match(answer.text, /is busy \(HTTP 429\)\. It asks to wait 7 s\./);
  assert.equal(server.journal().filter(({ event }) => event === 'http-status').length, 1);
});

test('[LINK-15] a redirect is not followed, and the error says so', async () => {
  await using elsewhere = await startServer({});
  await using server = await refusing(307, { Location: elsewhere.url });
  const { row } = await callThrough({ url: server.url, headers: { Authorization: 'Bearer mine' } });
  assert.match(row.lastError ?? '', /answered with a redirect \(HTTP 307\), which is not followed/);
  assert.match(row.hint ?? '', /final URL/);
  assert.ok(!elsewhere.journal().some(({ event }) => event === 'http'), 'the other server heard nothing');
});

test('[LINK-16] a wrong path, a wrong port and a name that does not resolve each say which it is', async () => {
  await using server = await startServer({});
  const port = new URL(server.url).port;
  const wrongPath = await callThrough({ url: `http://127.0.0.1:${port}/nowhere` });
  assert.match(wrongPath.row.lastError ?? '', /refused to initialize: Not found/);
  assert.match(wrongPath.row.hint ?? '', /URL is that of its MCP endpoint/);
  await server.stop();
  const wrongPort = await callThrough({ url: server.url });
  assert.match(wrongPort.row.lastError ?? '', new RegExp(`refused the connection at http://127.0.0.1:${port}`));
  const noName = await callThrough({ url: 'http://no-such-host.invalid/mcp' });
  assert.match(noName.row.lastError ?? '', /the host name in http:\/\/no-such-host\.invalid does not resolve/);
  for (const { answer, row } of [wrongPath, wrongPort, noName]) {
    assert.ok(answer.isError && answer.text.includes('"far"'), answer.text);
    assert.equal(row.state, 'failed');
  }
});

for (const era of ['legacy', 'modern'] as const) {
  test(`[LINK-17] a remote server that was restarted is back on the next call, ${era}`, async () => {
    const first = await startServer({ name: 'far', era });
    const port = Number(new URL(first.url).port);
    await using gateway = await openTestGateway({ servers: { far: { url: first.url } } });
    const agent = new ModernAgent(gateway);
    await agent.tools();
    assert.equal(await agent.pidOf('far'), first.pid);
    await first.stop();
    const whileDown = agent.pidOf('far');
    await eventually('the gateway knows', async () => {
      const [row] = await gateway.gateway.admin.run('servers.list', {});
      return row?.state === 'connecting' && row.nextRetryAt !== null ? true : undefined;
    });
    await using second = await startServer({ name: 'far', era, port });
    assert.equal(await whileDown, second.pid, 'a call that reached nobody is sent once more');
    assert.equal(await agent.pidOf('far'), second.pid);
  });
}

test('[LINK-18] a session that the server forgot is opened anew, and no call is made twice', async () => {
  await using server = await startServer({ name: 'far', era: 'legacy', modes: { sessionLossAfter: 12 } });
  await using gateway = await openTestGateway({ servers: { far: { url: server.url } } });
  const agent = new ModernAgent(gateway);
  await agent.tools();
  const said: number[] = [];
  for (let turn = 0; turn < 12; turn += 1) said.push(Number(await agent.say('far.count')));
  assert.deepEqual(
    said,
    Array.from({ length: 12 }, (_, at) => at + 1),
  );
  assert.ok(server.journal().some(({ event }) => event === 'session-lost'));
  assert.equal(server.journal().filter(({ event }) => event === 'session-opened').length, 2);
});

test('[LINK-19] a server that was down is connected in the background, and its tools are announced', async () => {
  const spec: ServerSpec = { name: 'far', era: 'modern' };
  const first = await startServer(spec);
  await first.stop();
  await using gateway = await openTestGateway({ servers: { far: { url: first.url } }, config: quick });
  const agent = new ModernAgent(gateway);
  assert.ok(!(await agent.tools()).includes('far.echo'));
  await using listener = await agent.listen();
  await using second = await startServer({ ...spec, port: Number(new URL(first.url).port) });
  await listener.atLeast(1);
  assert.ok((await agent.tools()).includes('far.echo'));
  assert.equal(await agent.pidOf('far'), second.pid);
});

for (const how of ['end', 'destroy', 'mid-event'] as const) {
  test(`[LINK-20] a stream that breaks before its answer is one error, not a hang (${how})`, async () => {
    for (const era of ['legacy', 'modern'] as const) {
      await using server = await startServer({ era, responses: 'sse', modes: { closeStreamEarly: { how, count: 1 } } });
      await using gateway = await openTestGateway({ servers: { far: { url: server.url } } });
      const agent = new ModernAgent(gateway);
      await agent.tools();
      const answer = await agent.call('far.count');
      assert.equal(answer.errorType, 'SERVER_DISCONNECTED', `${era}: ${answer.text}`);
      assert.equal(await agent.say('far.read_count'), '1', 'it was called once');
    }
  });
}

test('[LINK-21] an answer that is too large fails that call alone, as JSON and as a stream', async () => {
  for (const responses of ['auto', 'sse'] as const) {
    await using server = await startServer({ era: 'modern', responses });
    await using gateway = await openTestGateway({ servers: { far: { url: server.url } } });
    const agent = new ModernAgent(gateway);
    await agent.tools();
    const beside = agent.say('far.nonce', { value: 'beside', delayMs: 300 });
    // Through the plain door a result has to pass whole; elsewhere it would be kept and cut.
    const plain = new ModernAgent(gateway, '/servers/far/mcp?names=plain');
    const answer = await plain.call('big', { bytes: 34 * 1024 * 1024 });
    assert.equal(answer.errorType, 'TOO_LARGE', answer.text.slice(0, 200));
    assert.match(answer.text, /"far"/);
    assert.equal(await beside, 'beside');
    assert.equal(await agent.say('far.echo', { text: 'still here' }), 'still here');
  }
});
