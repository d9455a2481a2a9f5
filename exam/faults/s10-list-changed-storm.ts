/** S10: servers that announce changes by the thousand: true ones, false ones, and out of the listing itself. */

import { setTimeout as pause } from 'node:timers/promises';
import { type Agent, connectAgent } from '../../test/kit/agents.ts';
import { eventually } from '../../test/kit/processes.ts';
import type { Check } from '../check.ts';
import type { ExamAgent } from '../kit/agent.ts';
import { ERAS } from '../kit/agent-requests.ts';
import type { Rig } from '../kit/rig.ts';
import type { RigServer, ServerPlan } from '../kit/rig-server.ts';
import type { Setup } from '../kit/setup.ts';

const sizes = { quick: { bursts: 1 }, full: { bursts: 8 } };
const burst = { count: 10_000, overMs: 2_000 };
const mostLists = 3;
/** A listing for the last notices of a storm comes within this time, and so does news of it. */
const restMs = 2_000;
const newsWithinMs = 1_000;
const toolsChanged = 'notifications/tools/list_changed';
const resourcesChanged = 'notifications/resources/list_changed';
const promptsChanged = 'notifications/prompts/list_changed';
const resourceUpdated = 'notifications/resources/updated';
/** Resources of ours that listeners subscribe to: the first says something else after a change of any server. */
const subscribed = ['toolcrib://tools', 'toolcrib://server/local', 'toolcrib://server/echoing/tools'];
/** The notifications about one more tool of a calm server. */
const wordsOfOne = { [toolsChanged]: 1, [resourcesChanged]: 1, [promptsChanged]: 0, [resourceUpdated]: 1 };

const stormy: ServerPlan = {
  tools: ['echo', 'storm', 'mutate'].map((name) => ({ name, inputSchema: { type: 'object' } })),
};
const echoing: ServerPlan = { ...stormy, modes: { listChangedOnList: true } };

export const listChangedStorm: Check = {
  id: 'S10',
  kind: 'faults',
  title: 'list_changed storm',
  passes: 'at most 3 lists of a server for a burst of 2 s, no word to agents where nothing changed, other news in time',
  eras: ERAS,
  async run(rig, size) {
    const setup = await rig.open({
      servers: {
        calm: stormy,
        local: stormy,
        modern: { ...stormy, era: 'modern' },
        remote: { ...stormy, era: 'modern', transport: 'http' },
        session: { ...stormy, era: 'legacy', transport: 'http' },
        echoing,
        repeating: { ...echoing, era: 'modern' },
      },
    });
    const listeners = await Promise.all(
      ['/mcp?surface=search', '/mcp?surface=direct'].flatMap((door) => listen(setup, door)),
    );
    try {
      // Changes caused by the listeners themselves are over.
      await pause(restMs);
      const stormers = ['local', 'modern', 'remote', 'session', 'echoing', 'repeating'];
      for (let at = 0; at < sizes[size].bursts; at += 1) await falseStorm(rig, setup, listeners, stormers);
      await rig.part('true changes', () => trueStorm(rig, setup, listeners));
    } finally {
      await Promise.all(listeners.map((agent) => agent[Symbol.asyncDispose]()));
    }
  },
};

function listen({ gateway }: Setup, door: string): Promise<Agent>[] {
  return (['v2 legacy', 'v2 modern'] as const).map(async (kind) => {
    const headers = { authorization: `Bearer ${gateway.agentToken}` };
    const agent = await connectAgent(kind, `${gateway.url}${door}`, { headers });
    await agent.listen(subscribed);
    return agent;
  });
}

/** All of them storm at once, and nothing is true of it but the news of the one that is calm. */
async function falseStorm(
  rig: Rig,
  setup: Setup,
  listeners: readonly Agent[],
  names: readonly string[],
): Promise<void> {
  const agents = await Promise.all(ERAS.map((era) => setup.agent(era)));
  const heardBefore = countsOf(listeners);
  const wordsBefore = listeners.map(({ heard }) => heard.all.length);
  const before = new Map(names.map((name) => [name, listsOf(setup.server(name))]));
  const begunAt = performance.now();
  await Promise.all(names.map((name, at) => unleash(rig, agents[at % agents.length], setup.server(name), burst)));
  await pause(burst.overMs / 2);
  const name = rig.random.word('news');
  await agents[0]?.call('calm.mutate', { add: name });
  const saidAt = performance.now();
  const isNews = () => countsOf(listeners).every((count, at) => count > (heardBefore[at] ?? 0));
  await eventually('the news of the calm one', () => isNews() || undefined);
  const tookMs = performance.now() - saidAt;
  rig.figure('newsMs', tookMs);
  rig.expect(rig.isInTime(tookMs, newsWithinMs), `News of a calm server took ${Math.round(tookMs)} ms in the storm.`);
  await Promise.all(names.map((one) => stormOver(setup.server(one))));
  const most = mostListsFor(performance.now() - begunAt);
  await pause(restMs);
  for (const one of names) {
    const lists = listsOf(setup.server(one)) - (before.get(one) ?? 0);
    rig.figure('lists', lists);
    rig.expect(lists <= most, `${one} was listed ${lists} times for one burst.`);
  }
  for (const [at, agent] of listeners.entries()) {
    const words = agent.heard.all.slice(wordsBefore[at]);
    for (const [method, count] of Object.entries(wordsOfOne)) {
      const heard = words.filter((word) => word.method === method).length;
      rig.expect(heard === count, `An agent (${agent.kind}) heard ${method} ${heard} times, of one change.`);
    }
  }
  for (const agent of agents) {
    const { said } = await agent.call(`${names[0]}.echo`, { text: 'after the storm' });
    rig.expect(said === 'after the storm', `After the storm it said ${said.slice(0, 200)}`);
  }
}

/** Every notice is true: agents hear of no more changes than were listed, and of the last one in time. */
async function trueStorm(rig: Rig, setup: Setup, listeners: readonly Agent[]): Promise<void> {
  const server = setup.server('local');
  const agent = await setup.agent('modern');
  const [lists, heard] = [listsOf(server), countsOf(listeners)];
  const begunAt = performance.now();
  await unleash(rig, agent, server, { ...burst, changing: true });
  await stormOver(server);
  const most = mostListsFor(performance.now() - begunAt);
  await eventually('the last change of a burst is listed', async () => {
    const { text } = await agent.request({ id: agent.nextId(), method: 'tools/list' });
    return text.includes(`Revision ${burst.count - 1}.`) || undefined;
  });
  await pause(restMs);
  const listed = listsOf(server) - lists;
  rig.figure('listsOfTrueChanges', listed);
  rig.expect(listed <= most, `local was listed ${listed} times for a burst of true changes.`);
  for (const [at, count] of countsOf(listeners).entries()) {
    const told = count - (heard[at] ?? 0);
    rig.expect(told >= 1 && told <= listed, `An agent was told ${told} times of ${listed} listings.`);
  }
}

/** Earlier storms are distinguished by their number. */
const storms = new WeakMap<RigServer, number>();

async function unleash(rig: Rig, agent: ExamAgent | undefined, server: RigServer, storm: object): Promise<void> {
  storms.set(server, server.noted('storm-done').length);
  const reply = await agent?.call(`${server.name}.storm`, { ...storm });
  rig.expect(reply?.said === 'coming', () => `${server.name} did not storm: ${reply?.text.slice(0, 300)}`);
}

async function stormOver(server: RigServer): Promise<void> {
  const over = () => server.noted('storm-done').length > (storms.get(server) ?? 0) || undefined;
  await eventually(`the storm of ${server.name} is over`, over);
}

/** On a busy machine a burst takes longer than it should, and lists follow it at their own pace. */
function mostListsFor(tookMs: number): number {
  return mostLists * Math.max(1, Math.ceil((tookMs - restMs / 2) / burst.overMs));
}

function listsOf(server: RigServer): number {
  return server.noted('list').filter(({ method }) => method === 'tools/list').length;
}

function countsOf(listeners: readonly Agent[]): number[] {
  return listeners.map(({ heard }) => Math.min(heard.of(toolsChanged).length, heard.of(resourcesChanged).length));
}
