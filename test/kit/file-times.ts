/** The cost of each test file: clock and processor, children included. A file notes it, and the runner shows the dearest. */

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface FileTime {
  readonly file: string;
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** Names the folder for the notes. */
export const TIMES_VARIABLE = 'TOOLCRIB_TEST_TIMES';
const shown = 10;
/** Linux counts the time of children in hundredths of a second. */
const tickMs = 10;

export function writeFileTime(time: FileTime): void {
  const folder = process.env[TIMES_VARIABLE];
  if (folder !== undefined) writeFileSync(join(folder, `${time.file.replaceAll('/', '+')}.json`), JSON.stringify(time));
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
  const times = globSync(join(notes, '*.json')).map((path) => JSON.parse(readFileSync(path, 'utf8')) as FileTime);
  const rows = times.toSorted((one, other) => other.cpuMs - one.cpuMs).slice(0, shown);
  return [
    `${times.length} files took ${seconds(allMs).trim()} of the processor. The dearest (processor, clock):`,
    ...rows.map((row) => `${seconds(row.cpuMs)} ${seconds(row.wallMs)}  ${row.file}`),
  ].join('\n');
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`.padStart(9);
}
