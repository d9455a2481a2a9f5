/** Agents that launch the stdio bridge: real SDK clients of both generations, and lines of every sort. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { bridgeLimits } from '../../src/surfaces/stdio/bridge-limits.ts';
import { ELICITED, KINDS, SAMPLED } from '../kit/agents.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { isAlive } from '../kit/processes.ts';
import { connectStdio, type Launch, RawBridge, type StdioAgent, toolcribStdio } from '../kit/stdio-agent.ts';
import { newJournal, readJournal, serverCommand, waitForEntry } from '../servers/launch.ts';

const journals = { old: newJournal(), new: newJournal() };
let gateway: TestGateway;
let launch: Launch;

before(async () => {
  gateway = await openTestGateway({
    servers: {
      old: serverCommand({ name: 'old', era: 'legacy', journal: journals.old }),
      new: serverCommand({ name: 'new', era: 'modern', journal: journals.new }),
    },
    // The bridge gets long lines only if the gateway does not shorten them.
    config: { calls: { maxResultBytes: 8_000_000 } },
  });
  launch = toolcribStdio(gateway.dataDir);
});
after(() => gateway.close());

for (const kind of KINDS) {
  describe(`an agent of SDK ${kind}`, () => {
    let agent: StdioAgent;
    before(async () => {
      agent = await connectStdio(kind, launch);
    });
    after(() => agent.client.close());

    test(`[STDIO-01] an agent of SDK ${kind} lists and calls tools, many at once`, async () => {
      const { tools } = await agent.client.listTools();
      assert.ok(tools.some(({ name }) => name === 'old.echo') && tools.some(({ name }) => name === 'new.echo'));
      assert.equal(await agent.say('old.echo', { text: 'naïve 日本語 🙂' }), 'naïve 日本語 🙂');
      const values = Array.from({ length: 40 }, (_, at) => `n${at}`);
      const answers = values.map((value, at) => agent.say('new.nonce', { value, delayMs: (at % 4) * 5 }));
      assert.deepEqual(await Promise.all(answers), values);
    });

    test(`an agent of SDK ${kind} passes large results on whole`, async () => {
      const texts = await Promise.all([1, 2, 3].map(() => agent.say('old.big', { bytes: 2_000_000 })));
      assert.deepEqual(
        texts.map((text) => text.length),
        [2_000_000, 2_000_000, 2_000_000],
      );
    });

    test(`[STDIO-02] an agent of SDK ${kind} hears every step of progress before the answer`, async () => {
      for (const server of ['old', 'new', 'old', 'new']) {
        // On the wire: where one read brings the last step and the answer, SDK v1 drops the step itself.
        const before = agent.arrived.length;
        assert.equal(await agent.say(`${server}.progress`, { steps: 4 }, { onprogress: () => {} }), 'did 4 steps');
        assert.deepEqual(stepsIn(agent.arrived.slice(before)), [1, 2, 3, 4, 'the answer']);
      }
    });

    test(`[STDIO-03] an agent of SDK ${kind} cancels a call at the server`, async () => {
      for (const server of ['old', 'new'] as const) {
        const cancelled = () => readJournal(journals[server]).filter(({ event }) => event === 'cancelled').length;
        const [before, begun] = [cancelled(), waitsAt(server)];
        const giving = new AbortController();
        const call = agent.say(`${server}.wait_for_cancel`, {}, { signal: giving.signal });
        call.catch(() => {});
        await waitForEntry(journals[server], () => waitsAt(server) > begun);
        giving.abort(new Error('enough'));
        await assert.rejects(call);
        await waitForEntry(journals[server], () => cancelled() > before);
        assert.equal(await agent.say(`${server}.echo`, { text: 'on' }), 'on');
      }
    });

    test(`an agent of SDK ${kind} answers what servers ask`, async () => {
      for (const server of ['old', 'new']) {
        assert.deepEqual(JSON.parse(await agent.say(`${server}.elicit`)), ELICITED);
        assert.deepEqual(JSON.parse(await agent.say(`${server}.sample`)), SAMPLED);
      }
      assert.equal(agent.asked.length, 4);
    });

    test(`an agent of SDK ${kind} hears that a list has changed`, async () => {
      const changed = 'notifications/tools/list_changed';
      const before = agent.heard.of(changed).length;
      if (kind === 'v2 modern') await agent.modern?.listen({ toolsListChanged: true });
      await agent.say('old.mutate', { add: `added-for-${kind.replace(' ', '-')}` });
      await agent.heard.atLeast(changed, before + 1);
    });

    test(`[STDIO-04] an agent of SDK ${kind} ends the bridge by leaving`, async () => {
      assert.ok(isAlive(agent.pid));
      await agent.client.close();
      assert.ok(!isAlive(agent.pid));
    });
  });
}

test('[STDIO-07] input: junk is refused line by line and harms nothing', async () => {
  await using bridge = new RawBridge(launch);
  bridge.write('\ufeff');
  await bridge.open();
  bridge.write('\r\n\n   \nhello\n{"half": \n[]\n42\n{"jsonrpc":"2.0","id":"odd","method":7}\n');
  bridge.write('{"jsonrpc":"2.0","id":"text","method":"ping","params":[1]}\n');
  bridge.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]));
  bridge.write('{"jsonrpc":"2.0","id":"fine","method":"ping"}\r\n');
  await bridge.answerTo('fine');
  const refused = bridge.messages.filter((message) => 'error' in message).map(({ id, error }) => [id, codeOf(error)]);
  assert.deepEqual(refused, [
    [null, -32700],
    [null, -32700],
    [null, -32600],
    [null, -32600],
    [null, -32600],
    ['text', -32600],
    [null, -32700],
  ]);
  assert.deepEqual(bridge.strays, []);
});

test('input: a message may come in pieces, and the last one without a line end', async () => {
  await using bridge = new RawBridge(launch);
  await bridge.open();
  const call = { name: 'old.echo', arguments: { text: '日本語 🙂' } };
  const bytes = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 'p', method: 'tools/call', params: call }));
  for (const byte of bytes) {
    bridge.write(Buffer.of(byte));
    await new Promise(setImmediate);
  }
  bridge.child.stdin.end();
  const { result } = await bridge.answerTo('p');
  assert.deepEqual((result as { content: unknown }).content, [{ type: 'text', text: '日本語 🙂' }]);
  assert.equal(await bridge.exited, 0);
});

test('input: a message over the limit is refused by its id, and the next one is read', async () => {
  await using bridge = new RawBridge(launch);
  await bridge.open();
  const text = 'x'.repeat(bridgeLimits.lineBytes);
  bridge.send({ id: 'first', method: 'tools/call', params: { text } });
  bridge.send({ method: 'tools/call', params: { text, id: 5 }, id: 'last' });
  bridge.send({ method: 'tools/call', params: { text }, id: 'between', more: { id: 1 } });
  for (const id of ['first', 'last', null]) {
    const { error } = await bridge.answerTo(id);
    assert.match(JSON.stringify(error), /larger than 4194304 bytes.*TOO_LARGE/);
  }
  assert.ok((await bridge.request('ping')).result);
});

test('input: a batch is answered message by message', async () => {
  await using bridge = new RawBridge(launch);
  await bridge.open();
  const ping = (id: string) => ({ jsonrpc: '2.0', id, method: 'ping' });
  bridge.write(`${JSON.stringify([ping('a'), { jsonrpc: '2.0', method: 'notifications/x' }, ping('b')])}\n`);
  assert.ok((await bridge.answerTo('a')).result && (await bridge.answerTo('b')).result);
});

test('input: messages that do not wait for the handshake are answered after it', async () => {
  await using bridge = new RawBridge(launch);
  const opening = bridge.open();
  bridge.send({ method: 'notifications/initialized' });
  const list = await bridge.request('tools/list');
  await opening;
  assert.ok((list.result as { tools: unknown[] }).tools.length > 0);
});

test('input: server/discover can be the first message, and names need not fit a header', async () => {
  await using bridge = new RawBridge(launch);
  const discovered = await bridge.answerTo(bridge.askModern('server/discover'));
  assert.deepEqual((discovered.result as { supportedVersions: unknown }).supportedVersions, ['2026-07-28']);
  for (const uri of ['test://ünïcode\n', `test://${'long'.repeat(8_000)}`]) {
    const { error } = await bridge.answerTo(bridge.askModern('resources/read', { uri }));
    assert.equal(codeOf(error), -32602);
  }
  assert.equal(codeOf((await bridge.answerTo(bridge.askModern('no\nsuch'))).error), -32601);
});

test('input: a request that is cancelled is not answered, and a subscription ends with its cancellation', async () => {
  await using bridge = new RawBridge(launch);
  const listening = bridge.askModern('subscriptions/listen', { notifications: { toolsListChanged: true } });
  await bridge.next(({ method }) => method === 'notifications/subscriptions/acknowledged');
  bridge.send({ method: 'notifications/cancelled', params: { requestId: listening } });
  assert.ok((await bridge.answerTo(bridge.askModern('tools/list'))).result);
  assert.ok(!bridge.messages.some(({ id }) => id === listening));
  bridge.send({ id: listening, method: 'ping' });
  assert.match(JSON.stringify((await bridge.answerTo(listening)).error), /initialize/);
});
test('the end: what is in flight when input ends is finished first', async () => {
  await using bridge = new RawBridge(launch);
  await bridge.open();
  const id = bridge.ask('tools/call', { name: 'old.slow', arguments: { ms: 300 } });
  bridge.child.stdin.end();
  assert.ok((await bridge.answerTo(id)).result);
  assert.equal(await bridge.exited, 0);
  assert.equal(bridge.stderr, '');
});

/** Progress as it was told, and the answer. */
function stepsIn(messages: readonly Record<string, unknown>[]): unknown[] {
  return messages.map(({ method, params }) => (method ? (params as { progress?: number }).progress : 'the answer'));
}

test('the end: SIGTERM ends it, a second one at once', async () => {
  await using bridge = new RawBridge(launch);
  await bridge.open();
  const before = waitsAt('old');
  bridge.ask('tools/call', { name: 'old.wait_for_cancel' });
  await waitForEntry(journals.old, () => waitsAt('old') > before);
  bridge.child.kill('SIGTERM');
  using _again = setInterval(() => bridge.child.kill('SIGTERM'), 100);
  // On a busy machine one of them comes when it is already leaving, and no longer listens.
  assert.ok([0, 'SIGTERM'].includes(await bridge.exited));
});

test('the end: output that nobody reads ends it', async () => {
  await using bridge = new RawBridge(launch);
  await bridge.open();
  bridge.child.stdout.destroy();
  await once(bridge.child.stdout, 'close');
  bridge.ask('ping');
  assert.equal(await bridge.exited, 0);
});

/** Calls so far that wait until they are cancelled. */
function waitsAt(server: keyof typeof journals): number {
  return readJournal(journals[server]).filter(({ event, name }) => event === 'tool' && name === 'wait_for_cancel')
    .length;
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | undefined)?.code;
}
