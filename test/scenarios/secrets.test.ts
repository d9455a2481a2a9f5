/** Secrets by name, with a gateway and commands in processes of their own: set, used, changed, removed, and seen nowhere. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { connectAgent } from '../kit/agents.ts';
import { CliMachine, type CliRun } from '../kit/cli.ts';
import { planServers } from '../kit/planned-servers.ts';
import { allGone } from '../kit/processes.ts';
import { startServer, waitForEntry } from '../servers/launch.ts';

interface Row {
  readonly name: string;
  readonly state: string;
  readonly usedBy: readonly string[];
  readonly lastError: string | null;
}

const canary = (name: string) => `canary-${name}-${randomBytes(9).toString('hex')}`;
const secretOf = (name: string) => `\${secret:${name}}`;

/** A machine that remembers everything its commands printed. */
class Harness implements AsyncDisposable {
  readonly machine: CliMachine;
  readonly said: string[] = [];

  constructor(machine: CliMachine) {
    this.machine = machine;
  }

  static async open(servers: Record<string, unknown>): Promise<Harness> {
    const machine = await CliMachine.make();
    await mkdir(machine.dataDir, { recursive: true });
    const config = { access: { keyring: 'off' }, audit: { arguments: true }, mcpServers: servers };
    await writeFile(join(machine.dataDir, 'toolcrib.json'), JSON.stringify(config, null, 2));
    return new Harness(machine);
  }

  async run(argv: readonly string[], input?: string): Promise<CliRun> {
    const run = await this.machine.launch(argv, input === undefined ? {} : { input }).ended;
    this.said.push(run.stdout, run.stderr);
    return run;
  }

  async set(name: string, value: string): Promise<void> {
    const run = await this.run(['secret', 'set', name, '--json'], `${value}\n`);
    assert.equal(run.code, 0, run.stderr);
  }

  async row(name: string): Promise<Row | undefined> {
    return (await this.run(['list', '--json'])).json<Row[]>().find((row) => row.name === name);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.machine[Symbol.asyncDispose]();
  }
}

for (const kind of ['v2 legacy', 'v2 modern'] as const) {
  test(`[SECRET-01] [SECRET-02] [SECRET-03] [SECRET-04] a secret is set, used and changed while the gateway runs (${kind})`, {
    timeout: 240_000,
  }, async () => {
    const [first, second, far] = [canary('first'), canary('second'), canary('far')];
    await using remote = await startServer({ bearer: far });
    const plan = planServers({ near: { entry: { env: { TOKEN: secretOf('NEAR') } } }, other: {} });
    await using harness = await Harness.open(plan.servers);
    const gateway = await harness.machine.start();
    const missing = await harness.row('near');
    assert.equal(missing?.state, 'failed');
    assert.match(
      missing?.lastError ?? '',
      /toolcrib\.json:\d+:\d+: .*refers to the secret NEAR, which is not set; set it: toolcrib secret set NEAR/,
    );
    assert.notEqual((await harness.row('other'))?.state, 'failed');
    assert.deepEqual(
      (await harness.run(['secret', 'list', '--json']))
        .json<Row[]>()
        .map(({ name, state, usedBy }) => [name, state, usedBy]),
      [['NEAR', 'missing', ['near']]],
    );

    await harness.set('NEAR', first);
    const headers = { authorization: `Bearer ${gateway.agentToken}` };
    await using agent = await connectAgent(kind, `${gateway.url}/mcp?surface=direct`, { headers });
    await harness.run(['refresh']);
    assert.equal(await agent.say('near.env', { reveal: 'TOKEN' }), first);
    const running = agent.say('near.slow', { ms: 1_500 });
    await waitForEntry(plan.journalOf('near'), ({ event, name }) => event === 'tool' && name === 'slow');
    const before = plan.pidsOf('near');
    await harness.set('NEAR', second);
    assert.equal(await agent.say('near.env', { reveal: 'TOKEN' }), second);
    assert.equal(await running, 'waited 1500 ms');
    await allGone(before, 60_000);
    assert.doesNotMatch(
      await agent.say('other.env', { reveal: 'TOKEN' }),
      new RegExp(second),
      'it is in one environment',
    );

    await harness.set('FAR', 'not-the-right-one');
    const header = `Authorization: Bearer ${secretOf('FAR')}`;
    assert.equal((await harness.run(['add', 'far', remote.url, '--header', header])).code, 1);
    await harness.set('FAR', far);
    await harness.run(['refresh', 'far', '--force']);
    assert.equal(await agent.say('far.echo', { text: 'hello' }), 'hello');

    for (const argv of [
      ['audit', '--json'],
      ['doctor', '--json'],
      ['show', 'near'],
      ['show', 'far', '--json'],
    ])
      await harness.run(argv);
    await gateway.stop();
    const entries = await readdir(harness.machine.dataDir, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const texts = await Promise.all(files.map((file) => readFile(file, 'latin1')));
    const everything = [...texts, ...harness.said, gateway.printed.stdout, gateway.printed.stderr].join('\n');
    for (const value of [first, second, far]) assert.ok(!everything.includes(value), `${value.slice(0, 12)} leaked`);
    assert.match(harness.said.join('\n'), /secrets\.set/, 'the audit knows of it');
  });
}

test('[SECRET-04] [SECRET-05] a value on the line is refused unread, and a secret in use is kept', {
  timeout: 120_000,
}, async () => {
  const plan = planServers({ near: { entry: { env: { TOKEN: secretOf('NEAR') } } } });
  await using harness = await Harness.open(plan.servers);
  const refused = async (words: RegExp, ...argv: readonly string[]) => {
    const run = await harness.run(['secret', ...argv], 'a-value-on-stdin');
    assert.equal(run.code, 2);
    assert.match(run.stderr, words);
    assert.doesNotMatch(run.stderr, /hush-hush/);
  };
  await refused(/hint: The value is read from a prompt or from stdin/, 'set', 'NEAR', 'hush-hush');
  await refused(/hint: The value is read from a prompt or from stdin/, 'set', 'NEAR=hush-hush');
  assert.match((await harness.run(['secret', 'set', 'NEAR'], '')).stderr, /No value was given\.\nhint: .*printf/);
  await harness.set('NEAR', 'a value with spaces');
  await refused(/no secret "NAER"\.\nhint: Did you mean "NEAR"\?/, 'remove', 'NAER');
  await refused(/"NEAR" is in use by near and was kept\.\nhint: .*--force/, 'remove', 'NEAR');
  const removed = await harness.run(['secret', 'remove', 'NEAR', '--force']);
  assert.equal(removed.code, 0, removed.stderr);
  assert.match(removed.stdout, /fail without it: near/);
  assert.match((await harness.run(['secret', 'list'])).stdout, /NEAR +missing +near/);
  assert.equal((await harness.row('near'))?.state, 'failed');
});
