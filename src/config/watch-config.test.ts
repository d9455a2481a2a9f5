/** Tests of watching the config file, with real files. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, symlink, unlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { type Clock, systemClock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { inspectConfig, type LoadedConfig, limits, watchConfig } from './config.ts';

const base = await mkdtemp(join(tmpdir(), 'toolcrib-watch-'));
after(() => rm(base, { recursive: true, force: true }));
let count = 0;

/** Events hang rather than fail when they do not come; this ends the wait. */

async function place() {
  count += 1;
  const cwd = join(base, String(count));
  await mkdir(join(cwd, 'data'), { recursive: true });
  return { cwd, dataDir: join(cwd, 'data'), env: {}, file: join(cwd, 'toolcrib.json') };
}

const withFallbacks = (value: number) => `{ "calls": { "maxFallbacks": ${value} } }`;

/** Watches until the test ends; `next` is the next report: the new number of fallbacks, or an error. */
function watching(
  t: TestContext,
  at: Parameters<typeof inspectConfig>[0],
  since?: LoadedConfig,
  clock: Clock = systemClock,
) {
  const told: (number | string)[] = [];
  let wake = () => {};
  const tell = (what: number | string) => {
    told.push(what);
    wake();
  };
  const watch = watchConfig({
    ...at,
    clock,
    since,
    onChange: ({ config }) => tell(config.calls.maxFallbacks),
    onError: (error) => tell(messageOf(error).replace(/^.*?toolcrib\.json/, '')),
  });
  t.after(() => watch.close());
  const next = async (): Promise<number | string> => {
    while (told.length === 0)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return told.shift() ?? '';
  };
  return { next, told, close: () => watch.close() };
}

/** Timers that run when the test says so. `armed` resolves when a timer of that length is set. */
class ManualClock implements Clock {
  readonly #timers = new Map<object, { ms: number; act: () => void }>();
  #wake = () => {};
  now = () => 0;
  elapsed = () => 0;

  after(ms: number, act: () => void) {
    const key = {};
    this.#timers.set(key, { ms, act });
    this.#wake();
    return { cancel: () => void this.#timers.delete(key) };
  }

  async armed(ms: number): Promise<void> {
    while (![...this.#timers.values()].some((timer) => timer.ms === ms)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Runs the timers of that length. */
  fire(ms: number): void {
    for (const [key, timer] of [...this.#timers]) {
      if (timer.ms !== ms) continue;
      this.#timers.delete(key);
      timer.act();
    }
  }

  /** Lets the file be quiet as often as it takes until something is reported. */
  async quietUntil<T>(told: Promise<T>): Promise<T> {
    let isTold = false;
    const done = told.then(() => {
      isTold = true;
    });
    while (!isTold) {
      await Promise.race([done, this.armed(limits.configDebounceMs)]);
      this.fire(limits.configDebounceMs);
    }
    return told;
  }

  /** The same after a round of the poll. */
  async pollUntil<T>(told: Promise<T>): Promise<T> {
    await this.armed(limits.configPollMs);
    this.fire(limits.configPollMs);
    return this.quietUntil(told);
  }

  get size(): number {
    return this.#timers.size;
  }
}

test('an edit is reported', async (t) => {
  const at = await place();
  await writeFile(at.file, withFallbacks(1));
  const { next } = watching(t, at, await inspectConfig(at));
  await writeFile(at.file, withFallbacks(2));
  assert.equal(await next(), 2);
  await writeFile(at.file, withFallbacks(4));
  assert.equal(await next(), 4);
});

test('a file that is replaced by another is followed', async (t) => {
  const at = await place();
  await writeFile(at.file, withFallbacks(1));
  const { next } = watching(t, at, await inspectConfig(at));
  for (const value of [2, 4, 5]) {
    await writeFile(`${at.file}.new`, withFallbacks(value));
    await rename(`${at.file}.new`, at.file);
    assert.equal(await next(), value);
  }
});

test('creation and deletion are reported, and the file of the data folder takes over', async (t) => {
  const at = await place();
  const { next } = watching(t, at, await inspectConfig(at));
  await writeFile(at.file, withFallbacks(1));
  assert.equal(await next(), 1);
  await unlink(at.file);
  assert.equal(await next(), 3);
  await writeFile(join(at.dataDir, 'toolcrib.json'), withFallbacks(5));
  assert.equal(await next(), 5);
});

test('a bad edit is reported once and changes nothing; the way back is reported too', async (t) => {
  const at = await place();
  await writeFile(at.file, withFallbacks(1));
  const { next, told } = watching(t, at, await inspectConfig(at));
  await writeFile(at.file, withFallbacks(-1));
  assert.equal(
    await next(),
    ':1:30: "calls.maxFallbacks" must be a whole number from 0 to 20, but the number -1 was found.',
  );
  await writeFile(at.file, withFallbacks(-1));
  await writeFile(at.file, withFallbacks(1));
  assert.equal(await next(), 1);
  assert.deepEqual(told, []);
});

test('a file that was asked for and vanishes is an error', async (t) => {
  const at = await place();
  await writeFile(at.file, withFallbacks(1));
  const asked = { ...at, path: at.file };
  const { next } = watching(t, asked, await inspectConfig(asked));
  await unlink(at.file);
  assert.equal(await next(), ' does not exist.');
  await writeFile(at.file, withFallbacks(2));
  assert.equal(await next(), 2);
});

test('a change between loading and watching is not lost', async (t) => {
  const at = await place();
  await writeFile(at.file, withFallbacks(1));
  const since = await inspectConfig(at);
  await writeFile(at.file, withFallbacks(2));
  assert.equal(await watching(t, at, since).next(), 2);
});

test('a folder that does not exist yet, vanishes and comes back is survived', async (t) => {
  const at = await place();
  const folder = join(at.cwd, 'later');
  const file = join(folder, 'toolcrib.json');
  const clock = new ManualClock();
  const { next } = watching(t, { ...at, path: file }, undefined, clock);
  assert.equal(await clock.pollUntil(next()), ' does not exist.');
  for (const value of [1, 2]) {
    await mkdir(folder);
    await writeFile(file, withFallbacks(value));
    assert.equal(await clock.pollUntil(next()), value);
    await rm(folder, { recursive: true });
    assert.equal(await clock.pollUntil(next()), ' does not exist.');
  }
});

test('events alone find a change, also after the folder was replaced', async (t) => {
  const at = await place();
  const folder = join(at.cwd, 'replaced');
  const path = join(folder, 'toolcrib.json');
  await mkdir(folder);
  await writeFile(path, withFallbacks(1));
  const clock = new ManualClock();
  const { next } = watching(t, { ...at, path }, undefined, clock);
  await clock.armed(limits.configPollMs);
  await writeFile(path, withFallbacks(2));
  assert.equal(await clock.quietUntil(next()), 2);
  await rm(folder, { recursive: true });
  await mkdir(folder);
  assert.equal(await clock.pollUntil(next()), ' does not exist.');
  await clock.armed(limits.configPollMs);
  await writeFile(path, withFallbacks(4));
  assert.equal(await clock.quietUntil(next()), 4);
});

test('the poll alone finds a change, also behind a link whose folder is not watched', async (t) => {
  const at = await place();
  await mkdir(join(at.cwd, 'elsewhere'));
  const real = join(at.cwd, 'elsewhere', 'real.json');
  await writeFile(real, withFallbacks(1));
  await utimes(real, 1, 1);
  await symlink(real, at.file);
  const clock = new ManualClock();
  const { next } = watching(t, at, undefined, clock);
  await clock.armed(limits.configPollMs);
  // The same size and time of change as before: only the inode's own time tells.
  await writeFile(real, withFallbacks(2));
  await utimes(real, 1, 1);
  assert.equal(await clock.pollUntil(next()), 2);
});

test('identical content is not reported', async (t) => {
  const at = await place();
  const text = '{ "calls": { "maxFallbacks": 1 }, "telemetry": { "otlpUrl": "http://$' + '{HOST}" } }';
  await writeFile(at.file, text);
  // Asking for the variable shows that the file was read.
  let onRead = () => {};
  const env = {
    get HOST() {
      onRead();
      return 'h';
    },
  };
  const clock = new ManualClock();
  const { next, told } = watching(t, { ...at, env }, await inspectConfig({ ...at, env }), clock);
  await clock.armed(limits.configDebounceMs);
  await writeFile(at.file, text);
  const read = new Promise<void>((resolve) => {
    onRead = resolve;
  });
  clock.fire(limits.configDebounceMs);
  await read;
  await writeFile(at.file, withFallbacks(2));
  assert.equal(await clock.pollUntil(next()), 2);
  assert.deepEqual(told, []);
});

test('a file that is cut short for a moment is not reported as trouble', async (t) => {
  const at = await place();
  await writeFile(at.file, withFallbacks(1));
  const clock = new ManualClock();
  const { next, told } = watching(t, at, await inspectConfig(at), clock);
  for (const half of [() => writeFile(at.file, ''), () => unlink(at.file)]) {
    await clock.armed(limits.configDebounceMs);
    await half();
    clock.fire(limits.configDebounceMs);
    // The second look is asked for because of what the first one saw.
    await clock.armed(limits.configDebounceMs);
    await writeFile(at.file, withFallbacks(1));
  }
  await writeFile(at.file, withFallbacks(2));
  assert.equal(await clock.pollUntil(next()), 2);
  assert.deepEqual(told, []);
});

test('several saves within a moment are read once', async (t) => {
  const at = await place();
  await writeFile(at.file, withFallbacks(1));
  const clock = new ManualClock();
  const { next, told } = watching(t, at, await inspectConfig(at), clock);
  await clock.armed(limits.configPollMs);
  for (const value of [2, 4, 5]) await writeFile(at.file, withFallbacks(value));
  await clock.armed(limits.configDebounceMs);
  clock.fire(limits.configDebounceMs);
  assert.equal(await next(), 5);
  assert.deepEqual(told, []);
});

test('a pipe in place of the file is told like a bad edit, and holds nothing up', async (t) => {
  const at = await place();
  await writeFile(at.file, withFallbacks(1));
  const { next } = watching(t, at, await inspectConfig(at));
  await rm(at.file);
  execFileSync('mkfifo', [at.file]);
  assert.equal(await next(), ' is a pipe, not a file.');
  await rm(at.file);
  await writeFile(at.file, withFallbacks(2));
  assert.equal(await next(), 2);
});

test('without a configuration to start from, what the file holds is the start', async (t) => {
  const at = await place();
  await writeFile(at.file, withFallbacks(1));
  const clock = new ManualClock();
  const { next, told } = watching(t, at, undefined, clock);
  await clock.armed(limits.configPollMs);
  assert.deepEqual(told, []);
  await writeFile(at.file, withFallbacks(2));
  assert.equal(await clock.pollUntil(next()), 2);
});

test('nothing is reported and no timer is left after closing', async (t) => {
  const at = await place();
  await writeFile(at.file, withFallbacks(1));
  const clock = new ManualClock();
  const { told, close } = watching(t, at, await inspectConfig(at), clock);
  await clock.armed(limits.configPollMs);
  await writeFile(at.file, withFallbacks(2));
  await clock.armed(limits.configDebounceMs);
  close();
  close();
  assert.equal(clock.size, 0);
  clock.fire(limits.configPollMs);
  assert.deepEqual(told, []);
});
