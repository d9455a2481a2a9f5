/** Agents of both eras that listen at several doors of one gateway, and what each of them hears of one act. */

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { type Agent, connectAgent, type Kind } from './agents.ts';
import type { TestGateway } from './gateway.ts';
import { eventually } from './processes.ts';

/** Notifications by kind; kinds that are not named are not to come. */
export type Hearing = Readonly<{ tools?: number; resources?: number; prompts?: number; updated?: readonly string[] }>;

const ERAS: readonly Kind[] = ['v2 legacy', 'v2 modern'];
/** Silence can only be waited for: longer than news is gathered. */
const QUIET_MS = 700;

interface Seat {
  readonly door: string;
  readonly agent: Agent;
}

export class Audience implements AsyncDisposable {
  readonly #seats: readonly Seat[];
  /** Agents whose stream has ended. */
  readonly #deaf = new Set<Agent>();

  private constructor(seats: readonly Seat[]) {
    this.#seats = seats;
  }

  /** One agent of each era at each door, all of them listening to lists and to these resources. */
  static async gather(gateway: TestGateway, doors: Readonly<Record<string, readonly string[]>>): Promise<Audience> {
    // A first listing while they subscribe would be news to them.
    await gateway.gateway.admin.run('servers.refresh', {});
    const seats = Object.entries(doors).flatMap(([door, uris]) =>
      ERAS.map(async (kind) => {
        const agent = await connectAgent(kind, `${gateway.url}${door}`, { headers: gateway.agentHeaders });
        await agent.client.listTools();
        await agent.listen(uris);
        return { door, agent };
      }),
    );
    return new Audience(await Promise.all(seats));
  }

  /** The modern agent at a door. */
  at(door: string): Agent {
    const seat = this.#seats.find((item) => item.door === door && item.agent.kind === 'v2 modern');
    assert.ok(seat, door);
    return seat.agent;
  }

  /** Nobody wants to hear of these resources any more; a modern agent ends its stream by that, and hears of no list either. */
  async unsubscribe(uris: readonly string[]): Promise<void> {
    for (const { agent } of this.#seats) {
      await agent.stopListening(uris);
      if (agent.kind === 'v2 modern') this.#deaf.add(agent);
    }
  }

  /** Every agent hears of the act exactly this, by its door. */
  async hears(what: string, act: () => Promise<unknown>, expected: Readonly<Record<string, Hearing>>): Promise<void> {
    const before = this.#seats.map(({ agent }) => agent.heard.all.length);
    await act();
    const heard = () => this.#seats.map(({ agent }, at) => hearingOf(agent, before[at] ?? 0));
    const wanted = this.#seats.map(({ door, agent }) =>
      withZeros((this.#deaf.has(agent) ? undefined : expected[door]) ?? {}),
    );
    const isHeard = () => JSON.stringify(heard()) === JSON.stringify(wanted);
    // The comparison below shows any that are missing to the end.
    await eventually(what, () => isHeard() || undefined).catch(() => {});
    await pause(QUIET_MS);
    const titles = this.#seats.map(({ door, agent }) => `${agent.kind} ${door}`);
    const byTitle = (hearings: readonly Hearing[]) =>
      Object.fromEntries(hearings.map((item, at) => [titles[at], item]));
    assert.deepEqual(byTitle(heard()), byTitle(wanted), what);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#seats.map(({ agent }) => agent[Symbol.asyncDispose]()));
  }
}

function hearingOf(agent: Agent, from: number): Required<Hearing> {
  const news = agent.heard.all.slice(from);
  const count = (kind: string) => news.filter(({ method }) => method === `notifications/${kind}/list_changed`).length;
  const updates = news.filter(({ method }) => method === 'notifications/resources/updated');
  return {
    ...{ tools: count('tools'), resources: count('resources'), prompts: count('prompts') },
    updated: updates.map(({ params }) => String(params.uri)).sort(),
  };
}

function withZeros({ tools = 0, resources = 0, prompts = 0, updated = [] }: Hearing): Required<Hearing> {
  return { tools, resources, prompts, updated: [...updated].sort() };
}
