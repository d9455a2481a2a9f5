/**
 * Measures what a gateway does again when something changes: listing, indexing and embedding from nothing, after a restart,
 * after one changed tool, and when everything is asked again; then the time of a recommendation by mode, and of a start
 * with links that are opened when needed or at once. Ends with 1 where anything unchanged was embedded again.
 */

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { localModes } from '../src/search/search.ts';
import { median, percentile, rounded, spread } from './kit/statistics.ts';
import { Harness, PlayedServers, type Work } from './refresh-harness.ts';
import { type LinkFigures, measureLinks } from './refresh-links.ts';
import { reword, seededRandom } from './usage-week.ts';

const usage = 'npm run bench:refresh -- [--servers N] [--tools N] [--no-links] [--json]';
const rounds = 3;
const questions = 200;
const wordsOfQuestion = 12;
const nothing = { serversAsked: 0, toolsChanged: 0, embedded: 0, vectorsStored: 0 };
const steps = [
  'from nothing',
  'restart',
  'restart, asked at once',
  'one changed tool, its server asked again',
  'all servers asked again, nothing changed',
  'all servers asked again with --force',
] as const;
type Step = (typeof steps)[number];
type StepWork = Readonly<Record<Step, Work>>;

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '100' },
    tools: { type: 'string', default: '30' },
    'no-links': { type: 'boolean', default: false },
    json: { type: 'boolean' },
  },
});
const [serverCount, toolsOfEach] = [Number(values.servers), Number(values.tools)];
if (![serverCount, toolsOfEach].every((count) => Number.isInteger(count) && count > 0)) {
  console.error(`Servers and tools of each are whole numbers: ${usage}`);
  process.exitCode = 2;
} else {
  // Timers of the gateway keep no process alive; this one has to wait for them.
  const wait = setInterval(() => {}, 60_000);
  process.exitCode = await main();
  clearInterval(wait);
}

async function main(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-bench-'));
  try {
    const measured: StepWork[] = [];
    // The first does not count: it is compiled then.
    for (let round = 0; round <= rounds; round += 1) measured.push(await runSteps(join(folder, `round-${round}`)));
    const work = Object.fromEntries(
      steps.map((step) => [step, summaryOf(measured.slice(1).map((each) => each[step]))]),
    );
    const latency = await measureLatency(join(folder, `round-${rounds}`));
    const links = values['no-links'] ? null : await measureLinks(join(folder, 'links'));
    const isThrifty = measured.every(isMinimal);
    report({ servers: serverCount, tools: serverCount * toolsOfEach, rounds, work, latency, links, isThrifty });
    return isThrifty ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runSteps(folder: string): Promise<StepWork> {
  await mkdir(folder, { recursive: true });
  const servers = new PlayedServers(serverCount, toolsOfEach);
  const names = servers.specs.map((spec) => spec.name);
  const [cold, fromNothing] = await timed(nothing, async () => {
    const opened = await Harness.open(folder, servers);
    await opened.refresh(names);
    return opened;
  });
  await cold.close();
  const [hasty, hastyRestart] = await timed(nothing, () => Harness.open(folder, servers));
  await hasty.close();
  const [harness, restart] = await timed(nothing, async () => {
    const opened = await Harness.open(folder, servers);
    await opened.prepared();
    return opened;
  });
  const again = async (asked: readonly string[], how: 'plain' | 'forced') => {
    const [, work] = await timed(harness.work, async () => {
      await harness.refresh(asked, how);
      return harness;
    });
    return work;
  };
  const one = names.slice(0, 1);
  for (const name of one) servers.changeOneTool(name);
  const changed = await again(one, 'plain');
  const unchanged = await again(names, 'plain');
  const forced = await again(names, 'forced');
  await harness.close();
  return {
    'from nothing': fromNothing,
    restart,
    'restart, asked at once': hastyRestart,
    'one changed tool, its server asked again': changed,
    'all servers asked again, nothing changed': unchanged,
    'all servers asked again with --force': forced,
  };
}

/** The time until a search by meaning sees all that `act` brought to the harness it gives, and what was done for it. */
async function timed(before: Omit<Work, 'ms'>, act: () => Promise<Harness>): Promise<[Harness, Work]> {
  const start = performance.now();
  const harness = await act();
  await harness.settle();
  const ms = performance.now() - start;
  const { work } = harness;
  const done = {
    serversAsked: work.serversAsked - before.serversAsked,
    toolsChanged: work.toolsChanged - before.toolsChanged,
    embedded: work.embedded - before.embedded,
    vectorsStored: work.vectorsStored - before.vectorsStored,
  };
  return [harness, { ms, ...done }];
}

/** Each text is embedded once: all from nothing, one after one change, none otherwise. */
function isMinimal(work: StepWork): boolean {
  const [cold, ...later] = steps.map((step) => work[step]);
  return (
    cold?.embedded === new Set(new PlayedServers(serverCount, toolsOfEach).descriptions()).size &&
    later.map((each) => each.embedded).join() === '0,0,1,0,0' &&
    later.map((each) => each.vectorsStored).join() === '0,0,1,0,0'
  );
}

function summaryOf(measured: readonly Work[]) {
  const last = measured.at(-1);
  return { ...last, ms: spread(measured.map((each) => each.ms)) };
}

/** Every question in every mode in turn, so that what disturbs the machine disturbs all of them. */
async function measureLatency(folder: string): Promise<Record<string, Record<string, number>>> {
  const servers = new PlayedServers(serverCount, toolsOfEach);
  const harness = await Harness.open(folder, servers);
  await harness.settle();
  const random = seededRandom(questions);
  const texts = servers.descriptions();
  const asked = Array.from({ length: questions }, () => {
    const text = texts[Math.floor(random() * texts.length)] ?? '';
    return reword(text.split(' ').slice(0, wordsOfQuestion).join(' '), random);
  });
  const times = new Map(localModes.map((mode) => [mode, asked.map((): number[] => [])]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, query] of asked.entries()) {
      for (const mode of localModes) {
        const start = performance.now();
        await harness.ask(query, mode);
        if (round > 0) times.get(mode)?.[at]?.push(performance.now() - start);
      }
    }
  }
  await harness.close();
  return Object.fromEntries(
    [...times].map(([mode, all]) => {
      const medians = all.map(median);
      const figures = { p50Ms: percentile(medians, 0.5), p99Ms: percentile(medians, 0.99) };
      return [mode, { p50Ms: rounded(figures.p50Ms), p99Ms: rounded(figures.p99Ms) }];
    }),
  );
}

interface Report {
  readonly servers: number;
  readonly tools: number;
  readonly rounds: number;
  readonly work: Record<string, ReturnType<typeof summaryOf>>;
  readonly latency: Record<string, Record<string, number>>;
  readonly links: Record<string, LinkFigures> | null;
  readonly isThrifty: boolean;
}

function report(found: Report): void {
  if (values.json) return console.info(JSON.stringify(found));
  const cold = found.work['from nothing']?.ms.median ?? 1;
  console.info(`${found.servers} servers, ${found.tools} tools, medians of ${found.rounds} rounds.`);
  console.table(
    Object.fromEntries(
      Object.entries(found.work).map(([step, { ms, ...counts }]) => [
        step,
        { ms: Math.round(ms.median), '× from nothing': rounded(ms.median / cold), ...counts },
      ]),
    ),
  );
  console.info(found.isThrifty ? 'Nothing unchanged was embedded again.' : 'SOMETHING UNCHANGED WAS EMBEDDED AGAIN.');
  console.info('One recommendation, by mode:');
  console.table(found.latency);
  if (!found.links) return;
  console.info('A start with a known catalog, by when servers are connected:');
  console.table(found.links);
}
