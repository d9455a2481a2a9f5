/** Programs from the command line: the result on stdout, the course on stderr, exit codes like those of a call. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { CliPlace } from '../kit/cli.ts';
import { serverCommand } from '../servers/launch.ts';

let place: CliPlace;
before(async () => {
  place = await CliPlace.make();
  await writeFile(join(place.home, 'toolcrib.json'), JSON.stringify({ mcpServers: { plain: serverCommand({}) } }));
});
after(() => place[Symbol.asyncDispose]());

test('[CHAIN-18] a program in a file or on stdin runs without a gateway, and prints what it gives', async () => {
  const code = `console.log('adding'); const { sum } = await servers.plain.add({ a: 1, b: 2 }); return { sum };`;
  await writeFile(join(place.home, 'sum.ts'), `const twice = (n: number): number => n * 2;\n${code}`);
  const fromFile = await place.run('chain', 'sum.ts');
  assert.equal(fromFile.code, 0, fromFile.stderr);
  assert.deepEqual(JSON.parse(fromFile.stdout), { sum: 3 });
  assert.match(fromFile.stderr, /^adding$/m);
  assert.match(fromFile.stderr, /^plain:add +\d+ +ok$/m);
  const fromInput = await place.launch(['chain', '-', '--json'], { input: code }).ended;
  const { result, logs, calls } = fromInput.json<Record<string, unknown>>();
  assert.deepEqual(
    [result, logs, (calls as { tool: string }[]).map(({ tool }) => tool)],
    [{ sum: 3 }, ['adding'], ['plain:add']],
  );
  const text = await place.launch(['chain', '-'], { input: 'return "a text\\nof two lines"' }).ended;
  assert.equal(text.stdout, 'a text\nof two lines\n');
});

test('[CHAIN-18] a program that fails ends like a call that fails', async () => {
  const run = (input: string, ...argv: string[]) => place.launch(['chain', '-', ...argv], { input }).ended;
  const failed = await run('await servers.plain.fail({ message: "too bad" });');
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /line 1: .*Tool "plain:fail" failed: too bad/);
  assert.match(failed.stderr, /^plain:fail +\d+ +failed \(TOOL_FAILED\)$/m);
  assert.equal((await run('return 1 +;')).code, 2);
  assert.equal((await run('await servers.plain.none()')).code, 3);
  const slow = await run('await servers.plain.slow({ ms: 60000 })', '--timeout', '500', '--json');
  assert.equal(slow.code, 1);
  assert.equal(slow.json<{ errorType: string }>().errorType, 'TIMEOUT');
  assert.equal((await place.run('chain', 'missing.js')).code, 2);
});
