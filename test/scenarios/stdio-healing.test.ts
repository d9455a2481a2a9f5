/** The stdio bridge when the gateway goes away, comes back, or was never there. */

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { KINDS } from '../kit/agents.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { allGone, eventually, isAlive } from '../kit/processes.ts';
import { connectStdio, PlaceFile, RawBridge, toolcribStdio } from '../kit/stdio-agent.ts';
import { TcpProxy } from '../kit/tcp-proxy.ts';
import { liveResource } from '../servers/content.ts';
import { newJournal, readJournal, serverCommand, waitForEntry } from '../servers/launch.ts';

/** A gateway in front of one server that can be opened again on the same folder, and says where it is. */
class Restartable implements AsyncDisposable {
  readonly place = new PlaceFile();
  readonly journal = newJournal();
  readonly #dataDir: string;
  #gateway: TestGateway | undefined;

  private constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  static async open(): Promise<Restartable> {
    const made = new Restartable(await mkdtemp(join(tmpdir(), 'toolcrib-test-')));
    await made.start();
    return made;
  }

  get gateway(): TestGateway {
    assert.ok(this.#gateway);
    return this.#gateway;
  }

  async start(): Promise<void> {
    const servers = { one: serverCommand({ name: 'one', era: 'legacy', journal: this.journal }) };
    this.#gateway = await openTestGateway({ servers, dataDir: this.#dataDir });
    this.place.set(this.#gateway.url, this.#gateway.agentHeaders);
  }

  async restart(): Promise<void> {
    await this.gateway.close();
    await this.start();
  }

  /** How often a tool was run, over all lives of the server. */
  runs(tool: string): number {
    return readJournal(this.journal).filter(({ event, name }) => event === 'tool' && name === tool).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#gateway?.close();
    this.place[Symbol.dispose]();
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}

for (const kind of KINDS) {
  test(`[STDIO-05] an agent of SDK ${kind} does not notice that the gateway was restarted`, async () => {
    await using one = await Restartable.open();
    await using agent = await connectStdio(kind, one.place.launch());
    const uri = liveResource('one');
    if (kind === 'v2 modern') {
      await agent.modern?.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
    } else {
      await agent.setLogLevel('debug');
      await agent.subscribe(uri);
    }
    assert.equal(await agent.say('one.echo', { text: 'before' }), 'before');
    await one.restart();
    const texts = ['after', 'and', 'again'];
    assert.deepEqual(await Promise.all(texts.map((text) => agent.say('one.echo', { text }))), texts);
    if (kind !== 'v2 modern') {
      assert.equal(await agent.say('one.log', { message: 'still heard' }), 'sent');
      await agent.heard.atLeast('notifications/message', 1);
    }
    // To listen and to watch again is done on the side: the server has it when its journal says so.
    await waitForEntry(one.journal, () => readJournal(one.journal).filter(isWatch).length >= 2);
    await agent.say('one.touch');
    await agent.heard.atLeast('notifications/resources/updated', 1);
    await agent.say('one.mutate', { add: 'added-later' });
    await agent.heard.atLeast('notifications/tools/list_changed', 1);
    assert.equal(agent.heard.of('notifications/subscriptions/acknowledged').length, 0);
  });
}

function isWatch({ event }: { event: string }): boolean {
  return event === 'subscribe' || event === 'listen';
}

describe('a call in flight when the connection breaks', () => {
  for (const era of ['legacy', 'modern']) {
    test(`is not repeated, and its ${era} agent is told that it may have been carried out`, async () => {
      await using one = await Restartable.open();
      await using proxy = await TcpProxy.to(one.gateway.url);
      one.place.set(proxy.url, one.gateway.agentHeaders);
      await using bridge = new RawBridge(one.place.launch());
      if (era === 'legacy') await bridge.open();
      const call = { name: 'one.wait_for_cancel', arguments: {} };
      const id = era === 'legacy' ? bridge.ask('tools/call', call) : bridge.askModern('tools/call', call);
      await waitForEntry(one.journal, () => one.runs('wait_for_cancel') === 1);
      proxy.cut();
      const { error } = await bridge.answerTo(id);
      assert.match(JSON.stringify(error), /may or may not have been carried out.*"mayHaveRun":true/);
      const next = { name: 'one.echo', arguments: { text: 'next' } };
      const later = era === 'legacy' ? bridge.ask('tools/call', next) : bridge.askModern('tools/call', next);
      assert.ok((await bridge.answerTo(later)).result);
      assert.equal(one.runs('wait_for_cancel'), 1);
    });
  }
});

test('an agent that asks nothing hears of changes again once the gateway is back', async () => {
  await using one = await Restartable.open();
  await using proxy = await TcpProxy.to(one.gateway.url);
  one.place.set(proxy.url, one.gateway.agentHeaders);
  await using quiet = new RawBridge(one.place.launch());
  await quiet.open();
  await using listener = new RawBridge(one.place.launch());
  listener.askModern('subscriptions/listen', { notifications: { toolsListChanged: true } });
  await listener.next(({ method }) => method === 'notifications/subscriptions/acknowledged');
  await proxy.close();
  await one.restart();
  proxy.target = Number(new URL(one.gateway.url).port);
  await proxy.open();
  one.place.set(proxy.url, one.gateway.agentHeaders);
  await using busy = new RawBridge(one.place.launch());
  await busy.open();
  const heard = (bridge: RawBridge) => bridge.next(({ method }) => method === 'notifications/tools/list_changed');
  const both = Promise.all([heard(quiet), heard(listener)]);
  let isHeard = false;
  void both.then(() => (isHeard = true));
  // Nothing tells when they are back; so there is news until both have heard some.
  for (let at = 0; !isHeard; at += 1) {
    await busy.request('tools/call', { name: 'one.mutate', arguments: { add: `tool-${at}` } });
    await Promise.race([both, new Promise((resolve) => setTimeout(resolve, 300))]);
  }
  await both;
  assert.deepEqual(
    quiet.messages.map(({ id }) => id),
    [1, ...quiet.messages.slice(1).map(() => undefined)],
  );
});

test('without a gateway every request is told why, stderr hears it once, and the next one tries again', async () => {
  await using one = await Restartable.open();
  one.place.clear();
  await using bridge = new RawBridge(one.place.launch());
  for (const ask of [() => bridge.ask('initialize'), () => bridge.askModern('tools/list'), () => bridge.ask('ping')]) {
    const { error } = await bridge.answerTo(ask());
    assert.match(JSON.stringify(error), /there is no gateway in this test.*UNREACHABLE/);
  }
  assert.equal(bridge.stderr.match(/there is no gateway in this test/g)?.length, 1);
  one.place.set(one.gateway.url, one.gateway.agentHeaders);
  await bridge.open();
  assert.ok((await bridge.request('tools/list')).result);
});

test('requests wait for a gateway that is on its way', async () => {
  await using one = await Restartable.open();
  await using proxy = await TcpProxy.to(one.gateway.url);
  one.place.set(proxy.url, one.gateway.agentHeaders);
  await proxy.close();
  await using bridge = new RawBridge(one.place.launch());
  const opening = bridge.open();
  const lists = [bridge.askModern('tools/list'), bridge.askModern('prompts/list')];
  await proxy.open();
  await opening;
  for (const id of lists) assert.ok((await bridge.answerTo(id)).result);
});

test('a wrong token is named as the cause, and the right one is taken when it is there', async () => {
  await using one = await Restartable.open();
  one.place.set(one.gateway.url, { authorization: 'Bearer tc_wrong' });
  await using bridge = new RawBridge(one.place.launch());
  for (const id of [bridge.ask('initialize'), bridge.askModern('tools/list')]) {
    assert.match(JSON.stringify((await bridge.answerTo(id)).error), /TOOLCRIB_TOKEN.*UNAUTHENTICATED/);
  }
  one.place.set(one.gateway.url, one.gateway.agentHeaders);
  await bridge.open();
});

test('the surface can be chosen, and a wrong one is told', async () => {
  await using one = await Restartable.open();
  await using search = new RawBridge(one.place.launch({ TOOLCRIB_SURFACE: 'search' }));
  await search.open();
  assert.match(JSON.stringify((await search.request('tools/list')).result), /tool_discovery/);
  await using wrong = new RawBridge(one.place.launch({ TOOLCRIB_SURFACE: 'sideways' }));
  const { error } = await wrong.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
  assert.match(JSON.stringify(error), /no surface \\"sideways\\"/);
});

test('[STDIO-06] a bridge starts a gateway when there is none, and another one when that was killed', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-test-'));
  const journal = newJournal();
  const servers = { one: serverCommand({ name: 'one', journal }) };
  await writeFile(join(dataDir, 'toolcrib.json'), JSON.stringify({ mcpServers: servers }));
  const holder = async () =>
    JSON.parse(await readFile(join(dataDir, 'gateway.lock'), 'utf8')) as { pid: number; url: string };
  const started = new Set<number>();
  try {
    await using bridge = new RawBridge(toolcribStdio(dataDir));
    await bridge.open();
    const call = { name: 'one.echo', arguments: { text: 'hello' } };
    const calling = async () => {
      const { error } = await bridge.request('tools/call', call);
      assert.equal(error, undefined);
    };
    await calling();
    const { pid: first, url } = await holder();
    started.add(first);
    process.kill(first, 'SIGKILL');
    // Its last thread may hold its connections for a moment longer than it seems to live.
    await eventually('the dead refuse', () =>
      fetch(`${url}/readyz`).then(
        () => undefined,
        () => true,
      ),
    );
    await calling();
    const { pid: second } = await holder();
    started.add(second);
    assert.notEqual(second, first);
    assert.deepEqual(bridge.strays, []);
    bridge.child.stdin.end();
    assert.equal(await bridge.exited, 0);
    assert.ok(isAlive(second), 'the gateway stays for a while after its last agent');
  } finally {
    for (const pid of started) if (isAlive(pid)) process.kill(pid, 'SIGTERM');
    await allGone([...started]);
    await rm(dataDir, { recursive: true, force: true });
  }
});

test('a gateway that cannot start is told with its reason', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-test-'));
  await writeFile(join(dataDir, 'toolcrib.json'), '{ "mcpServers": { "a": { "comand": "x" } } }');
  await using bridge = new RawBridge(toolcribStdio(dataDir));
  for (const id of [bridge.askModern('tools/list'), bridge.ask('ping')]) {
    assert.match(JSON.stringify((await bridge.answerTo(id)).error), /could not be started.*comand/);
  }
  assert.equal(bridge.stderr.match(/could not be started/g)?.length, 1);
  bridge.child.stdin.end();
  assert.equal(await bridge.exited, 0);
  await rm(dataDir, { recursive: true, force: true });
});
