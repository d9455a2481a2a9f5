/** Proves that each fault mode of the test server does what its name says, and nothing else. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { hostedServer } from './hosted.ts';
import { readJournal, startServer, waitForEntry } from './launch.ts';
import { postModern, RawClient } from './raw-client.ts';
import type { Dict, Message } from './rpc.ts';
import { connect } from './sdk-clients.ts';
import { type Modes, parseSpec, type ServerSpec } from './spec.ts';
import { splitting } from './stdio-writer.ts';

/** A legacy stdio server with these modes, after the handshake. */
async function open(modes: Modes, more: ServerSpec = {}): Promise<RawClient> {
  const client = new RawClient({ name: 'faulty', ...more, modes });
  await client.open();
  return client;
}

const echo = { name: 'echo', arguments: { text: 'naïve 日本語 🙂' } };

function said(answer: Message): unknown {
  return (answer.result as { content: { text: string }[] }).content[0]?.text;
}

function toolsOf(answer: Message): string[] {
  return (answer.result as { tools: { name: string }[] }).tools.map(({ name }) => name);
}

test('a misspelt key, mode or transport is refused', () => {
  assert.throws(() => parseSpec({ toolz: [] } as ServerSpec), /Unknown key "toolz"/);
  assert.throws(() => parseSpec({ modes: { crashMidcall: true } as Modes }), /Unknown mode "crashMidcall"/);
  assert.throws(() => parseSpec({ transport: 'http', modes: { junkStdout: true } }), /means nothing over http/);
});

test('the last progress report leaves in one write with the answer', async () => {
  await using client = await open({});
  const params = { name: 'progress', arguments: { steps: 3 }, _meta: { progressToken: 'tok' } };
  const answer = await client.request('tools/call', params);
  const reports = client.messages.filter(({ method }) => method === 'notifications/progress');
  assert.deepEqual(
    reports.map(({ params }) => params?.progress),
    [1, 2, 3],
  );
  const last = client.chunks.find((chunk) => chunk.includes('"progress":3'));
  assert.ok(last?.includes(JSON.stringify(answer)));
});

test('split writes cut inside characters and lose nothing', async () => {
  const slices: Buffer[] = [];
  const { promise: isDone, resolve: done } = Promise.withResolvers<void>();
  const write = (bytes: Buffer) => {
    slices.push(bytes);
    if (Buffer.concat(slices).length === 12) done();
  };
  const sink = splitting({ write, flush: () => {} }, 2, 0);
  sink.write(Buffer.from('日本'));
  sink.write(Buffer.from('語語'));
  await isDone;
  assert.deepEqual(
    slices.map(({ length }) => length),
    [2, 2, 2, 2, 2, 2],
  );
  assert.equal(Buffer.concat(slices).toString(), '日本語語');
  await using client = await open({ splitWrites: { bytes: 5, delayMs: 0 } });
  assert.equal(said(await client.request('tools/call', echo)), echo.arguments.text);
});

test('junk, odd messages, pairs and splits together still carry every valid message', async () => {
  const modes: Modes = { junkStdout: true, oddMessages: true, twoMessagesPerWrite: true, splitWrites: { bytes: 4096 } };
  await using client = await open(modes);
  const turns = Array.from({ length: 12 }, (_, turn) => `turn ${turn}`);
  const answers = turns.map((text) => client.request('tools/call', { name: 'echo', arguments: { text } }));
  assert.deepEqual((await Promise.all(answers)).map(said), turns);
  const bytes = Buffer.concat(client.chunks);
  assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf]);
  for (const litter of ['npm warn', 'zzzzzzzz', '"level":30', '\r\n']) assert.ok(bytes.includes(litter), litter);
  assert.ok(bytes.includes(Buffer.from([0xc3, 0x28, 0xff])));
});

test('two messages per write: a lone one gets company', async () => {
  await using client = await open({ twoMessagesPerWrite: true });
  const pong = await client.request('ping');
  const chunk = client.chunks.find((bytes) => bytes.includes(JSON.stringify(pong)));
  assert.ok(chunk?.includes('companion'));
});

for (const kind of ['v2 legacy', 'v2 modern', 'v1'] as const) {
  for (const transport of ['stdio', 'http'] as const) {
    test(`odd messages are legal: the ${kind} client lives with them over ${transport}`, async () => {
      const era = kind === 'v2 modern' ? 'modern' : 'legacy';
      await using connected = await connect(kind, { transport, era, modes: { oddMessages: true } });
      const result = await connected.client.callTool(echo);
      assert.deepEqual(result.content, [{ type: 'text', text: echo.arguments.text }]);
      if (era === 'legacy') await waitForEntry(connected.journalPath, ({ id }) => String(id).startsWith('ping-'));
    });
  }
}

test('half a JSON text, then the end', async () => {
  await using client = await open({ halfJsonThenExit: 1 });
  assert.equal(said(await client.request('tools/call', echo)), echo.arguments.text);
  client.ask('tools/call', echo);
  assert.equal(await client.exited, 1);
  const last = Buffer.concat(client.chunks).toString().split('\n').at(-1) ?? '';
  assert.match(last, /^\{"jsonrpc":"2\.0","id":3,/);
  assert.throws(() => JSON.parse(last));
});

test('a crash in the middle of a call happens after the side effect', async () => {
  await using client = await open({ crashMidCall: 2 });
  for (const expected of ['1', '2']) {
    assert.equal(said(await client.request('tools/call', { name: 'count' })), expected);
  }
  client.ask('tools/call', { name: 'count' });
  assert.equal(await client.exited, 1);
  const events = readJournal(client.journalPath).map(({ event }) => event);
  assert.equal(events.filter((event) => event === 'tool').length, 3);
  assert.deepEqual(events.slice(-2), ['crash', 'exit']);
});

test('hanging at one request leaves the others answered', async () => {
  await using atStart = new RawClient({ modes: { hangAtInitialize: true, hangAtDiscover: true } });
  const hung = [atStart.ask('initialize'), atStart.ask('server/discover')];
  const pong = await atStart.request('ping');
  assert.deepEqual(atStart.messages, [pong]);
  assert.ok(!hung.includes(Number(pong.id)));
  await using atList = await open({ hangAtList: 1 });
  await atList.request('tools/list');
  const second = atList.ask('tools/list');
  await atList.request('ping');
  assert.ok(!atList.messages.some(({ id }) => id === second));
});

test('lists that fail, empty themselves, never end or repeat', async () => {
  await using failing = await open({ failList: 1 });
  await failing.request('tools/list');
  assert.equal((await failing.request('tools/list')).error?.code, -32603);
  await using emptying = await open({ emptyListAfter: 1 });
  assert.notEqual(toolsOf(await emptying.request('tools/list')).length, 0);
  assert.deepEqual(toolsOf(await emptying.request('tools/list')), []);
  await using endless = await open({ endlessPages: true }, { pageSize: 7 });
  const names = new Set<string>();
  let cursor: unknown;
  for (let page = 0; page < 100; page += 1) {
    const answer = await endless.request('tools/list', cursor === undefined ? {} : { cursor });
    const { nextCursor } = answer.result as { nextCursor: string };
    assert.notEqual(nextCursor, cursor);
    cursor = nextCursor;
    for (const name of toolsOf(answer)) names.add(name);
  }
  assert.equal(names.size, 700);
  await using repeating = await open({ repeatedCursor: true });
  const pages = [await repeating.request('tools/list'), await repeating.request('tools/list', { cursor: 'again' })];
  assert.deepEqual(pages[0]?.result, pages[1]?.result);
});

test('a storm of list_changed comes in full, in both eras', async () => {
  const listChangedStorm = { count: 200, overMs: 40, changing: true };
  await using legacy = await open({ listChangedStorm });
  await legacy.noted('storm-done');
  const tools = toolsOf(await legacy.request('tools/list'));
  assert.ok(tools.includes('storm'));
  assert.equal(legacy.messages.filter(({ method }) => method === 'notifications/tools/list_changed').length, 200);
  await using modern = await connect('v2 modern', { transport: 'http', era: 'modern', modes: { listChangedStorm } });
  await modern.subscribe('test://none');
  assert.equal((await modern.changes.atLeast(200)).length, 200);
});

test('a server that exits, starts late, dies later or answers hugely', async () => {
  await assert.rejects(startServer({ modes: { exitAtStart: 7 } }), /\(7\): fatal/);
  await using late = await startServer({ modes: { startDelayMs: 60, crashAfterMs: 150 } });
  const [started, listening] = late.journal();
  assert.ok((listening?.at ?? 0) - (started?.at ?? 0) >= 55);
  assert.equal(await late.exited, 1);
  await using huge = await open({ hugeResult: 2_000_000 });
  const answer = await huge.request('tools/call', echo);
  assert.ok(JSON.stringify(answer).length > 2_000_000);
});

for (const group of ['own-group', 'same-group'] as const) {
  test(`a server that will not leave, with a grandchild in its ${group}`, async () => {
    const modes: Modes = { ignoreSigterm: true, ignoreStdinEnd: true, forkGrandchild: group };
    await using client = await open(modes);
    const pid = Number((await client.noted('grandchild')).grandchildPid);
    try {
      process.kill(pid, 'SIGTERM');
      client.child.kill('SIGTERM');
      await client.noted('signal');
      client.child.stdin?.end();
      await client.noted('stdin-end');
      assert.equal(client.child.exitCode, null);
      const groupId = Number(execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' }));
      assert.equal(groupId, group === 'own-group' ? pid : client.child.pid);
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });
}

test('a well-behaved server leaves at the end of its input or on a signal', async () => {
  await using ended = await open({});
  ended.child.stdin?.end();
  assert.equal(await ended.exited, 0);
  await using told = await open({});
  told.child.kill('SIGTERM');
  assert.equal(await told.exited, 143);
  assert.deepEqual(
    readJournal(told.journalPath)
      .slice(-2)
      .map(({ event }) => event),
    ['signal', 'exit'],
  );
});

test('stderr noise holds the secret, the journal and the env tool only names', async () => {
  const client = new RawClient({ modes: { stderrNoise: { secretEnv: 'TOKEN' } } }, { TOKEN: 'canary-17' });
  await using _client = client;
  await client.open();
  assert.match(client.stderr, /canary-17/);
  assert.match(client.stderr, /\u001b\[2J/);
  const names = JSON.parse(String(said(await client.request('tools/call', { name: 'env' }))));
  assert.ok(names.includes('TOKEN'));
  const journal = readJournal(client.journalPath);
  assert.ok(Array.isArray(journal[0]?.env) && journal[0].env.includes('TOKEN'));
  assert.doesNotMatch(JSON.stringify(journal), /canary-17/);
});

test('the wrong protocol version in the initialize answer is seen by a client', async () => {
  const modes: Modes = { noInitializeResponseVersion: true };
  await assert.rejects(connect('v2 legacy', { modes }), /1999-12-31/);
});

test('an HTTP status script is walked step by step', async () => {
  const httpStatus = [
    { status: 503, times: 2, headers: { 'Retry-After': '1' } },
    { status: 200 },
    { status: 429, rpc: 'tools/list' },
  ];
  await using server = await startServer({ era: 'legacy', bearer: 'sesame', modes: { httpStatus } });
  const post = async (method: string, token = 'sesame') => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: '*/*' };
    const response = await fetch(server.url, { method: 'POST', headers, body: JSON.stringify({ method }) });
    return [response.status, response.headers.get('retry-after')];
  };
  assert.deepEqual(await post('ping', 'wrong'), [401, null]);
  assert.deepEqual(await post('ping'), [503, '1']);
  assert.deepEqual(await post('ping'), [503, '1']);
  assert.deepEqual(await post('ping'), [400, null]);
  assert.deepEqual(await post('ping'), [400, null]);
  assert.deepEqual(await post('tools/list'), [429, null]);
  assert.deepEqual(await post('tools/list'), [400, null]);
  const seen = server.journal().filter(({ event }) => event === 'http');
  assert.match(JSON.stringify(seen[0]?.headers), /Bearer wrong/);
});

test('a stream closed early has done its work and gives no answer', async () => {
  const bodies = { end: /^: open\n\n$/, destroy: undefined, 'mid-event': /data: \{"jsonrpc"[^\n]+$/ };
  for (const [how, body] of Object.entries(bodies)) {
    // The keys of the table are exactly the ways there are.
    const closeStreamEarly = { count: 1, how: how as keyof typeof bodies };
    await using server = await startServer({ era: 'modern', modes: { closeStreamEarly } });
    const count = async () => (await postModern(server.url, 'tools/call', { name: 'count' })).text();
    if (body === undefined) await assert.rejects(count());
    else assert.match(await count(), body);
    assert.match(await count(), /"text":"2"/);
  }
});

test('a lost session gets 404 once, and a new one works', async () => {
  const modes: Modes = { sessionLossAfter: 2 };
  await using connected = await connect('v2 legacy', { transport: 'http', modes });
  await connected.client.listTools();
  await assert.rejects(connected.client.listTools(), /Session not found/);
  const { url } = await waitForEntry(connected.journalPath, ({ event }) => event === 'listening');
  const again = new Client({ name: 'second', version: '1' });
  await again.connect(new StreamableHTTPClientTransport(new URL(String(url))));
  for (let turn = 0; turn < 4; turn += 1) assert.ok((await again.listTools()).tools.length > 0);
  await again.close();
  const events = readJournal(connected.journalPath).map(({ event }) => event);
  assert.equal(events.filter((event) => event === 'session-lost').length, 1);
});

test('a server without a process of its own answers, and refuses every fault that would need one', async () => {
  const { url } = hostedServer({ name: 'guest', era: 'modern' });
  const call = async (params: Dict) => (await (await postModern(url, 'tools/call', params)).json()) as Message;
  assert.equal(said(await call(echo)), echo.arguments.text);
  assert.match(JSON.stringify(await call({ name: 'crash' })), /no process of its own/);
  assert.throws(() => hostedServer({ modes: { crashMidCall: true } }), /"crashMidCall" needs a server with a process/);
});
