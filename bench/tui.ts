/**
 * Measures the terminal UI in tmux, on a gateway with 3,000 tools: the time from the command to the first full screen, processor
 * time at rest and while 200 calls a second are shown, its memory after each minute of that, and how much of its heap is in use
 * then and in a new one. `--rest` says how many seconds it is left alone, `--minutes` how long it is watched.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { hasTmux, Terminal, tmuxAdvice } from '../test/tui/terminal.ts';
import { type DashboardStage, openDashboardStage } from './dashboard-stage.ts';
import { callEvenly } from './kit/even-calls.ts';
import { cpuMs, rssMb } from './kit/process-figures.ts';
import { median, rounded } from './kit/statistics.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    rest: { type: 'string', default: '60' },
    tools: { type: 'string', default: '3000' },
    json: { type: 'boolean', default: false },
  },
});

const callsPerSecond = 200;
const starts = 3;
const settleMs = 5_000;
/** The header knows the gateway, and there are servers. */
const isFull = /Port: \d[\s\S]+ connected /;
const program = join(import.meta.dirname, '../bin/toolcrib.js');
const folder = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true }));
const heapFile = join(folder, 'heap');
/** Runs before the program: at a signal it collects garbage, which comes and goes, and writes down the rest. */
const heapTeller = `import { writeFileSync } from 'node:fs';
process.on('SIGUSR2', () => {
  gc();
  writeFileSync(${JSON.stringify(heapFile)}, String(process.memoryUsage().heapUsed));
});`;
const flags = ['--expose-gc', '--import', `data:text/javascript,${encodeURIComponent(heapTeller)}`];

if (!hasTmux()) throw new Error(tmuxAdvice);
await using stage = await openDashboardStage({ tools: Number(values.tools), calls: 1_000 });
const figures = { ...(await measureStarts(stage)), ...(await measureRunning(stage)) };
if (values.json) console.info(JSON.stringify(figures));
else console.table(figures);

function openTerminal({ dataDir }: DashboardStage): Promise<Terminal> {
  const command = [process.execPath, ...flags, program, 'tui', '--data', dataDir];
  return Terminal.open({ columns: 140, rows: 40, command });
}

async function measureStarts(from: DashboardStage): Promise<object> {
  const times: number[] = [];
  for (let time = 0; time < starts; time += 1) {
    const start = performance.now();
    await using terminal = await openTerminal(from);
    await terminal.shows(isFull);
    times.push(performance.now() - start);
  }
  return { 'ms to the first full screen': rounded(median(times), 0) };
}

/** At rest on the servers, then on the activity log while calls come: it changes with each of them. */
async function measureRunning(from: DashboardStage): Promise<object> {
  await using terminal = await openTerminal(from);
  await terminal.shows(isFull);
  const pid = await terminal.pid();
  await pause(settleMs);
  const rest = await shareOfCore(pid, () => pause(Number(values.rest) * 1_000));
  await terminal.press('l');
  await callEvenly(from.target, callsPerSecond, settleMs);
  const memory = [rssMb(pid)];
  let made = 0;
  const start = performance.now();
  const busy = await shareOfCore(pid, async () => {
    while (memory.length <= Number(values.minutes)) {
      made += await callEvenly(from.target, callsPerSecond, 60_000);
      memory.push(rssMb(pid));
    }
  });
  return {
    '% of a core at rest (to reach: 1)': rounded(100 * rest),
    'calls/s': rounded((1_000 * made) / (performance.now() - start), 0),
    '% of a core while they are shown (to reach: 30)': rounded(100 * busy, 1),
    'MB at first and after each minute': memory.map((mb) => rounded(mb, 0)).join(' '),
    'MB of the heap in use, in a new one and after': `${await newHeapMb(from)} ${await heapMb(terminal, pid)}`,
  };
}

/** In a process of its own: one that was made to collect its garbage has less of it for minutes. */
async function newHeapMb(from: DashboardStage): Promise<number> {
  await using terminal = await openTerminal(from);
  await terminal.shows(isFull);
  await terminal.press('l');
  await callEvenly(from.target, callsPerSecond, settleMs);
  return heapMb(terminal, await terminal.pid());
}

async function heapMb(terminal: Terminal, pid: number): Promise<number> {
  rmSync(heapFile, { force: true });
  process.kill(pid, 'SIGUSR2');
  const bytes = await terminal.eventually('the size of the heap', async () => {
    try {
      return Number(readFileSync(heapFile, 'utf8')) || undefined;
    } catch {
      return undefined; // It is not written yet.
    }
  });
  return rounded(bytes / 1_000_000, 1);
}

async function shareOfCore(pid: number, act: () => Promise<unknown>): Promise<number> {
  const [before, start] = [cpuMs(pid), performance.now()];
  await act();
  return (cpuMs(pid) - before) / (performance.now() - start);
}
