/**
 * Stories of the terminal UI: what a person sees and presses, in a real terminal with a real gateway. Each is told twice, at
 * 80 × 24 with colours and at 140 × 40 without; `sees(name)` compares the screen with a file in `screens/`, which
 * TOOLCRIB_UPDATE=1 writes.
 */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { hasTmux, Terminal, type TerminalOptions, type TerminalSize, tmuxAdvice } from './terminal.ts';

const program = join(import.meta.dirname, '../../bin/toolcrib.js');
const isRequired = process.env.TOOLCRIB_TEST_ALL === '1';
const isThere = hasTmux();
if (!isThere) console.error(`Tests of the terminal UI ${isRequired ? 'fail' : 'are skipped'}: ${tmuxAdvice}`);

/** A test in a terminal; skipped where there is no tmux, or fails, with TOOLCRIB_TEST_ALL=1. */
export function terminalTest(title: string, act: () => Promise<void>): void {
  test(title, { skip: !isThere && !isRequired && tmuxAdvice }, async () => {
    assert.ok(isThere, tmuxAdvice);
    await act();
  });
}

interface Variant extends TerminalSize {
  readonly env: Readonly<Record<string, string>>;
}

const variants: readonly Variant[] = [
  { columns: 80, rows: 24, env: {} },
  { columns: 140, rows: 40, env: { NO_COLOR: '1' } },
];

export interface Story {
  readonly terminal: Terminal;
  readonly press: Terminal['press'];
  readonly type: Terminal['type'];
  readonly shows: Terminal['shows'];
  /** Waits until the screen is as the file says. */
  readonly sees: (name: string) => Promise<void>;
}

/** Terminals of stories that have ended, each with the program in it that shows the next one. */
const free = new Map<Variant, Terminal>();
/** Stories whose files have not ended. With the last one go the terminals. */
let declared = 0;

/** `dataDir`: of a gateway that runs. */
export function tellStory(title: string, dataDir: () => Promise<string>, tell: (story: Story) => Promise<void>): void {
  declared += 1;
  after(async () => {
    declared -= 1;
    if (declared === 0) await Promise.all([...free.values()].map((terminal) => terminal[Symbol.asyncDispose]()));
  });
  for (const variant of variants) {
    const { columns, rows, env } = variant;
    terminalTest(`${title} (${columns} × ${rows}${env.NO_COLOR ? ', no colours' : ''})`, async () => {
      await using stack = new AsyncDisposableStack();
      const terminal = stack.use(free.get(variant) ?? (await openHost(variant)));
      free.delete(variant);
      await terminal.type(`${await dataDir()}\r`);
      await tell({
        terminal,
        press: (...keys) => terminal.press(...keys),
        type: (text) => terminal.type(text),
        shows: (text) => terminal.shows(text),
        sees: (name) => compareScreen(terminal, name),
      });
      await terminal.press('C-c');
      await isFree(terminal);
      free.set(variant, terminal);
      // One in which a story failed is not used again.
      stack.move();
    });
  }
}

async function openHost({ env, ...size }: Variant): Promise<Terminal> {
  const command = [process.execPath, join(import.meta.dirname, 'tui-host.ts')];
  const terminal = await Terminal.open({ ...size, command, env });
  await isFree(terminal);
  return terminal;
}

/** Nothing stands behind its question yet. */
async function isFree(terminal: Terminal): Promise<void> {
  await terminal.shows(/folder\?$/);
}

export function openTui(
  dataDir: string,
  size: TerminalSize = usualSize,
  env: Readonly<Record<string, string>> = {},
): Promise<Terminal> {
  return openProgram(['tui', '--data', dataDir], { ...size, env });
}

interface ProgramOptions extends Partial<Omit<TerminalOptions, 'command'>> {
  /** A command that runs the program. */
  readonly before?: readonly string[];
}

/** Any command, in a terminal of 80 × 24 unless another is wanted. */
export function openProgram(
  line: readonly string[],
  { before = [], ...options }: ProgramOptions = {},
): Promise<Terminal> {
  return Terminal.open({ ...usualSize, ...options, command: [...before, process.execPath, program, ...line] });
}

const usualSize: TerminalSize = { columns: 80, rows: 24 };

/** Waits until the screen is as the file says. */
export async function compareScreen(terminal: Terminal, name: string): Promise<void> {
  const { columns, rows } = terminal.size;
  const file = join(import.meta.dirname, 'screens', `${name}.${columns}x${rows}.txt`);
  if (process.env.TOOLCRIB_UPDATE === '1') return writeFileSync(file, `${await settled(terminal)}\n`);
  assert.ok(existsSync(file), `There is no screen ${file}: TOOLCRIB_UPDATE=1 writes it.`);
  const expected = steady(readFileSync(file, 'utf8').trimEnd());
  let seen = '';
  const look = async () => {
    seen = steady(await terminal.read());
    return seen === expected ? true : undefined;
  };
  await terminal.eventually(`screen ${name}`, look).catch(() => assert.equal(seen, expected));
}

/** Ports, durations and ages are others each time, and messages go after a while. */
function steady(screen: string): string {
  const durations = / *\d[\d.]* (?:ms|s|min)\b/g;
  const ages = /\d+ (?:second|minute|hour|day)s? ago/g;
  const message = /\n[✓✗] .*(\n.*)$/;
  return screen
    .replace(message, '\n$1')
    .replace(/Port: \d+/, 'Port: 3333')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:3333')
    .replace(ages, (found) => '# ago'.padEnd(found.length))
    .replace(durations, (found) => '#'.padStart(found.length))
    .replace(/ +$/gm, '');
}

/** The screen after it has been the same a few times in a row. */
async function settled(terminal: Terminal): Promise<string> {
  let last = '';
  let times = 0;
  return terminal.eventually('a screen that stays', async () => {
    const seen = steady(await terminal.read());
    times = seen === last ? times + 1 : 0;
    last = seen;
    return times > 5 ? seen : undefined;
  });
}
