/** Projects on the command line. */

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { CliMachine } from '../kit/cli.ts';
import { serverCommand } from '../servers/launch.ts';

interface Row {
  readonly name: string;
  readonly origin: string;
  readonly search: string | null;
  readonly surface: string | null;
  readonly permissions: Record<string, string>;
  readonly members: readonly string[];
  readonly unmatched: readonly string[];
}

test('[ACC-39] projects are made, listed, changed and removed, and mistakes say what to do', async () => {
  await using machine = await CliMachine.make();
  await mkdir(machine.dataDir, { recursive: true });
  const config = {
    projects: { office: { servers: ['till'] } },
    mcpServers: { till: { ...serverCommand({ name: 'till' }), projects: ['school'] } },
  };
  await writeFile(join(machine.dataDir, 'toolcrib.json'), JSON.stringify(config));
  const made = await machine.run(
    ...['project', 'create', 'shop', '--servers', 'till,stock*', '--search', 'off', '--surface', 'code'],
    ...['--deny', '*:delete_*', '--ask', 'till:send', '--json'],
  );
  assert.equal(made.code, 0, made.stderr);
  const shop = made.json<Row>();
  assert.deepEqual([shop.search, shop.surface, shop.members, shop.unmatched], [null, 'code', ['till'], ['stock*']]);
  assert.deepEqual(shop.permissions, { 'till:send': 'ask', '*:delete_*': 'deny' });

  const listed = (await machine.run('project', 'list', '--json')).json<Row[]>();
  assert.deepEqual(
    listed.map(({ name, origin, members }) => [name, origin, members]),
    [
      ['office', 'file', ['till']],
      ['school', 'servers', ['till']],
      ['shop', 'store', ['till']],
    ],
  );
  assert.match(
    (await machine.run('project', 'list')).stdout,
    /^shop +project create +off +code .*deny \*:delete_\*.* till, stock\* \(none now\)$/m,
  );

  const changes = ['--search', 'bm25', '--surface', 'default', '--forget', 'till:send', '--allow', 'till:delete_draft'];
  const set = await machine.run('project', 'set', 'shop', ...changes);
  assert.match(
    set.stdout,
    /Project shop is changed\.\n {2}servers +till, stock\* \(none now\)\n {2}search +bm25\n {2}permissions +deny \*:delete_\*, allow till:delete_draft\n {2}door +\/projects\/shop\/mcp/,
  );
  assert.match(set.stderr, /note: no server is there now for "stock\*"/);

  const refused = async (words: RegExp, ...argv: string[]) => {
    const { code, stderr } = await machine.run('project', ...argv);
    assert.notEqual(code, 0);
    assert.match(stderr, words);
  };
  await refused(/already a project "shop"/, 'create', 'shop');
  await refused(/comes from the config file/, 'set', 'office', '--search', 'off');
  await refused(/because servers name it\.\nhint: .*till/, 'remove', 'school');
  await refused(/no project "shpo"\.\nhint: Did you mean "shop"\?/, 'set', 'shpo', '--search', 'off');
  await refused(/"till" names no tool/, 'create', 'yard', '--deny', 'till');
  await refused(/both --allow and --deny/, 'create', 'yard', '--allow', 'till:x', '--deny', 'till:x');

  const token = await machine.run('token', 'create', 'robot', '--project', 'shop', '--json');
  assert.equal(token.code, 0, token.stderr);
  await refused(/"shop" stays: a token is bound to it \(robot\)\.\nhint: Revoke/, 'remove', 'shop');
  assert.equal((await machine.run('project', 'remove', 'shop', '--force')).code, 0);
  assert.deepEqual(
    (await machine.run('project', 'list', '--json')).json<Row[]>().map(({ name }) => name),
    ['office', 'school'],
  );
});

test('[ACC-39] a server is added to projects that it names', async () => {
  await using machine = await CliMachine.make();
  const { command, args } = serverCommand({ name: 'stock' });
  const added = await machine.run('add', 'stock', '--project', 'shop', '--project', 'school', '--', command, ...args);
  assert.equal(added.code, 0, added.stderr);
  const after = (await machine.run('project', 'list', '--json')).json<Row[]>();
  assert.deepEqual(
    after.map(({ name, members }) => [name, members]),
    [
      ['school', ['stock']],
      ['shop', ['stock']],
    ],
  );
});
