/**
 * Measures what a program of an agent costs: its start in a warm thread, ten calls in a program beside the same ten calls one by one, a
 * thousand calls at once, and a fresh thread with a fresh virtual machine as the baseline. At the door, as agents come in, and inside
 * the gateway, where nothing but the pipeline is around either. All take turns in short slices, so that a busy machine disturbs them
 * alike; processor time is that of the gateway with its threads, without the server's and the agent's.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fresh, type Lane, openDoor, openInside, type Pair, type Place } from './chains-stage.ts';
import { median, percentile, rounded } from './kit/statistics.ts';

const usage = 'npm run bench:chains -- [--seconds 20] [--json]';
const targets = { warmStartMs: 5, timesCalls: 1.5 };
const sliceMs = 200;
const warmUpMs = 500;
const pauseMs = 5;
/** A thousand calls are more than a slice: they are made so often in all. */
const manyRuns = 5;

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '20' }, json: { type: 'boolean' } } });
const seconds = Number(values.seconds);
if (seconds > 0) {
  // Timers of the gateway keep no process alive; this one has to wait for them.
  const wait = setInterval(() => {}, 60_000);
  process.exitCode = await main();
  clearInterval(wait);
} else {
  console.error(`--seconds must be a number above 0: ${usage}`);
  process.exitCode = 2;
}

/** The cost of one lane so far. */
interface Course {
  readonly lane: Lane;
  readonly wallMs: number[];
  cpuMs: number;
}

interface Figures {
  readonly name: string;
  readonly runs: number;
  readonly wallMs: { readonly median: number; readonly p10: number };
  /** On average. */
  readonly cpuMs: number;
}

interface Ratio {
  /** Of the tenth percentiles: what each costs when nobody disturbs. */
  readonly wallP10: number;
  readonly wall: number;
  readonly cpu: number;
}

async function main(): Promise<number> {
  const places: Place[] = [];
  try {
    const door = await openDoor();
    places.push(door);
    const inside = await openInside();
    places.push(inside);
    return report(await measure([door, inside]), door, inside);
  } finally {
    for (const place of places) await place.close();
  }
}

async function measure(places: readonly Place[]): Promise<ReadonlyMap<Lane, Course>> {
  const lanes = [...places.flatMap(lanesOf), fresh];
  const courses = new Map<Lane, Course>();
  const courseOf = (lane: Lane): Course => {
    const course = courses.get(lane) ?? { lane, wallMs: [], cpuMs: 0 };
    courses.set(lane, course);
    return course;
  };
  for (const lane of lanes) await runSlice({ lane, wallMs: [], cpuMs: 0 }, warmUpMs);
  const rounds = Math.max(3, Math.round((seconds * 1_000) / (lanes.length * sliceMs)));
  for (let round = 0; round < rounds; round += 1) {
    // Every other round goes backwards, so that nobody always follows the same neighbour.
    for (const lane of round % 2 === 0 ? lanes : lanes.toReversed()) await runSlice(courseOf(lane), sliceMs);
  }
  for (const { many } of places) {
    for (let run = 0; run < manyRuns; run += 1) await runSlice(courseOf(many), 0);
  }
  return courses;
}

function lanesOf({ nothing, ...place }: Place): Lane[] {
  return [nothing, ...pairsOf(place).flatMap(({ calls, chain }) => [calls, chain])];
}

function pairsOf({ usual, quick, quickAtOnce }: Pick<Place, 'usual' | 'quick' | 'quickAtOnce'>): readonly Pair[] {
  return [usual, quick, quickAtOnce];
}

/** Once at least; threads that prepare the next run while the last one is answered are charged for it. */
async function runSlice(course: Course, ms: number): Promise<void> {
  const { lane, wallMs } = course;
  const before = lane.cpuMs();
  const start = performance.now();
  for (let now = start; now === start || now - start < ms; ) {
    await lane.run();
    wallMs.push(performance.now() - now);
    // Between two turns of an agent there is time, in which its model thinks.
    await pause(pauseMs);
    now = performance.now();
  }
  course.cpuMs += lane.cpuMs() - before;
}

function report(courses: ReadonlyMap<Lane, Course>, door: Place, inside: Place): number {
  const of = (lane: Lane): Figures => figuresOf(courses.get(lane) ?? { lane, wallMs: [], cpuMs: 0 });
  const ratios = Object.fromEntries(
    [door, inside].flatMap(pairsOf).map(({ name, calls, chain }) => [name, ratioOf(of(chain), of(calls))]),
  );
  const warmStartMs = of(inside.nothing).wallMs.median;
  const timesCalls = Math.max(
    ...[door.usual, door.quick].map(({ calls, chain }) => ratioOf(of(chain), of(calls)).wallP10),
  );
  const isReached = warmStartMs < targets.warmStartMs && timesCalls < targets.timesCalls;
  const lanes = [...courses.keys()].map(of);
  const freshToWarm = ratioOf(of(fresh), of(inside.nothing));
  if (values.json)
    console.info(JSON.stringify({ lanes, ratios, freshToWarm, warmStartMs, timesCalls, targets, isReached }));
  else
    print(
      lanes,
      ratios,
      freshToWarm,
      `${warmStartMs} ms and ${timesCalls} ×: ${isReached ? 'reached' : 'NOT reached'}`,
    );
  return isReached ? 0 : 1;
}

function figuresOf({ lane, wallMs, cpuMs }: Course): Figures {
  const runs = wallMs.length;
  return {
    name: lane.name,
    runs,
    wallMs: { median: rounded(median(wallMs)), p10: rounded(percentile(wallMs, 0.1)) },
    cpuMs: rounded(cpuMs / runs),
  };
}

function ratioOf(one: Figures, other: Figures): Ratio {
  return {
    wallP10: rounded(one.wallMs.p10 / other.wallMs.p10, 2),
    wall: rounded(one.wallMs.median / other.wallMs.median, 2),
    cpu: rounded(one.cpuMs / other.cpuMs, 2),
  };
}

function print(
  lanes: readonly Figures[],
  ratios: Readonly<Record<string, Ratio>>,
  freshToWarm: Ratio,
  outcome: string,
): void {
  const rows = lanes.map(({ name, runs, wallMs, cpuMs }) => [
    name,
    { 'wall ms': wallMs.median, 'wall p10': wallMs.p10, 'CPU ms': cpuMs, runs },
  ]);
  console.table(Object.fromEntries(rows));
  for (const [name, { wallP10, wall, cpu }] of Object.entries(ratios))
    console.info(
      `A program of ten calls against the ten calls, ${name}: ${wallP10} × the time (p10; median ${wall} ×), ${cpu} × the CPU.`,
    );
  console.info(`A fresh thread and machine: ${freshToWarm.wallP10} × the time (p10) of a program in a warm thread.`);
  console.info(
    `To reach: a warm start under ${targets.warmStartMs} ms, and under ${targets.timesCalls} × the ten calls at the door (p10, one by one, either server). ${outcome}.`,
  );
}
