/** Whom a question before a loss is put to, and what counts as yes. */

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { commands } from './commands.ts';
import { confirm } from './confirm.ts';
import { makeContext } from './context.ts';

interface Setup {
  readonly says: string;
  readonly isTerminal?: boolean;
  readonly hasInput?: boolean;
  readonly isJson?: boolean;
}

function setup({ says, isTerminal = true, hasInput = true, isJson = false }: Setup) {
  const asked: string[] = [];
  const host = {
    argv: [],
    env: {},
    cwd: '/nowhere',
    stdin: Object.assign(new PassThrough(), { isTTY: hasInput }).end(says),
    stdout: { write: (text: string) => asked.push(text), isTTY: isTerminal },
    stderr: { write() {} },
    signal: new AbortController().signal,
  };
  return { asked, context: makeContext(host, { quiet: false, json: isJson, data: '/nowhere', config: undefined }) };
}

test('on a terminal only yes is yes', async () => {
  for (const says of ['y\n', 'YES\n', ' y \n']) {
    const { asked, context } = setup({ says });
    await confirm(context, 'Forget it?', false);
    assert.deepEqual(asked, ['Forget it? It cannot be undone. [y/N] ']);
  }
  for (const says of ['\n', 'n\n', 'yeah no\n', ''])
    await assert.rejects(confirm(setup({ says }).context, 'Forget it?', false), { code: 'CANCELLED' });
});

test('nobody is asked without a terminal, for JSON or with --yes', async () => {
  const says = 'n\n';
  for (const [{ asked, context }, isYes] of [
    [setup({ says }), true],
    [setup({ says, isJson: true }), false],
    [setup({ says, isTerminal: false }), false],
    [setup({ says, hasInput: false }), false],
  ] as const) {
    await confirm(context, 'Forget it?', isYes);
    assert.deepEqual(asked, []);
  }
});

test('every command that removes or revokes something asks, unless --yes is given', async () => {
  const losing = commands.filter(({ name }) => /\b(?:remove|revoke)$/.test(name));
  assert.deepEqual(losing.map(({ name }) => name).sort(), [
    'project remove',
    'remove',
    'secret remove',
    'token revoke',
  ]);
  for (const { name, args, flags, run } of losing) {
    assert.ok('yes' in flags, name);
    const { asked, context } = setup({ says: 'n\n' });
    const values = Object.fromEntries(Object.keys(args).map((key) => [key, 'x']));
    await assert.rejects(run({ args: values, flags: { yes: false, force: false }, context } as never), {
      code: 'CANCELLED',
    });
    assert.equal(asked.length, 1, name);
  }
});
