/** From slices of load to the figures of a report. Ratios are taken within a round, where both sides saw the same machine. */

import type { Slice } from './kit/load.ts';
import { median, percentile, rounded, type Spread, spread } from './kit/statistics.ts';
import type { ServerKind, Stage, Way } from './overhead-stage.ts';

/** The slices of one lane, one a round. */
export interface Course {
  readonly at1: readonly Slice[];
  readonly at16: readonly Slice[];
  readonly at64: readonly Slice[];
}

export interface WayFigures {
  readonly agent: string;
  readonly server: ServerKind;
  readonly cpuMs: Spread;
  readonly floorCpuMs: Spread;
  readonly timesFloor: number;
  readonly targetCpuMs: number;
  readonly laterTargetCpuMs: number;
  /** How many times as long as a direct call, 16 at once. */
  readonly latencyTimesDirect: { readonly p10: number; readonly p50: number };
  /** Milliseconds on top of a direct call, where nothing else is called. */
  readonly addedMsAlone: number;
  /** Calls per second as a share of direct calls per second. */
  readonly throughputShare: { readonly at16: number; readonly at64: number };
}

export interface OverheadReport {
  readonly rounds: number;
  readonly calls: number;
  readonly errors: number;
  readonly sample?: string;
  readonly direct: {
    readonly latencyMs: { readonly p10: number; readonly p50: number };
    readonly callsPerSecond: { readonly at16: number; readonly at64: number };
  };
  readonly ways: readonly WayFigures[];
}

/** Processor time a call that we want to stay below. */
const targets: Readonly<Record<ServerKind, { readonly now: number; readonly later: number }>> = {
  stdio: { now: 0.5, later: 0.25 },
  http: { now: 1.2, later: 0.6 },
};

export function reportOf(stage: Stage, ways: readonly Way[], courses: ReadonlyMap<string, Course>): OverheadReport {
  const all = [...courses.values()].flatMap((course) => [...course.at1, ...course.at16, ...course.at64]);
  const direct = courseOf(courses, stage.direct.name);
  const sample = all.find((slice) => slice.sample !== undefined)?.sample;
  return {
    rounds: direct.at16.length,
    calls: all.reduce((sum, slice) => sum + slice.calls, 0),
    errors: all.reduce((sum, slice) => sum + slice.errors, 0),
    ...(sample === undefined ? {} : { sample }),
    direct: {
      latencyMs: { p10: rounded(latencyMs(direct.at16, 0.1)), p50: rounded(latencyMs(direct.at16, 0.5)) },
      callsPerSecond: { at16: Math.round(rate(direct.at16)), at64: Math.round(rate(direct.at64)) },
    },
    ways: ways.map((way) =>
      figuresOf(way, courseOf(courses, way.name), courseOf(courses, stage.floors[way.server].name), direct),
    ),
  };
}

function figuresOf(way: Way, own: Course, floor: Course, direct: Course): WayFigures {
  const cpu = (slice: Slice) => slice.cpuMsPerCall;
  const speed = (slice: Slice) => slice.callsPerSecond;
  const latency = (share: number) => (slice: Slice) => percentile(slice.latenciesMs, share);
  return {
    agent: way.era,
    server: way.server,
    cpuMs: spread(own.at16.map(cpu)),
    floorCpuMs: spread(floor.at16.map(cpu)),
    timesFloor: pairedRatio(own.at16, floor.at16, cpu),
    targetCpuMs: targets[way.server].now,
    laterTargetCpuMs: targets[way.server].later,
    latencyTimesDirect: {
      p10: pairedRatio(own.at16, direct.at16, latency(0.1)),
      p50: pairedRatio(own.at16, direct.at16, latency(0.5)),
    },
    addedMsAlone: rounded(latencyMs(own.at1, 0.5) - latencyMs(direct.at1, 0.5)),
    throughputShare: {
      at16: pairedRatio(own.at16, direct.at16, speed),
      at64: pairedRatio(own.at64, direct.at64, speed),
    },
  };
}

/** The median over the rounds of one side's figure by the other's. */
function pairedRatio(own: readonly Slice[], other: readonly Slice[], figure: (slice: Slice) => number): number {
  const ratios = own.flatMap((slice, round) => {
    const partner = other[round];
    return partner === undefined ? [] : [figure(slice) / figure(partner)];
  });
  return rounded(median(ratios));
}

function latencyMs(slices: readonly Slice[], share: number): number {
  return median(slices.map((slice) => percentile(slice.latenciesMs, share)));
}

function rate(slices: readonly Slice[]): number {
  return median(slices.map((slice) => slice.callsPerSecond));
}

function courseOf(courses: ReadonlyMap<string, Course>, name: string): Course {
  return courses.get(name) ?? { at1: [], at16: [], at64: [] };
}
