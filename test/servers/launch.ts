/** Runs test servers for tests: a command line for stdio, a running process for HTTP, and the journal of either. */

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { HANG_MS } from '../kit/processes.ts';
import type { JournalEvent } from './journal.ts';
import { parseSpec, type ServerSpec } from './spec.ts';

export type { ServerSpec } from './spec.ts';

const PROGRAM = join(import.meta.dirname, 'start.js');

/** Linux refuses a single argument of 128 KiB; longer specs go through a file. */
const ARGUMENT_LIMIT = 100_000;

export interface ServerCommand {
  readonly command: string;
  readonly args: string[];
}

/** One line of a journal: what happened, when, in which process, and what else there is to know. */
export interface JournalEntry {
  readonly event: JournalEvent;
  readonly at: number;
  readonly pid: number;
  readonly [fact: string]: unknown;
}

/** A server that can be reached at an address. */
export interface OpenServer extends AsyncDisposable {
  readonly url: string;
  /** The path of the journal, for `waitForEntry`. */
  readonly journalPath: string;
  journal(): JournalEntry[];
  /** Ends the server, by force if it does not listen, and waits until it is gone. Idempotent. */
  stop(): Promise<void>;
}

/** The same as a process. */
export interface RunningServer extends OpenServer {
  readonly pid: number;
  /** Resolves with the exit code, or the signal, once the process is gone. */
  readonly exited: Promise<number | NodeJS.Signals>;
  /** The server's standard error so far. */
  stderr(): string;
}

/** The command line of a server; throws at once when the spec is wrong, rather than in the child. */
export function serverCommand(spec: ServerSpec): ServerCommand {
  parseSpec(spec);
  const json = JSON.stringify(spec);
  if (json.length < ARGUMENT_LIMIT) return { command: process.execPath, args: [PROGRAM, json] };
  const file = join(scratchFolder(), `${randomUUID()}.json`);
  writeFileSync(file, json);
  return { command: process.execPath, args: [PROGRAM, '--file', file] };
}

/** Starts a server over http or sse and resolves when it listens; it ends with this process at the latest. */
export async function startServer(
  spec: ServerSpec,
  options: { readonly env?: Record<string, string> } = {},
): Promise<RunningServer> {
  const journalPath = spec.journal ?? newJournal();
  const { command, args } = serverCommand({ transport: 'http', ...spec, journal: journalPath });
  const env = { PATH: process.env.PATH ?? '', ...options.env };
  const child = spawn(command, [...args, '--exit-with-stdin'], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const complaints: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text));
  const exited = once(child, 'exit').then(([code, signal]) => code ?? signal);
  const url = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([line]) => String(line).replace('listening ', '')),
    exited.then((how) => Promise.reject(new Error(`The server ended at its start (${how}): ${complaints.join('')}`))),
  ]);
  const stop = async () => {
    child.kill('SIGTERM');
    const force = setTimeout(() => child.kill('SIGKILL'), 1000);
    await exited;
    clearTimeout(force);
  };
  const journal = () => readJournal(journalPath);
  const pid = child.pid ?? 0;
  const stderr = () => complaints.join('');
  return { url, pid, exited, journalPath, journal, stderr, stop, [Symbol.asyncDispose]: stop };
}

/** A path for a journal that no other server writes to; gone when this process ends. */
export function newJournal(): string {
  return join(scratchFolder(), `${randomUUID()}.jsonl`);
}

let scratch: string | undefined;

function scratchFolder(): string {
  if (scratch !== undefined) return scratch;
  const folder = mkdtempSync(join(tmpdir(), 'test-server-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  scratch = folder;
  return folder;
}

/** How far each journal was read: some are looked at over and over, and only grow. */
const journalsRead = new Map<string, { bytes: number; readonly entries: JournalEntry[] }>();

/** All entries so far; none when the server has not started. */
export function readJournal(path: string): JournalEntry[] {
  if (!existsSync(path)) return [];
  const known = journalsRead.get(path) ?? { bytes: 0, entries: [] };
  journalsRead.set(path, known);
  const added = readFrom(path, known.bytes);
  // The text after the last line end is still being written.
  const end = added.lastIndexOf('\n') + 1;
  known.bytes += end;
  for (const line of added.toString('utf8', 0, end).split('\n').slice(0, -1))
    known.entries.push(JSON.parse(line) as JournalEntry);
  return [...known.entries];
}

function readFrom(path: string, position: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(fstatSync(file).size - position);
    return bytes.subarray(0, readSync(file, bytes, { position }));
  } finally {
    closeSync(file);
  }
}

/**
 * Resolves with the first entry that fits, whether it is there already or comes; rejects after `timeoutMs`. `position`: how many
 * entries came before it. Its time does not tell: a fast machine does several things within a millisecond.
 */
export async function waitForEntry(
  path: string,
  fits: (entry: JournalEntry, position: number) => boolean,
  timeoutMs = HANG_MS,
): Promise<JournalEntry> {
  const { promise, resolve, reject } = Promise.withResolvers<JournalEntry>();
  const look = () => {
    const entry = readJournal(path).find(fits);
    if (entry !== undefined) resolve(entry);
  };
  // The folder is watched, not the file: that may not exist yet.
  const watcher = watch(dirname(path), (_event, name) => {
    if (name === basename(path)) look();
  });
  const timer = setTimeout(() => {
    const seen = readJournal(path).map(({ event }) => event);
    reject(new Error(`The journal has no such entry after ${timeoutMs} ms; it has: ${seen.join(', ')}.`));
  }, timeoutMs);
  look();
  return promise.finally(() => {
    clearTimeout(timer);
    watcher.close();
  });
}
