/** B17: the labelled corpus of tool definitions, offered by real servers: the poisoned ones are not there for agents. */

import { scanDefinition } from '../../src/trust/scan/scan.ts';
import { neighboursOfSample } from '../../test/poison/neighbours.ts';
import { isHeldOut, readCorpus, type Sample } from '../../test/poison/read-corpus.ts';
import type { Check } from '../check.ts';
import type { ExamAgent } from '../kit/agent.ts';
import { ERAS } from '../kit/agent-requests.ts';
import { type ManyServers, openManyServers } from '../kit/many-servers.ts';
import { operate, order } from '../kit/owner.ts';
import type { Random } from '../kit/random.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

const leastRecall = 0.9;
const mostFalse = 0.05;
/** A quick examination asks the scanner about all samples and offers one in this many, which has to come out the same. Odd: by turns to each era. */
const everyQuick = 15;

interface Count {
  samples: number;
  held: number;
}

export const poisonedTools: Check = {
  id: 'B17',
  kind: 'bad inputs',
  title: 'Poisoned definitions',
  passes:
    'recall at least 0.90, false positives at most 0.05, and what is withheld is in no list, no search and no call',
  eras: ERAS,
  async run(rig, size) {
    await using many = await openManyServers();
    const setup = await rig.open({ servers: { local: {} }, config: { connect: { maxRetries: 0 } } });
    const agents = await Promise.all(ERAS.map((era) => setup.agent(era)));
    const counts: Record<string, Count> = {};
    const samples = shuffled(rig.draw('samples'));
    for (const [at, sample] of samples.entries()) {
      const agent = agents[at % agents.length];
      if (agent === undefined) continue;
      const isOffered = size === 'full' || at % everyQuick === 0;
      const isHeld = isOffered ? await offered(rig, { setup, agent, many }, sample) : isScannedOut(sample);
      if (isOffered && size === 'quick')
        rig.expect(isHeld === isScannedOut(sample), `${agent.era}: the scanner and the gateway differ on a sample.`);
      const count = counts[sample.label] ?? { samples: 0, held: 0 };
      counts[sample.label] = count;
      count.samples += 1;
      if (isHeld) count.held += 1;
    }
    for (const [name, { samples: all, held }] of Object.entries(counts)) {
      rig.figures[`${name} withheld`] = `${held} of ${all}`;
    }
    const share = ({ samples: all, held }: Count = { samples: 0, held: 0 }) => held / all;
    const [recall, wrong] = [share(counts.bad), share(counts.benign)];
    rig.figures.recall = recall.toFixed(3);
    rig.figures['false positives'] = wrong.toFixed(3);
    rig.expect(recall >= leastRecall, `Of the bad definitions ${recall.toFixed(3)} are withheld.`);
    rig.expect(wrong <= mostFalse, `Of the benign definitions ${wrong.toFixed(3)} are withheld.`);
    // A benign one of each era is called, so that calls would be seen.
    for (const agent of agents) await agent.call('local.echo', { text: 'still here' });
  },
};

/** All that the detector was not made with, in a random order, at any size: of some of them a share says little. Only figures are given. */
function shuffled(random: Random): Sample[] {
  const left = readCorpus().filter(isHeldOut);
  const taken: Sample[] = [];
  while (left.length > 0) taken.push(...left.splice(random.whole(0, left.length - 1), 1));
  return taken;
}

function isScannedOut(sample: Sample): boolean {
  return scanDefinition(sample.definition, neighboursOfSample(sample)).some(({ weight }) => weight === 'hard');
}

interface Stage {
  readonly setup: Setup;
  readonly agent: ExamAgent;
  readonly many: ManyServers;
}

/** Connects the sample's neighbours and then its server; says whether the tool was withheld, and looks that it is. */
async function offered(rig: Rig, { setup, agent, many }: Stage, sample: Sample): Promise<boolean> {
  const neighbours = Object.entries(sample.others ?? {}).filter(([name]) => name !== sample.server);
  const names: string[] = [];
  const connect = async (name: string, tools: readonly Readonly<Record<string, unknown>>[]) => {
    const added = await order(setup, 'servers.add', { name, spec: { url: many.add(tools) }, allowEnv: false });
    if (added.state !== 'connected') throw new Error(`${sample.id}: ${name} is ${added.state}: ${added.lastError}`);
    names.push(added.name);
    return added;
  };
  try {
    for (const [name, tools] of neighbours)
      await connect(
        name,
        tools.map((tool) => ({ name: tool, description: 'Does it.', inputSchema: { type: 'object' } })),
      );
    const { name, tools } = await connect(sample.server, [sample.definition]);
    const isHeld = tools.length === 0;
    await expectTogether(rig, { setup, agent, many }, sample, { server: name, isHeld });
    return isHeld;
  } finally {
    for (const name of names) await operate(setup, setup.gateway.ownerToken, 'servers.remove', { name });
  }
}

/** Lists, search and calls agree: it is there in all of them, or in none. Held-out samples are never quoted. */
async function expectTogether(
  rig: Rig,
  { setup, agent, many }: Stage,
  sample: Sample,
  { server, isHeld }: { readonly server: string; readonly isHeld: boolean },
): Promise<void> {
  const key = `${server}:${sample.definition.name}`;
  const where = isHeldOut(sample) ? `${agent.era}, a held-out sample` : `${agent.era}, ${sample.id}`;
  const listed = (await agent.tools()).filter((name) => name.startsWith(`${server}.`));
  rig.expect(
    (listed.length === 0) === isHeld,
    `${where}: it is ${isHeld ? 'withheld' : 'there'} and lists say otherwise.`,
  );
  const found = await operate(setup, setup.gateway.agentToken, 'tools.search', { query: [sample.definition.name] });
  if (isHeld) rig.expect(!found.text.includes(`"${key}"`), `${where}: it is withheld, and found by a search.`);
  const before = many.calls();
  const tried = [`${server}.${sample.definition.name}`, ...listed];
  if (isHeld)
    for (const name of tried)
      rig.expect((await agent.call(name, {})).isError, `${where}: it is withheld and was called.`);
  if (isHeld) await operate(setup, setup.gateway.ownerToken, 'tools.call', { toolKey: key, arguments: {} });
  rig.expect(!isHeld || many.calls() === before, `${where}: it is withheld and was executed.`);
}
