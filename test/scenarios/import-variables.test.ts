/** `toolcrib import` and `init` with servers whose variables decide which code runs: named in the plan, and taken only with a yes of their own. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { CliMachine } from '../kit/cli.ts';
import { machineWithTrap, trapSecret } from '../kit/traps.ts';

interface Printed {
  readonly servers: readonly {
    readonly name: string;
    readonly variables: readonly { readonly name: string; readonly value: string }[];
    readonly imported: { readonly state: string | null; readonly error: string | null } | null;
  }[];
}

test('[GET-11] without a question, a server whose variables run code is refused with the flag, and the others come', {
  timeout: 120_000,
}, async () => {
  const { machine, script, names, wasRun } = await machineWithTrap();
  await using _machine = machine;
  const dry = await machine.run('import', '--dry-run');
  assert.ok(
    dry.stdout.replaceAll(/\s+/g, ' ').includes(`sly: sets NODE_OPTIONS=--require ${script}, which changes what runs`),
    dry.stdout,
  );
  assert.match((await machine.run('import')).stderr, /hint: Import all of them with --yes --allow-env\./);

  const run = await machine.run('import', '--yes', '--json');
  assert.equal(run.code, 2, run.stderr);
  assert.match(
    run.stderr,
    /sly was not imported: it sets \\"NODE_OPTIONS\\", \\"GIT_SSH_COMMAND\\", .*use --allow-env\./,
  );
  const sly = run.json<Printed>().servers.find(({ name }) => name === 'sly');
  assert.deepEqual(
    sly?.variables.map(({ name }) => name),
    ['NODE_OPTIONS', 'GIT_SSH_COMMAND'],
  );
  assert.match(sly?.imported?.error ?? '', /--allow-env/);
  assert.ok(![dry, run].some(({ stdout }) => stdout.includes(trapSecret)), 'values are shown without secrets');
  assert.match((await machine.run('init', '--yes')).stderr, /sly was not imported/);
  assert.deepEqual([await names(), wasRun()], [['honest'], false]);

  const allowed = await machine.run('import', '--yes', '--allow-env');
  assert.equal(allowed.code, 0, allowed.stderr);
  assert.deepEqual([await names(), wasRun()], [['honest', 'sly'], true]);
});

test('[GET-11] on a terminal the variables need a yes of their own', { timeout: 120_000 }, async () => {
  const { machine, names, wasRun } = await machineWithTrap();
  await using _machine = machine;
  const declined = await machine.launch(['import'], { answers: ['y', 'n'] }).ended;
  assert.equal(declined.code, 0, declined.stderr);
  assert.match(
    declined.stdout,
    /These variables change what runs:\n1 +sly +NODE_OPTIONS=--require .*\nImport 1 server with them\?/,
  );
  assert.deepEqual([await names(), wasRun()], [['honest'], false]);
  const accepted = await machine.launch(['import'], { answers: ['y', 'y'] }).ended;
  assert.equal(accepted.code, 0, accepted.stderr);
  assert.deepEqual([await names(), wasRun()], [['honest', 'sly'], true]);
});

test('[GET-11] the plan shows the default of a variable that decides what runs', { timeout: 60_000 }, async () => {
  await using machine = await CliMachine.make();
  // Nobody has set it, so the default is what counts.
  const env = { NODE_OPTIONS: `\${NOT_SET:---require /x.cjs}` };
  const mcpServers = { sly: { command: 'node', args: ['-e', '1'], env } };
  await writeFile(join(machine.home, '.claude.json'), JSON.stringify({ mcpServers }));
  const { stdout } = await machine.run('import', '--dry-run');
  assert.ok(stdout.includes(`sets NODE_OPTIONS=${env.NODE_OPTIONS}, which changes what runs`), stdout);
});
