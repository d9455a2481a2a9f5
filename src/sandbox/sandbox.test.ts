/** Tests of the sandbox with real threads: what a program finds, what comes back of it, and that nothing else does. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { HANG_MS } from '../../test/kit/processes.ts';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { type ChainHost, type ChainLimits, type ChainReport, Sandbox } from './sandbox.ts';

const sandbox = new Sandbox({ clock: systemClock, log: silentLog });
after(() => sandbox.close());

const usual: ChainLimits = { timeoutMs: 20_000, memoryBytes: 2 ** 26, maxCalls: 2_000, maxOutputBytes: 1_000 };
const echo: ChainHost = { answer: async ({ input }) => JSON.stringify((input as { arguments: unknown }).arguments) };

function run(code: string, limits: Partial<ChainLimits> = {}, host = echo): Promise<ChainReport> {
  const program = { code, serverNames: ['good'], namesJson: '{"good":["echo"]}' };
  return sandbox.run(program, { ...usual, ...limits }, host, new AbortController().signal);
}

test('a program calls tools, logs and gives a result', async () => {
  const report = await run(`
    const answers = await Promise.all([1, 2, 3].map((one) => servers.good.echo({ one })));
    console.log('got', answers.length);
    console.error('and an error');
    return answers.map((answer) => answer.one);
  `);
  assert.deepEqual(report, { resultJson: '[1,2,3]', logs: ['got 3', 'error: and an error'], lostLogs: 0, notes: [] });
});

test('a thousand parallel calls all come back', async () => {
  const code =
    'const all = await Promise.all(Array.from({ length: 1000 }, (_, i) => servers.good.echo({ i }))); return all.reduce((sum, { i }) => sum + i, 0)';
  assert.equal((await run(code)).resultJson, '499500');
});

test('a program that failed reports what it logged before, where it failed, and which calls were not made', async () => {
  let asked = 0;
  const never: ChainHost = {
    answer: () => {
      asked += 1;
      return new Promise(() => {});
    },
  };
  const code = "console.log('before');\nfor (let i = 0; i < 40; i += 1) servers.good.echo({});\nnull.x;";
  const report = await run(code, { maxCalls: 36 }, never);
  assert.equal(report.failure?.reason, 'thrown');
  assert.equal(report.failure?.line, 3);
  assert.deepEqual(report.logs, ['before']);
  // 32 are under way at once, and fewer where the machine is too busy to begin them all.
  assert.ok(asked <= 32, `${asked} calls were made`);
  assert.equal(report.unsentCalls, 40 - asked);
});

test('[CHAIN-34] calls that nobody awaited end, and so does what waits for them, before the result is written', async () => {
  let returned = 0;
  const ended: unknown[] = [];
  const host: ChainHost = {
    async answer({ input }) {
      const given = (input as { arguments: unknown }).arguments;
      await new Promise((resolve) => setTimeout(resolve, 20));
      ended.push(given);
      return JSON.stringify(given);
    },
    returned: (calls) => {
      returned += calls;
    },
  };
  const code = `const out = [];
    [1, 2].forEach(async (n) => { const { m } = await servers.good.echo({ m: n }); out.push(await servers.good.echo({ m: m * 10 })); });
    return out`;
  const report = await run(code, {}, host);
  assert.equal(report.resultJson, '[{"m":10},{"m":20}]');
  assert.deepEqual([ended, returned, report.notes], [[{ m: 1 }, { m: 2 }, { m: 10 }, { m: 20 }], 2, []]);
  await run("search('x').then(() => 1); await servers.good.echo({}); return 1", {}, host);
  assert.equal(returned, 2);
});

test('[CHAIN-34] a program whose calls do not end keeps its result', async () => {
  const signals: AbortSignal[] = [];
  const host: ChainHost = {
    answer(_request, signal) {
      signals.push(signal);
      return new Promise(() => {});
    },
  };
  // A slow machine needs more time to get to the call at all.
  for (let timeoutMs = 400; signals.length === 0 && timeoutMs < HANG_MS; timeoutMs *= 2) {
    const report = await run('servers.good.echo({}); return 7', { timeoutMs }, host);
    if (signals.length > 0) assert.deepEqual([report.resultJson, report.failure], ['7', undefined]);
  }
  assert.equal(signals[0]?.aborted, true);
});

test('a timer that was still waiting at the end is noted, unless it was stopped', async () => {
  const notesOf = async (code: string) => (await run(code)).notes.join();
  assert.match(
    await notesOf('setTimeout(() => servers.good.echo({}), 50); return 1'),
    /timer or sleep was still waiting/,
  );
  assert.match(
    await notesOf('sleep(50).then(() => servers.good.echo({})); return 1'),
    /timer or sleep was still waiting/,
  );
  assert.equal(await notesOf('const id = setTimeout(() => {}, 50); clearTimeout(id); await sleep(1); return 1'), '');
});

test('a failure that nobody awaited or caught is told in a note', async () => {
  const { resultJson, notes } = await run("Promise.reject(new Error('lost words')); return 1");
  assert.equal(resultJson, '1');
  assert.match(notes.join(), /lost words/);
  const late = await run(
    "const first = Promise.reject(new Error('caught')); Promise.reject(new Error('second')); Promise.reject(3); await sleep(5); first.catch(() => {}); return 1",
  );
  assert.match(late.notes.join(), /neither awaited nor caught \(and one more\): second/);
});

test('[CHAIN-23] log lines are kept up to the limit, and the others counted', async () => {
  const { logs, lostLogs } = await run("for (let i = 0; i < 500; i += 1) console.log('0123456789'); return 1");
  assert.equal(logs.length, 100);
  assert.equal(lostLogs, 400);
  const long = await run("console.log('x'.repeat(1e6)); return 1", { maxOutputBytes: 20_000 });
  assert.ok((long.logs[0]?.length ?? 0) < 10_000);
});

test('[CHAIN-27] a program whose agent gives it up is ended at once', async () => {
  const cancel = new AbortController();
  const program = { code: 'while (true) {}', serverNames: [], namesJson: '{}' };
  const report = sandbox.run(program, usual, echo, cancel.signal);
  cancel.abort(new Error('The agent has left.'));
  assert.equal((await report).failure?.reason, 'cancelled');
});

test('[CHAIN-33] the time is real, random numbers differ from run to run, and the zone is that of no machine', async () => {
  const code = 'return [Date.now(), Math.random(), new Date().getTimezoneOffset()]';
  const reports = await Promise.all(Array.from({ length: 6 }, () => run(code)));
  const all = reports.map(({ resultJson }) => JSON.parse(resultJson ?? '') as [number, number, number]);
  assert.equal(new Set(all.map(([, random]) => random)).size, 6);
  for (const [now, , zone] of all) {
    assert.ok(Math.abs(now - Date.now()) < 10_000);
    assert.equal(zone, 0);
  }
});

test('[CHAIN-33] a process with a sandbox writes nothing of its programs, and ends although a thread is kept warm', async () => {
  const front = new URL('./sandbox.ts', import.meta.url).href;
  const program = `
    import { Sandbox } from ${JSON.stringify(front)};
    const log = { debug() {}, info() {}, warn: console.error, error: console.error };
    const clock = { now: Date.now, elapsed: () => performance.now(), after: (ms, act) => { const t = setTimeout(act, ms); t.unref(); return { cancel: () => clearTimeout(t) }; } };
    const sandbox = new Sandbox({ clock, log });
    const code = 'const one: number = 1; console.log("not on stdout"); return one';
    const limits = { timeoutMs: 60000, memoryBytes: 2 ** 26, maxCalls: 1, maxOutputBytes: 1000 };
    const report = await sandbox.run({ code, serverNames: [], namesJson: '{}' }, limits, { answer: async () => '1' }, new AbortController().signal);
    process.stdout.write(String(report.resultJson));
  `;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  assert.equal(stdout, '1');
  assert.equal(stderr, '');
});

test('[CHAIN-28] closing ends programs that run, and later ones are told', async () => {
  const other = new Sandbox({ clock: systemClock, log: silentLog });
  const program = { code: 'while (true) {}', serverNames: [], namesJson: '{}' };
  const report = other.run(program, usual, echo, new AbortController().signal);
  await other.close();
  assert.equal((await report).failure?.reason, 'cancelled');
  assert.equal((await other.run(program, usual, echo, new AbortController().signal)).failure?.reason, 'cancelled');
  await other.close();
});
