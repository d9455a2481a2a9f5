/** Random changes of a real gateway, and a reader of its live state whose stream is cut again and again. */

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../../exam/kit/random.ts';
import type { GatewayEvent } from '../../src/admin/admin.ts';
import { connectAdmin } from '../../src/admin/client/client.ts';
import { readEventStream } from '../../src/protocol/read-event-stream.ts';
import { followLive, type LiveSource, type LiveView, viewOf } from '../../src/surfaces/live/live.ts';
import type { TestGateway } from './gateway.ts';
import { ModernAgent } from './modern-agent.ts';
import { planServers } from './planned-servers.ts';
import { eventually } from './processes.ts';

const echo = { name: 'echo', description: 'Says it again.', inputSchema: { type: 'object' }, runAs: 'echo' } as const;
const plan = planServers({ one: { tools: [echo] }, two: { tools: [echo] }, three: { tools: [echo] } });
const { one = {}, two = {}, three = {} } = plan.servers;

/** For the config: a server that works, and one that asks before each call. */
export const stormServers = { one, two: { ...two, permissions: { '*': 'ask' } } };

/** The live view of a gateway over HTTP. Every other cut forgets the place, as a reader does that was away for long. */
export class CutReader {
  readonly #stop = new AbortController();
  readonly #following: Promise<unknown>;
  #stream = new AbortController();
  #isLost = false;
  view: LiveView | undefined;
  cuts = 0;
  /** The kinds of the events that it read. */
  readonly kinds = new Set<string>();

  constructor(gateway: TestGateway) {
    const admin = connectAdmin(gateway.url, gateway.gateway.tokens.owner);
    const source: LiveSource = {
      snapshot: (signal) => admin.run('live.snapshot', {}, signal),
      events: (after, signal) => this.#read(gateway, this.#isLost ? 'lost.0' : after, signal),
      wait: (ms, signal) => pause(ms / 10, undefined, { signal }),
    };
    const onState = ({ view }: { readonly view: LiveView | undefined }) => {
      this.view = view;
    };
    this.#following = followLive(source, { onState, signal: this.#stop.signal, isFinal: () => false });
    this.#following.catch(() => {});
  }

  cut(): void {
    this.cuts += 1;
    this.#isLost = this.cuts % 2 === 0;
    this.#stream.abort();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#following.catch(() => {});
  }

  async *#read(
    { url, ownerHeaders }: TestGateway,
    after: string,
    signal: AbortSignal,
  ): AsyncGenerator<readonly GatewayEvent[]> {
    this.#stream = new AbortController();
    const headers = { ...ownerHeaders, 'last-event-id': after };
    const response = await fetch(`${url}/api/events`, {
      headers,
      signal: AbortSignal.any([signal, this.#stream.signal]),
    });
    assert.ok(response.ok && response.body);
    yield [];
    for await (const { id, event, data } of readEventStream(response.body)) {
      this.kinds.add(event);
      yield [{ id, kind: event, data: JSON.parse(data) } as GatewayEvent];
    }
  }
}

/** One change of a gateway, whatever comes of it. */
export async function changeSomething({ gateway: { admin }, ...given }: TestGateway, random: Random): Promise<void> {
  const agent = new ModernAgent(given);
  const changes: (() => Promise<unknown>)[] = [
    () => agent.call('one.echo', { text: 'hello' }),
    () => agent.call('two.echo', { number: random.whole(1, 1_000) }),
    () => admin.run('tools.search', { query: 'say it again' }),
    () => admin.run('servers.disable', { name: 'one' }),
    () => admin.run('servers.enable', { name: 'one' }),
    () => admin.run('servers.add', { name: 'three', spec: three }),
    () => admin.run('servers.remove', { name: 'three' }),
    () => admin.run('servers.refresh', { name: 'one', force: true }),
    () => admin.run('tokens.create', { name: `t${random.whole(1, 1_000_000)}` }),
    async () => {
      const [call] = await admin.run('approvals.list', {});
      if (call) await admin.run('approvals.answer', { id: call.id, answer: random.one(['once', 'refuse'] as const) });
    },
  ];
  await random
    .one(changes)()
    .catch(() => {});
}

/** How long the reader has to be up to date, which the gateway gathers changes for. */
const settleMs = 30_000;

/** Resolves when the view of the reader is that of a fresh snapshot, in everything but the last event. */
export async function sameAsFresh(gateway: TestGateway, reader: CutReader): Promise<void> {
  const views = async () => {
    const fresh = viewOf(await gateway.gateway.admin.run('live.snapshot', {}));
    return [
      { ...reader.view, id: '', since: '' },
      { ...fresh, id: '', since: '' },
    ];
  };
  const look = async () => (isDeepStrictEqual(...((await views()) as [unknown, unknown])) ? true : undefined);
  // Where they stay different, it is shown how.
  await eventually('the view is that of a fresh snapshot', look, settleMs).catch(async () => {
    const [own, fresh] = await views();
    assert.deepEqual(own, fresh);
  });
}
