/** A copy of the repository that tries mutants, one at a time. The repository itself never changes. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
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
  readonly failed?: string | undefined;
}

/** A mutant may make a loop endless. */
const longestTestMs = 40_000;
/** Time for the exit handlers of a stopped test. */
const graceMs = 3_000;
/** For a promise on both databases, SQLite is enough, and takes a tenth of the time. */
const withoutPostgres = '--test-skip-pattern=/^PostgreSQL: /';
/** Lets a stopped test remove its files and processes. */
const exitOnSignal = 'data:text/javascript,process.once("SIGTERM",()=>process.exit(1))';

export class Workshop {
  readonly #folder = mkdtempSync(join(tmpdir(), 'toolcrib-mutants-'));
  readonly #root = join(this.#folder, 'repository');
  /** The outcome of each test without a mutant. */
  readonly #sound = new Map<string, boolean>();

  constructor(repository: string) {
    const left = ['.git', 'node_modules', 'dist'];
    cpSync(repository, this.#root, { recursive: true, filter: (path) => !left.includes(basename(path)) });
    symlinkSync(realpathSync(join(repository, 'node_modules')), join(this.#root, 'node_modules'));
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, maxRetries: 3 });
  }

  /** Runs the tests until one notices the mutant. */
  async try(mutant: Mutant, tests: readonly string[]): Promise<Trial> {
    const path = join(this.#root, mutant.file);
    const source = readFileSync(path, 'utf8');
    const changed = source.slice(0, mutant.start) + mutant.after + source.slice(mutant.end);
    if (!canRun(changed)) return { verdict: 'skipped', tests: [] };
    const isAboutPostgres = mutant.file.includes('postgres');
    const ran: string[] = [];
    for (const test of tests) {
      writeFileSync(path, changed);
      const { end, failed } = await this.#run(test, isAboutPostgres);
      writeFileSync(path, source);
      if (end !== 'passed' && !(await this.#isSound(test, isAboutPostgres))) continue;
      ran.push(test);
      if (end !== 'passed') return { verdict: end === 'late' ? 'timed out' : 'killed', tests: ran, by: failed };
    }
    return { verdict: 'survived', tests: ran };
  }

  /** A test that fails without a mutant says nothing about one. */
  async #isSound(test: string, isAboutPostgres: boolean): Promise<boolean> {
    const isSound = this.#sound.get(test) ?? (await this.#run(test, isAboutPostgres)).end === 'passed';
    this.#sound.set(test, isSound);
    return isSound;
  }

  async #run(test: string, isAboutPostgres: boolean): Promise<TestRun> {
    const files = join(this.#folder, 'files');
    mkdirSync(files, { recursive: true });
    const words = ['--disable-warning=ExperimentalWarning', `--import=${exitOnSignal}`, '--test-reporter=tap'];
    if (!isAboutPostgres) words.push(withoutPostgres);
    const child = spawn(process.execPath, [...words, test], {
      cwd: this.#root,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, NODE_COMPILE_CACHE: join(this.#folder, 'compiled'), TMPDIR: files },
    });
    let run: TestRun | undefined;
    const stop = (outcome: TestRun) => {
      run ??= outcome;
      child.kill();
      setTimeout(() => killGroup(child), graceMs).unref();
    };
    const timer = setTimeout(() => stop({ end: 'late' }), longestTestMs);
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, failed] = /^ *not ok \d+ - (.*)/.exec(line) ?? [];
      if (failed !== undefined) stop({ end: 'failed', failed });
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    clearTimeout(timer);
    killGroup(child);
    rmSync(files, { recursive: true, force: true, maxRetries: 3 });
    return run ?? { end: code === 0 ? 'passed' : 'failed' };
  }
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All processes have ended.
  }
}
