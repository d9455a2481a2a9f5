/** Tests of what the doctor looks at by itself. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkConfig } from './check-config.ts';
import { checkDataFolder, checkPort, describeHolder, describeUsedConfig, onPath } from './checks.ts';
import { dataFolderAmong, filesInLsof, listenersIn, readLsof } from './port-user.ts';

async function folder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'toolcrib-checks-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

test('the Node that servers get may be new, old or missing', () => {
  assert.equal(onPath('v24.1.0\n').severity, 'ok');
  assert.match(onPath('v18.20.1\n').message, /Node 18\.20\.1, which is too old/);
  assert.match(onPath(null).message, /no "node" on the PATH/);
});

test('the data folder may be there, be made, or be impossible', async () => {
  await using place = await folder();
  const file = join(place.path, 'file');
  await writeFile(file, '');
  assert.match((await checkDataFolder(place.path)).message, /is usable/);
  assert.match((await checkDataFolder(join(place.path, 'a', 'b'))).message, /^Toolcrib will create/);
  assert.deepEqual(
    [(await checkDataFolder(file)).severity, (await checkDataFolder(join(file, 'below'))).severity],
    ['problem', 'problem'],
  );
});

test('every mistake of the config is a finding of its own', async () => {
  await using place = await folder();
  const where = { cwd: place.path, dataDir: place.path, env: {} };
  assert.match((await checkConfig(where))[0]?.message ?? '', /no config file \(looked for .*toolcrib\.json\)/);
  await writeFile(join(place.path, 'toolcrib.json'), '{\n "calls": { "timeoutMs": "x" },\n "serch": {}\n}');
  const findings = await checkConfig(where);
  assert.deepEqual(
    findings.map(({ severity }) => severity),
    ['problem', 'problem'],
  );
  assert.match(findings[0]?.message ?? '', /toolcrib\.json:2:\d+: .*timeoutMs/);
  assert.match(findings[1]?.message ?? '', /toolcrib\.json:3:\d+: .*serch.*search/);
});

test('a gateway of another version is pointed out', () => {
  const holder = { pid: 7, startedAt: 0, url: 'http://127.0.0.1:1', version: '1.0.0' };
  assert.equal(describeHolder(holder, '1.0.0').length, 1);
  assert.match(describeHolder(holder, '2.0.0')[1]?.message ?? '', /has version 1\.0\.0, this command 2\.0\.0/);
});

test('the config of a gateway that runs is named, and pointed out where it is another one', () => {
  const own = ['/here/toolcrib.json', '/data/toolcrib.json'];
  const used = (configFile: string | null) => describeUsedConfig({ configFile }, own);
  assert.deepEqual(used(null).severity, 'ok');
  assert.match(used(null).message, /uses no config file/);
  assert.deepEqual(used('/data/toolcrib.json').severity, 'ok');
  const other = used('/there/toolcrib.json');
  assert.deepEqual(
    [other.severity, other.message],
    ['note', 'The running gateway uses the config /there/toolcrib.json.'],
  );
  assert.equal(other.hint, 'It does not see changes in /here/toolcrib.json or /data/toolcrib.json.');
});

test('a port that is taken names the process that has it', async () => {
  const server = createServer((_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const taken = await checkPort('127.0.0.1', port, process.env);
  await new Promise((resolve) => server.close(resolve));
  assert.equal(taken.severity, 'note');
  assert.match(taken.message, new RegExp(`Port ${port} is in use by another program`));
  if (process.platform === 'linux') assert.match(taken.message, new RegExp(`process ${process.pid} \\(`));
  assert.equal((await checkPort('127.0.0.1', port, process.env)).message, `Port ${port} is free.`);
});

test('the answers of the system are read', () => {
  const socketTable = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    '   0: 0100007F:0D05 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 41234 1 0 100 0 0 10 0',
    '   1: 0100007F:0D05 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 41235 1 0 20 4 30 10 -1',
  ].join('\n');
  assert.deepEqual(listenersIn(socketTable, 3333), ['41234']);
  assert.deepEqual(listenersIn(socketTable, 3334), []);
  assert.deepEqual(readLsof('p4242\ncnode\nf22\n'), { pid: '4242', command: 'node' });
  assert.equal(readLsof(''), null);
  const files = filesInLsof('p4242\nf9\nn127.0.0.1:3333\nf21\nn/homes/me/.toolcrib/gateway.lock.held\n');
  assert.equal(dataFolderAmong(files), '/homes/me/.toolcrib');
  assert.equal(dataFolderAmong(['socket:[41234]', '/homes/me/notes']), undefined);
});
