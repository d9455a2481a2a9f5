/** Programs from the command line: the result on stdout, the course on stderr, exit codes like those of a call. */

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { CliMachine } from '../kit/cli.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { waitForEntry } from '../servers/launch.ts';

const plan = hostServers({ plain: {} });
let machine: CliMachine;
before(async () => {
  machine = await CliMachine.make();
  await mkdir(machine.dataDir);
  await writeFile(join(machine.dataDir, 'toolcrib.json'), JSON.stringify({ mcpServers: plan.servers }));
});
after(() => machine[Symbol.asyncDispose]());

test('[CHAIN-18] a program in a file or on stdin runs without a gateway, and prints what it gives', async () => {
  const code = `console.log('adding'); const { sum } = await servers.plain.add({ a: 1, b: 2 }); return { sum };`;
  await writeFile(join(machine.home, 'sum.ts'), `const twice = (n: number): number => n * 2;\n${code}`);
  const fromFile = await machine.run('chain', 'sum.ts');
  assert.equal(fromFile.code, 0, fromFile.stderr);
  assert.deepEqual(JSON.parse(fromFile.stdout), { sum: 3 });
  assert.match(fromFile.stderr, /^adding$/m);
  assert.match(fromFile.stderr, /^plain:add +\d+ +ok$/m);
  const fromInput = await machine.launch(['chain', '-', '--json'], { input: code }).ended;
  const { result, logs, calls } = fromInput.json<Record<string, unknown>>();
  assert.deepEqual(
    [result, logs, (calls as { tool: string }[]).map(({ tool }) => tool)],
    [{ sum: 3 }, ['adding'], ['plain:add']],
  );
  const text = await machine.launch(['chain', '-'], { input: 'return "a text\\nof two lines"' }).ended;
  assert.equal(text.stdout, 'a text\nof two lines\n');
});

test('[CHAIN-18] a program that fails ends like a call that fails', async () => {
  const run = (input: string, ...argv: string[]) => machine.launch(['chain', '-', ...argv], { input }).ended;
  const failed = await run('await servers.plain.fail({ message: "too bad" });');
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /line 1: .*Tool "plain:fail" failed: too bad/);
  assert.match(failed.stderr, /^plain:fail +\d+ +failed \(TOOL_FAILED\)$/m);
  assert.equal((await run('return 1 +;')).code, 2);
  assert.equal((await run('await servers.plain.none()')).code, 3);
  const slow = await run('await servers.plain.slow({ ms: 60000 })', '--timeout', '6000', '--json');
  assert.equal(slow.code, 1);
  assert.equal(slow.stdout, '');
  const { error } = JSON.parse(slow.stderr.trim()) as { error: { code: string; data: { calls: { error: string }[] } } };
  assert.deepEqual([error.code, error.data.calls[0]?.error], ['TIMEOUT', 'CANCELLED']);
  assert.equal((await machine.run('chain', 'missing.js')).code, 2);
  const folder = await machine.run('chain', '.');
  assert.deepEqual([folder.code, folder.stderr.split('\n')[0]], [2, '"." is a folder, not a file.']);
});

test('[CHAIN-18] a program of nothing is told as that, in one sentence whatever the nothing is made of', async () => {
  for (const input of ['', '  \n', '// only a remark\n', '/* the same */']) {
    const { code, stderr } = await machine.launch(['chain', '-'], { input }).ended;
    assert.deepEqual([code, stderr.split('\n')[0]], [2, 'The program cannot be read: There is no code.'], input);
  }
});

test('[CHAIN-18] all of a large result is printed, and a limit is told by the name of its flag or setting', async () => {
  const run = (input: string, ...argv: string[]) => machine.launch(['chain', '-', ...argv], { input }).ended;
  const large = await run('return Array.from({ length: 50000 }, (_, id) => ({ id }))');
  assert.equal((JSON.parse(large.stdout) as unknown[]).length, 50_000);
  const asJson = await run('for (let a = 0; a < 3; a += 1) console.log(a); return "x".repeat(300000)', '--json');
  const { result, truncated } = asJson.json<{ result: string; truncated: boolean }>();
  assert.deepEqual([result.length, truncated], [300_000, false]);
  const slow = await run('await sleep(60000)', '--timeout', '1500');
  assert.match(slow.stderr, /^hint: .*It had 1500 ms; --timeout may be up to 30000\.$/m);
});

test('[CHAIN-41] a plan of calls with a name that is wrong is refused before anything is done', async () => {
  const plan = [
    { tool: 'plain:add', arguments: { a: 1, b: 2 } },
    { tool: 'plain:ad', arguments: {} },
  ];
  const ended = await machine.launch(['chain', '-'], { input: JSON.stringify(plan) }).ended;
  assert.equal(ended.code, 3);
  assert.match(ended.stderr, /There is no tool "ad" on server "plain"/);
  assert.doesNotMatch(ended.stderr, /^CALL/m);
});

test('[CHAIN-18] a person who stops a program sees what it did before', async () => {
  const input = 'await servers.plain.add({ a: 1, b: 2 }); await servers.plain.wait_for_cancel();';
  const running = machine.spawn(['chain', '-'], { input });
  await waitForEntry(plan.journalOf('plain'), ({ event, name }) => event === 'tool' && name === 'wait_for_cancel');
  running.child.kill('SIGINT');
  const { code, stderr } = await running.ended;
  assert.equal(code, 1);
  assert.match(stderr, /^plain:add +\d+ +ok$/m);
  assert.match(stderr, /^plain:wait_for_cancel +\d+ +cancelled, may have taken effect$/m);
});
