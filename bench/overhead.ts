/**
 * Measures what a tool call costs in the gateway: processor time of its process (workers included) and of its guard, for
 * agents of both eras and servers on stdio and HTTP, beside direct calls and beside a gateway that checks nothing. All
 * take turns in short slices, so that a busy machine disturbs them alike.
 */

import { parseArgs } from 'node:util';
import { runSlice, type Slice } from './kit/load.ts';
import { type OverheadReport, reportOf, type WayFigures } from './overhead-figures.ts';
import { type Lane, openStage, type Stage, type Way } from './overhead-stage.ts';

const usage = 'npm run bench:overhead -- [--seconds 30] [--only ERA-SERVER] [--profile DIR] [--bin] [--json]';
const sliceMs = { at1: 150, at16: 500, at64: 250 };
/** Compiling hot code is not part of a call: each lane runs so long before anything counts. */
const warmUpMs = 1_000;

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '30' },
      only: { type: 'string' },
      profile: { type: 'string' },
      bin: { type: 'boolean' },
      json: { type: 'boolean' },
    },
  });
  const seconds = Number(values.seconds);
  if (!(seconds > 0)) return refuse(`--seconds must be a number above 0: ${usage}`);
  const flags = values.profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', values.profile];
  const stage = await openStage({ kind: values.bin ? 'bin' : 'bare', flags });
  try {
    const ways = stage.ways.filter((way) => values.only === undefined || `${way.era}-${way.server}` === values.only);
    if (ways.length === 0) return refuse(`--only is one of modern-stdio, legacy-stdio, modern-http, legacy-http.`);
    const report = await measure(stage, ways, seconds);
    if (values.json) console.info(JSON.stringify(report));
    else print(report);
    return report.errors === 0 ? 0 : 1;
  } finally {
    await stage.close();
  }
}

function refuse(sentence: string): number {
  console.error(sentence);
  return 2;
}

async function measure(stage: Stage, ways: readonly Way[], seconds: number): Promise<OverheadReport> {
  const lanes: readonly Lane[] = [stage.direct, stage.floors.stdio, stage.floors.http, ...ways];
  for (const lane of lanes) await runSlice(lane.target, { atOnce: 16, ms: warmUpMs, pids: lane.pids });
  const courses = new Map(
    lanes.map((lane) => [lane.name, { at1: [] as Slice[], at16: [] as Slice[], at64: [] as Slice[] }]),
  );
  const roundMs = lanes.length * (sliceMs.at1 + sliceMs.at16 + sliceMs.at64);
  const rounds = Math.max(3, Math.round((seconds * 1000) / roundMs));
  for (let round = 0; round < rounds; round += 1) {
    // Every other round goes backwards, so that nobody always follows the same neighbour.
    for (const { name, target, pids } of round % 2 === 0 ? lanes : lanes.toReversed()) {
      const course = courses.get(name);
      course?.at1.push(await runSlice(target, { atOnce: 1, ms: sliceMs.at1, pids }));
      course?.at16.push(await runSlice(target, { atOnce: 16, ms: sliceMs.at16, pids }));
      course?.at64.push(await runSlice(target, { atOnce: 64, ms: sliceMs.at64, pids }));
    }
  }
  return reportOf(stage, ways, courses);
}

function print(report: OverheadReport): void {
  console.table(Object.fromEntries(report.ways.map((way) => [`${way.agent} agent, ${way.server} server`, row(way)])));
  const { latencyMs, callsPerSecond } = report.direct;
  console.info(
    `Direct to the HTTP server: p10 ${latencyMs.p10} ms, p50 ${latencyMs.p50} ms; ${callsPerSecond.at16} calls/s at 16, ${callsPerSecond.at64} at 64.`,
  );
  console.info(`${report.rounds} rounds, ${report.calls} calls, ${report.errors} errors.`);
  if (report.sample !== undefined) console.info(`One of them: ${report.sample}`);
}

function row(way: WayFigures): Record<string, string | number> {
  return {
    'CPU ms/call': way.cpuMs.median,
    p10: way.cpuMs.p10,
    target: `${way.targetCpuMs} (later ${way.laterTargetCpuMs})`,
    floor: way.floorCpuMs.median,
    '× floor': way.timesFloor,
    'p10 × direct': way.latencyTimesDirect.p10,
    'p50 × direct': way.latencyTimesDirect.p50,
    '+ ms alone': way.addedMsAlone,
    'share at 16': way.throughputShare.at16,
    'share at 64': way.throughputShare.at64,
  };
}
