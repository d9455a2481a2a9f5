/** Secrets: planted in every place they can come from, provoked along every error path, and looked for everywhere afterwards. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { GatewayError } from '../../src/base/errors.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { planServers } from '../kit/planned-servers.ts';
import { startServer } from '../servers/launch.ts';

function canaries(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, `canary-${name}-${randomBytes(9).toString('hex')}`]));
}

/** Every file below a folder. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Which canaries stand in which files of the data folder; the config file is the owner's own. */
async function leaksIn(gateway: TestGateway, planted: Record<string, string>): Promise<string[]> {
  const files = (await filesBelow(gateway.dataDir)).filter((file) => file !== gateway.configFile);
  const found: string[] = [];
  for (const file of files) {
    const text = await readFile(file, 'latin1');
    for (const [name, value] of Object.entries(planted)) if (text.includes(value)) found.push(`${name} in ${file}`);
  }
  return found;
}

function leaksInText(text: string, planted: Record<string, string>): string[] {
  return Object.entries(planted).flatMap(([name, value]) => (text.includes(value) ? [name] : []));
}

async function api(gateway: TestGateway, operation: string, body: unknown): Promise<string> {
  const response = await fetch(`${gateway.url}/api/${operation}`, {
    method: 'POST',
    headers: { ...gateway.ownerHeaders, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.text();
}

/** Answers every request with an error that tells on it: its environment, or what it was sent as a credential. */
const tattling = `require('readline').createInterface(process.stdin).on('line', (line) => {
  const { id } = JSON.parse(line);
  const error = { code: -32000, message: 'my key is ' + process.env.PLAIN_SETTING };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error }));
})`;

test('[EDGE-01] canaries in every place are in no log, no state, no error and no file', async () => {
  const planted = canaries('gateway', 'env', 'header', 'query', 'flag', 'argument', 'stored', 'stderr', 'told');
  await using far = await startServer({ bearer: 'another' });
  const plan = planServers({
    noisy: {
      modes: { stderrNoise: { secretEnv: 'PLAIN_SETTING' } },
      entry: { env: { PLAIN_SETTING: planted.stderr, API_TOKEN: planted.env } },
    },
    dead: { modes: { exitAtStart: 3, stderrNoise: true }, entry: { env: { TEST_SECRET: planted.env } } },
  });
  const missing = { command: 'no-such-program', args: ['--api-key', planted.flag], env: { KEY: planted.env } };
  const remote = {
    url: `${far.url}?api_key=${planted.query}`,
    headers: { Authorization: `Bearer ${planted.header}`, 'X-Own': planted.header },
  };
  const tattler = { command: process.execPath, args: ['-e', tattling], env: { PLAIN_SETTING: planted.told } };
  await using gateway = await openTestGateway({
    servers: { ...plan.servers, missing, remote, tattler },
    config: { connect: { maxRetries: 0 } },
    env: { ...process.env, UNRELATED_SECRET: planted.gateway },
  });
  const said: string[] = [];
  const stored = { command: 'no-such-program', env: { SOME_KEY: planted.stored } };
  said.push(await api(gateway, 'servers.add', { name: 'stored', spec: stored }));
  said.push(await api(gateway, 'servers.add', { name: 'stored', spec: stored }));
  said.push(await api(gateway, 'servers.add', { name: 'odd', spec: { ...stored, comand: planted.stored } }));
  const agent = new ModernAgent(gateway);
  await agent.tools();
  for (const name of ['missing', 'remote', 'dead', 'stored', 'noisy', 'tattler'])
    said.push(await api(gateway, 'servers.refresh', { name, force: true, once: true }));
  const failed = await agent.call('noisy.fail', { message: `it is ${planted.argument}` });
  assert.ok(failed.text.includes(planted.argument ?? ''), 'what a tool answers is never altered');
  await agent.call('noisy.echo', { txt: planted.argument });
  await agent.ask('tools/call', { name: 'noisy.echo', arguments: planted.argument });
  for (const operation of [
    'servers.list',
    'metrics.tools',
    'gateway.status',
    'gateway.doctor',
    'audit.list',
    'changes.list',
  ])
    said.push(await api(gateway, operation, {}));
  said.push(
    await api(gateway, 'servers.output', { name: 'noisy' }),
    await api(gateway, 'servers.output', { name: 'dead' }),
  );
  const { argument, ...others } = planted;
  assert.match(said.join('\n'), /my key is \*\*\*/, 'what was masked was there');
  assert.deepEqual(leaksInText(said.join('\n'), others), [], 'in what the owner is shown');
  assert.deepEqual(leaksInText(gateway.logged.join('\n'), planted), [], 'in the log');
  assert.deepEqual(await leaksIn(gateway, planted), [], 'in files while it runs');
  await gateway.gateway.close();
  assert.deepEqual(await leaksIn(gateway, planted), [], 'in files after it has ended');
});

test('[EDGE-02] an added server is sealed, comes back after a restart, and every file is its owner’s alone', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-sealed-'));
  try {
    const planted = canaries('env');
    const plan = planServers({ added: { entry: { env: { SOME_TOKEN: planted.env } } } });
    const first = await openTestGateway({ dataDir });
    await first.gateway.admin.run('servers.add', { name: 'added', spec: plan.servers.added ?? {} });
    assert.deepEqual(await leaksIn(first, planted), []);
    await first.close();
    await using second = await openTestGateway({ dataDir });
    const agent = new ModernAgent(second);
    assert.equal(await agent.say('added.env', { reveal: 'SOME_TOKEN' }), planted.env);
    assert.deepEqual(await leaksIn(second, planted), []);
    for (const file of (await filesBelow(dataDir)).filter((path) => path !== second.configFile))
      assert.equal((await stat(file)).mode & 0o077, 0, file);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

test('[EDGE-03] with another key the gateway does not start, names the places, and works again with the right one', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-key-'));
  try {
    const plan = planServers({ added: { toolCount: 1 } });
    const first = await openTestGateway({ dataDir });
    await first.gateway.admin.run('servers.add', { name: 'added', spec: plan.servers.added ?? {} });
    await first.close();
    const keyFile = join(dataDir, 'secret-key');
    const key = await readFile(keyFile, 'utf8');
    for (const other of [null, randomBytes(32).toString('base64')]) {
      if (other === null) await rm(keyFile);
      else await writeFile(keyFile, other, { mode: 0o600 });
      await assert.rejects(openTestGateway({ dataDir }), (error) => {
        assert.ok(error instanceof GatewayError);
        assert.match(error.message, /TOOLCRIB_SECRET_KEY.*keyring.*secret-key/);
        return error.code === 'STORE_BROKEN';
      });
    }
    await writeFile(keyFile, key, { mode: 0o600 });
    await using again = await openTestGateway({ dataDir });
    assert.deepEqual(
      (await again.gateway.admin.run('servers.list', {})).map(({ name }) => name),
      ['added'],
    );
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

test('[EDGE-03] one secret by name is enough to refuse a start with another key, and the message says where the right key belongs', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-key-'));
  try {
    const first = await openTestGateway({ dataDir });
    await first.gateway.admin.run('secrets.set', { name: 'KEY', value: 'opensesame-91' });
    await first.close();
    const keyFile = join(dataDir, 'secret-key');
    const key = await readFile(keyFile, 'utf8');
    const other = randomBytes(32).toString('base64');
    const startsWith = async (text: string | null, env: NodeJS.ProcessEnv, says: RegExp) => {
      if (text === null) await rm(keyFile, { force: true });
      else await writeFile(keyFile, text, { mode: 0o600 });
      await assert.rejects(openTestGateway({ dataDir, env: { ...process.env, ...env } }), (error) => {
        assert.ok(error instanceof GatewayError);
        assert.match(`${error.message} ${error.hint}`, says);
        return error.code === 'STORE_BROKEN';
      });
    };
    const set = { TOOLCRIB_SECRET_KEY: other };
    await startsWith(other, {}, /key "[\w-]{12}".*secret-key", which leads to another key \("[\w-]{12}"\).*backup/);
    await startsWith(
      null,
      set,
      /TOOLCRIB_SECRET_KEY does not match.*it holds "[\w-]{12}".*put that key into ".*secret-key"/,
    );
    await startsWith(null, {}, /not in TOOLCRIB_SECRET_KEY.*or ".*secret-key"/);
    assert.ok(!(await readdir(dataDir)).includes('secret-key'), 'no new key was made');
    await writeFile(keyFile, key, { mode: 0o600 });
    await using again = await openTestGateway({ dataDir, env: { ...process.env, ...set } });
    await again.gateway.admin.run('secrets.set', { name: 'MORE', value: 'opensesame-92' });
    const states = (await again.gateway.admin.run('secrets.list', {})).map(({ state }) => state);
    assert.deepEqual(states, ['set', 'set'], 'the previous key is still read');
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

test('[EDGE-04] a server process sees what was declared for it and a few safe variables', async () => {
  const planted = canaries('gateway');
  const plan = planServers({ child: { entry: { env: { OWN: 'yes' } } } });
  const dangerous = {
    NODE_OPTIONS: '--no-warnings',
    LD_PRELOAD: '',
    PYTHONPATH: '/x',
    GIT_SSH_COMMAND: 'x',
    BASH_ENV: '/x',
  };
  const env = {
    ...process.env,
    ...dangerous,
    SOME_API_KEY: planted.gateway,
    TOOLCRIB_SECRET_KEY: Buffer.alloc(32).toString('base64'),
  };
  await using gateway = await openTestGateway({ servers: plan.servers, env });
  const agent = new ModernAgent(gateway);
  await agent.tools();
  const names = JSON.parse(await agent.say('child.env')) as string[];
  const safe =
    /^(?:HOME|LANG|LC_\w+|LOGNAME|PATH|SHELL|TERM|TMPDIR|TZ|USER|XDG_\w+|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|\w+_PROXY|\w+_proxy|npm_config_(?:global|user)config|TOOLCRIB_\w*MARK\w*)$/;
  assert.deepEqual(
    names.filter((name) => name !== 'OWN' && !safe.test(name)),
    [],
  );
  assert.ok(names.includes('OWN') && names.includes('PATH'));
});
