/** A copy of the repository in which mutants are tried, one at a time. The repository itself is never changed. */

import { type ChildProcess, spawn } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestChoice } from './choose-tests.ts';
import { canRun, type Mutant } from './find-mutants.ts';

export type Verdict = 'killed' | 'timed out' | 'survived' | 'skipped';

export interface Trial {
  readonly verdict: Verdict;
  /** The tests that ran; the last one noticed the mutant, if any did. */
  readonly tests: readonly string[];
  /** The title of the test that failed. */
  readonly by?: string | undefined;
}

interface TestRun {
  readonly end: 'passed' | 'failed' | 'late';
  readonly ms: number;
  readonly failed?: string | undefined;
}

/** A test without a mutant. */
interface Sound {
  readonly ms: number;
  /** The ranges of the sources that it ran or skipped, one list for each process or thread. */
  readonly ranges: ReadonlyMap<string, readonly (readonly Range[])[]>;
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** Of the tests that belong to a file, those looked at, and those of them run because they reach the mutant. */
const limits = { units: { looked: 10, run: 5 }, scenarios: { looked: 8, run: 2 } };
/** A test may take this much longer than without a mutant: the machine may be busier by then. */
const slower = { times: 3, ms: 15_000 };
const longestTestMs = 90_000;
/** Ends a test with its exit handlers, which remove its files and processes. */
const endOnSignal = 'data:text/javascript,process.once("SIGTERM",()=>process.exit(1))';

export class Workshop {
  readonly #choice: TestChoice;
  readonly #folder = mkdtempSync(join(tmpdir(), 'toolcrib-mutants-'));
  readonly #root = join(this.#folder, 'repository');
  /** Undefined: the test does not pass here, or takes too long. */
  readonly #sound = new Map<string, Sound | undefined>();

  constructor(repository: string, choice: TestChoice) {
    this.#choice = choice;
    const left = ['.git', 'node_modules', 'dist'];
    cpSync(repository, this.#root, { recursive: true, filter: (path) => !left.includes(basename(path)) });
    symlinkSync(realpathSync(join(repository, 'node_modules')), join(this.#root, 'node_modules'));
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, maxRetries: 3 });
  }

  async try(mutant: Mutant): Promise<Trial> {
    const path = join(this.#root, mutant.file);
    const source = readFileSync(path, 'utf8');
    const changed = source.slice(0, mutant.start) + mutant.after + source.slice(mutant.end);
    if (!canRun(changed)) return { verdict: 'skipped', tests: [] };
    const tests: string[] = [];
    for await (const [test, { ms }] of this.#testsOf(mutant)) {
      tests.push(test);
      writeFileSync(path, changed);
      const { end, failed } = await this.#run(test, ms * slower.times + slower.ms);
      writeFileSync(path, source);
      if (end !== 'passed') return { verdict: end === 'late' ? 'timed out' : 'killed', tests, by: failed };
    }
    return { verdict: 'survived', tests };
  }

  /** The tests that run the mutated place: unit tests before scenarios, the nearest first. */
  async *#testsOf(mutant: Mutant): AsyncGenerator<readonly [string, Sound]> {
    const chosen = this.#choice.choose(mutant.file);
    for (const kind of ['units', 'scenarios'] as const) {
      let run = 0;
      for (const test of chosen[kind].slice(0, limits[kind].looked)) {
        const sound = await this.#soundRun(test);
        if (sound === undefined || !reaches(sound, mutant)) continue;
        yield [test, sound];
        run += 1;
        if (run === limits[kind].run) break;
      }
    }
  }

  async #soundRun(test: string): Promise<Sound | undefined> {
    if (!this.#sound.has(test)) {
      const notes = join(this.#folder, 'coverage');
      mkdirSync(notes);
      const { end, ms } = await this.#run(test, longestTestMs, { NODE_V8_COVERAGE: notes });
      this.#sound.set(test, end === 'passed' ? { ms, ranges: readCoverage(notes, this.#root) } : undefined);
      rmSync(notes, { recursive: true, maxRetries: 3 });
    }
    return this.#sound.get(test);
  }

  async #run(test: string, limitMs: number, more: NodeJS.ProcessEnv = {}): Promise<TestRun> {
    const files = join(this.#folder, 'files');
    mkdirSync(files, { recursive: true });
    const started = performance.now();
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', `--import=${endOnSignal}`, '--test-reporter=tap', test],
      {
        cwd: this.#root,
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { ...process.env, NODE_COMPILE_CACHE: join(this.#folder, 'compiled'), TMPDIR: files, ...more },
      },
    );
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      end(child);
    }, limitMs);
    let failed: string | undefined;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, title] = /^ *not ok \d+ - (.*)/.exec(line) ?? [];
      if (title === undefined || failed !== undefined) return;
      failed = title;
      end(child);
    });
    const code = await ended;
    clearTimeout(timer);
    killGroup(child);
    rmSync(files, { recursive: true, force: true, maxRetries: 3 });
    const ms = Math.round(performance.now() - started);
    if (isLate) return { end: 'late', ms };
    return { end: code === 0 && failed === undefined ? 'passed' : 'failed', ms, failed };
  }
}

/** A process that waits for its end is given a moment for it. */
function end(child: ChildProcess): void {
  child.kill();
  setTimeout(() => killGroup(child), 3_000).unref();
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}

function readCoverage(notes: string, root: string): Sound['ranges'] {
  const ranges = new Map<string, Range[][]>();
  for (const name of globSync('*.json', { cwd: notes })) {
    const { result } = JSON.parse(readFileSync(join(notes, name), 'utf8')) as {
      readonly result: readonly { readonly url: string; readonly functions: readonly { readonly ranges: Range[] }[] }[];
    };
    for (const { url, functions } of result) {
      const prefix = `file://${root}/`;
      if (!url.startsWith(`${prefix}src/`)) continue;
      const file = url.slice(prefix.length);
      ranges.set(file, [...(ranges.get(file) ?? []), functions.flatMap((one) => one.ranges)]);
    }
  }
  return ranges;
}

/** The smallest range around a place tells whether it ran. */
function reaches({ ranges }: Sound, { file, start }: Mutant): boolean {
  return (ranges.get(file) ?? []).some((list) => {
    const around = list.filter((range) => range.startOffset <= start && start < range.endOffset);
    const [smallest] = around.sort(
      (one, other) => one.endOffset - one.startOffset - (other.endOffset - other.startOffset),
    );
    return smallest !== undefined && smallest.count > 0;
  });
}
