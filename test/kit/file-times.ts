/**
 * The cost of each test file: clock and processor, children included. A file notes it, and the runner shows the dearest, and
 * the unit tests that cost too much for a check before each commit.
 */

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { workMs } from './work-ms.ts';

interface FileTime {
  readonly file: string;
  readonly wallMs: number;
  readonly cpuMs: number;
}

interface NotedTime extends FileTime {
  /** How many times as long as on a quiet machine work took here and now, at least 1. */
  readonly slowness: number;
}

/** The fast tests: beside the source, and the house rules. */
export const unitPatterns = ['src/**/*.test.ts', 'test/tidy/*.test.ts'];
/** Of the processor on a quiet machine, without the time to load the file: what costs more is a scenario. */
export const mostUnitMs = 2_000;
/** The yardstick: a number of rounds of some work, and how long they take on a quiet machine. */
const yardstickRounds = 20;
const yardstickMs = 70;

/** Names the folder for the notes. */
export const TIMES_VARIABLE = 'TOOLCRIB_TEST_TIMES';
const shown = 10;
/** Linux counts the time of children in hundredths of a second. */
const tickMs = 10;

export function writeFileTime(time: FileTime): void {
  const folder = process.env[TIMES_VARIABLE];
  if (folder === undefined) return;
  const noted: NotedTime = { ...time, slowness: isUnit(time.file) && time.cpuMs > mostUnitMs ? slowness() : 1 };
  writeFileSync(join(folder, `${time.file.replaceAll('/', '+')}.json`), JSON.stringify(noted));
}

function isUnit(file: string): boolean {
  return unitPatterns.some((pattern) => matchesGlob(file, pattern));
}

/** The same work takes more of the processor on a slow machine, and on one whose cores and caches others use as well. */
function slowness(): number {
  const measured = () => workMs(() => Array.from({ length: yardstickRounds }, someWork));
  return Math.max(yardstickMs, measured(), measured(), measured()) / yardstickMs;
}

/** Like that of tests: texts, objects, lists. */
function someWork(): void {
  const rows = Array.from({ length: 6_000 }, (_, id) => ({ id, name: `row ${(id * 7_919) % 6_000}` }));
  const sorted = rows.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  JSON.parse(JSON.stringify(Object.groupBy(sorted, ({ name }) => name.slice(0, 6))));
}

/** The time that this process and its ended children have used so far. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + childrenMs();
}

/** 0 where the system does not count it. */
function childrenMs(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) * tickMs;
  } catch {
    return 0;
  }
}

/** A table of the files that took most of the processor, and of all together. */
export function dearestFiles(notes: string, allMs: number): string {
  const times = readTimes(notes);
  const rows = times.toSorted((one, other) => other.cpuMs - one.cpuMs).slice(0, shown);
  return [
    `${times.length} files took ${seconds(allMs).trim()} of the processor. The dearest (processor, clock):`,
    ...rows.map((row) => `${seconds(row.cpuMs)} ${seconds(row.wallMs)}  ${row.file}`),
  ].join('\n');
}

/**
 * The unit tests that took too much of the processor, one a line. The slowest measurement counts for all: one that is made when most
 * others have ended says nothing of the time before.
 */
export function tooDearUnits(notes: string): string[] {
  const times = readTimes(notes);
  const slowest = Math.max(1, ...times.map((one) => one.slowness));
  return times
    .filter(({ file, cpuMs }) => isUnit(file) && cpuMs > mostUnitMs * slowest)
    .map(({ file, cpuMs }) => `${file} took ${seconds(cpuMs).trim()}`);
}

function readTimes(notes: string): NotedTime[] {
  return globSync(join(notes, '*.json')).map((path) => JSON.parse(readFileSync(path, 'utf8')) as NotedTime);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`.padStart(9);
}
