/** Questions before a loss that cannot be undone, and a data folder that cannot exist. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { CliMachine } from '../kit/cli.ts';

test('[ADVICE-07] start with a data folder that cannot exist ends with one sentence', async () => {
  await using machine = await CliMachine.make();
  const file = join(machine.home, 'file');
  await writeFile(file, '');
  const places = [file, join(file, 'below'), ...(process.platform === 'linux' ? ['/proc/toolcrib/data'] : [])];
  for (const data of places) {
    const { code, stderr } = await machine.run('start', '--port', '0', '--data', data);
    assert.equal(code, 1, stderr);
    const [sentence = '', hint = '', ...more] = stderr.trim().split('\n');
    assert.match(sentence, new RegExp(`^The data folder ${data} cannot be used[: ]`), stderr);
    assert.match(hint, /^hint: /);
    assert.deepEqual(more, []);
  }
});

test('[ADVICE-08] without a terminal nothing is asked, with or without --yes', async () => {
  await using machine = await CliMachine.make();
  for (const more of [[], ['--yes']]) {
    assert.equal((await machine.run('project', 'create', 'shop')).code, 0);
    const removed = await machine.run('project', 'remove', 'shop', ...more);
    assert.deepEqual([removed.code, removed.stderr], [0, '']);
    assert.match(removed.stdout, /Project shop is removed\./);
  }
  const reset = await machine.run('metrics', '--reset', '--yes');
  assert.equal(reset.code, 0, reset.stderr);
});
