/** An SQLite file that another process has locked: writes wait without blocking the event loop, up to a limit. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { HANG_MS } from '../../../test/kit/processes.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { silentLog } from '../../base/log.ts';
import { createSqliteStore } from '../store.ts';
import { busyLimitMs } from './retry-busy.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolcrib-busy-'));
});
after(() => rm(folder, { recursive: true }));

/** Its timers fire at once, and each of them moves the time on. */
function hastyClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    elapsed: () => now,
    after(ms, act) {
      const timer = setImmediate(() => {
        now += ms;
        act();
      });
      return { cancel: () => clearImmediate(timer) };
    },
  };
}

async function openStore(name: string, clock = systemClock) {
  const file = join(folder, name);
  const store = createSqliteStore({ file, clock, log: silentLog });
  await store.open();
  return { file, store };
}

test('a write waits for a lock of another process while timers and reads go on', async () => {
  const { file, store } = await openStore('locked.db');
  await store.saveSwitch('before', true);
  const code = `import { DatabaseSync } from 'node:sqlite';
    const other = new DatabaseSync(process.argv[1]);
    other.exec('begin exclusive');
    process.stdout.write('locked');
    process.stdin.once('data', () => { other.exec('commit'); process.exit(); });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');

  let isWritten = false;
  const written = store.saveSwitch('after', true).then(() => {
    isWritten = true;
  });
  let longestMs = 0;
  for (let turn = 0; turn < 50; turn += 1) {
    const start = performance.now();
    await wait(5);
    longestMs = Math.max(longestMs, performance.now() - start);
  }
  assert.deepEqual([...(await store.listSwitches()).keys()], ['before']);
  assert.equal(isWritten, false);
  assert.ok(longestMs < HANG_MS / 10, `A timer of 5 ms took ${longestMs} ms.`);
  child.stdin.write('go');
  await written;
  assert.deepEqual([...(await store.listSwitches()).keys()].toSorted(), ['after', 'before']);
  await store.close();
});

test('writes that cannot get through fail together, as busy, when their time is over', async () => {
  const clock = hastyClock();
  const { file, store } = await openStore('busy.db', clock);
  using other = new DatabaseSync(file);
  other.exec('begin immediate');
  const start = clock.elapsed();
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, at) => store.saveSwitch(`s${at}`, true)));
  for (const outcome of outcomes) {
    assert.ok(outcome.status === 'rejected');
    assert.equal(outcome.reason.code, 'STORE_BUSY');
    assert.ok(outcome.reason.message.includes(file));
  }
  assert.ok(clock.elapsed() - start <= busyLimitMs + 1, `They waited ${clock.elapsed() - start} ms.`);
  other.exec('commit');
  await store.saveSwitch('later', true);
  assert.deepEqual([...(await store.listSwitches()).keys()], ['later']);
  await store.close();
});

test('a file that is locked for everybody is waited for when it is opened', async () => {
  const { file, store } = await openStore('exclusive.db');
  await store.saveSwitch('a', true);
  await store.close();
  using other = new DatabaseSync(file);
  other.exec('pragma locking_mode = exclusive; begin exclusive; commit');
  const impatient = createSqliteStore({ file, clock: hastyClock(), log: silentLog });
  await assert.rejects(impatient.open(), { code: 'STORE_BUSY' });
  const opening = store.open();
  await wait(20);
  other.close();
  await opening;
  assert.equal((await store.listSwitches()).get('a'), true);
  await store.close();
});

test('a process with nothing else to do waits for the lock instead of ending', async () => {
  const { file, store } = await openStore('alone.db');
  const code = `const [file, source] = process.argv.slice(1);
    const { createSqliteStore } = await import(source + '/store/store.ts');
    const { systemClock } = await import(source + '/base/clock.ts');
    const { silentLog } = await import(source + '/base/log.ts');
    const store = createSqliteStore({ file, clock: systemClock, log: silentLog });
    await store.open();
    process.stdout.write('open');
    await store.saveSwitch('from-the-child', true);
    await store.close();`;
  using other = new DatabaseSync(file);
  other.exec('begin immediate');
  const source = new URL('../..', import.meta.url).href.replace(/\/$/, '');
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, file, source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  await wait(50);
  other.exec('commit');
  assert.deepEqual(await ended, [0, null]);
  assert.equal((await store.listSwitches()).get('from-the-child'), true);
  await store.close();
});
