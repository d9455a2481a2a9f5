/** Where a gateway listens: by flag, environment and config, on all addresses, and on a port that somebody else has. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { outsideUrlOf } from '../../src/base/local-url.ts';
import { CliMachine } from '../kit/cli.ts';
import { eventually } from '../kit/processes.ts';
import { TcpProxy } from '../kit/tcp-proxy.ts';
import { newJournal, serverCommand } from '../servers/launch.ts';

/** Ports that were free a moment ago. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port); // each listens on a port
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

async function writeConfig(machine: CliMachine, config: unknown): Promise<string> {
  await mkdir(machine.dataDir, { recursive: true });
  const file = join(machine.dataDir, 'toolcrib.json');
  await writeFile(file, JSON.stringify(config));
  return file;
}

test('[GET-40] the flag goes before the environment, that before the config', async () => {
  await using machine = await CliMachine.make();
  const [byFlag = 0, byEnvironment = 0, byConfig = 0] = await freePorts(3);
  await writeConfig(machine, { listen: { port: byConfig } });
  const env = { TOOLCRIB_PORT: String(byEnvironment), TOOLCRIB_HOST: '127.0.0.2' };
  for (const [flags, used, url] of [
    [['--port', String(byFlag), '--host', '127.0.0.1'], env, `http://127.0.0.1:${byFlag}`],
    [[], process.platform === 'linux' ? env : { ...env, TOOLCRIB_HOST: '' }, null],
    [[], { TOOLCRIB_PORT: '' }, `http://127.0.0.1:${byConfig}`],
  ] as const) {
    const running = machine.launch(['start', '--json', ...flags], { env: used });
    await running.until(({ stdout }) => stdout.includes('\n'));
    const printed = JSON.parse(running.printed.stdout).url;
    const host = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1';
    assert.equal(printed, url ?? `http://${host}:${byEnvironment}`);
    await running.stop();
  }
});

test('[GET-40] an address that makes no sense is refused with where it stands', async () => {
  await using machine = await CliMachine.make();
  for (const [env, message] of [
    [{ TOOLCRIB_PORT: '70000' }, /^TOOLCRIB_PORT must be a whole number from 0 to 65535, not "70000"\./],
    [{ TOOLCRIB_PORT: '0', TOOLCRIB_HOST: 'localhost:80' }, /^The gateway cannot listen on localhost:80, port 0: /],
  ] as const) {
    const run = await machine.launch(['start'], { env }).ended;
    assert.equal(run.code, 2, run.stderr);
    assert.match(run.stderr, message);
  }
  const file = await writeConfig(machine, { listen: { port: 65_536, host: '127.0.0.1:80' } });
  const run = await machine.run('start');
  assert.equal(run.code, 2);
  assert.ok(run.stderr.startsWith(`${file}:1:`), run.stderr);
  assert.match(run.stderr, /listen\.port.*a whole number from 0 to 65535/);
  assert.match(run.stderr, /listen\.host.*a host name or an address, without a port/);
});

test('[GET-41] a change of "listen" waits for a restart, and doctor says so', async () => {
  await using machine = await CliMachine.make();
  await writeConfig(machine, {});
  const gateway = await machine.start();
  const [port = 0] = await freePorts(1);
  await writeConfig(machine, { listen: { port } });
  await gateway.until(({ stderr }) => stderr.includes('"listen" in the config was changed. Restart the gateway'));
  const { stdout } = await machine.run('doctor', '--no-connect');
  assert.match(stdout, /^note: "listen" in the config was changed\. Restart the gateway to apply it\.$/m);
  await writeConfig(machine, {});
  await eventually('the change was taken back', async () => {
    const run = await machine.run('doctor', '--no-connect');
    return run.stdout.includes('was changed') ? undefined : true;
  });
});

test('[GET-42] a port that a gateway has is told with its data folder, and no server is started', async () => {
  await using machine = await CliMachine.make();
  const { url } = await machine.startProcess();
  await using second = await CliMachine.make();
  const journal = newJournal();
  const server = serverCommand({ journal });
  await writeConfig(second, { connect: { lazy: false }, mcpServers: { eager: server } });
  const { port } = new URL(url);
  const run = await second.run('start', '--port', port);
  assert.equal(run.code, 1);
  assert.match(run.stderr, new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is in use by a Toolcrib gateway with `));
  if (process.platform === 'linux')
    assert.ok(run.stderr.includes(`data folder ${machine.dataDir}: process `), run.stderr);
  assert.match(run.stderr, /^hint: Start on another port: add --port NUMBER, or --port 0 /m);
  await assert.rejects(readFile(journal), { code: 'ENOENT' });
  // The same server is started where there is a port.
  const other = await second.start();
  await eventually('the server has started', () => readFile(journal).catch(() => undefined));
  await other.stop();
});

test('[GET-42] a balancer on the port is no gateway, though it answers like those behind it', async () => {
  await using machine = await CliMachine.make();
  const { url } = await machine.startProcess();
  await using balancer = await TcpProxy.to(url);
  await using second = await CliMachine.make();
  const run = await second.run('start', '--port', new URL(balancer.url).port);
  // Elsewhere nobody may know the process.
  if (process.platform === 'linux') assert.match(run.stderr, / is in use by another program: process \d+ \(/);
});

test('[GET-43] on all addresses, one for this machine and one for others are printed, and both work', async () => {
  await using machine = await CliMachine.make();
  const running = machine.launch(['start', '--port', '0', '--host', '0.0.0.0']);
  await running.until(({ stdout }) => stdout.includes('--demo'));
  const [, port] = /^ {2}agents +http:\/\/127\.0\.0\.1:(\d+)\/mcp$/m.exec(running.printed.stdout) ?? [];
  const outside = outsideUrlOf(`http://0.0.0.0:${port}`, networkInterfaces());
  const [, printed] = /^ +(http\S+)\/mcp from other machines$/m.exec(running.printed.stdout) ?? [];
  assert.equal(printed ?? null, outside);
  for (const url of [`http://127.0.0.1:${port}`, ...(outside ? [outside] : [])])
    assert.equal((await fetch(`${url}/mcp`, { method: 'POST', body: '{}' })).status, 401, url);
  const { stdout } = await machine.run('status');
  assert.match(stdout, new RegExp(`url +http://0\\.0\\.0\\.0:${port}`));
});
