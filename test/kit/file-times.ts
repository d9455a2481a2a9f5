/**
 * What each test file cost. Loaded into the process of a test file (`--import`), it notes at the end how long that took and how
 * much of the processor, children included; the runner shows the dearest files.
 */

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isMainThread } from 'node:worker_threads';

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

const folder = process.env[TIMES_VARIABLE];
const file = process.argv[1] ?? '';
// The runner itself, threads and programs that a test starts note nothing.
if (folder !== undefined && isMainThread && file.endsWith('.test.ts') && process.env.NODE_TEST_CONTEXT !== undefined)
  process.once('exit', () => {
    const { user, system } = process.cpuUsage();
    const cpuMs = (user + system) / 1_000 + childrenMs();
    const time: FileTime = { file: relative(process.cwd(), file), wallMs: performance.now(), cpuMs };
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(time));
  });

/** Of children that have ended; 0 where the system does not tell. */
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
export function dearestFiles(notes: string): string {
  const times = globSync(join(notes, '*.json')).map((path) => JSON.parse(readFileSync(path, 'utf8')) as FileTime);
  const rows = times.toSorted((one, other) => other.cpuMs - one.cpuMs).slice(0, shown);
  const cpuMs = times.reduce((sum, time) => sum + time.cpuMs, 0);
  return [
    `${times.length} files took ${seconds(cpuMs).trim()} of the processor. The dearest (processor, clock):`,
    ...rows.map((row) => `${seconds(row.cpuMs)} ${seconds(row.wallMs)}  ${row.file}`),
  ].join('\n');
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`.padStart(9);
}
