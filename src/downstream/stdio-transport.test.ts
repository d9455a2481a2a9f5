/** Children that stop reading, close a pipe or have no room to be started: told, bounded, and never a crash of ours. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { allGone } from '../../test/kit/processes.ts';
import { systemClock } from '../base/clock.ts';
import type { GatewayError } from '../base/errors.ts';
import { randomId } from '../base/ids.ts';
import { silentLog } from '../base/log.ts';
import { limits } from '../config/config.ts';
import { Guard } from './guard.ts';
import { StdioTransport } from './stdio-transport.ts';

/** Runs `act` with a child that runs `script`, and with what its transport says of its end. */
async function withChild(
  script: string,
  act: (transport: StdioTransport, ended: Promise<Error>) => Promise<void>,
): Promise<void> {
  // A guard that ends sweeps away whatever has its mark.
  const runMark = randomId();
  const guard = new Guard(runMark, silentLog);
  const spec = { kind: 'stdio' as const, command: process.execPath, args: ['-e', script], env: {}, cwd: null };
  const transport = new StdioTransport('near', spec, { guard, clock: systemClock, runMark, env: process.env });
  try {
    const ended = new Promise<Error>((resolve, reject) => {
      transport.open({ onMessage: () => {}, onClose: resolve }).catch(reject);
    });
    ended.catch(() => {});
    while (transport.pid === undefined) await new Promise(setImmediate);
    await act(transport, ended);
  } finally {
    await transport.close();
    guard.close();
  }
}

const message = { jsonrpc: '2.0' as const, method: 'notifications/any' };
const live = 'setInterval(() => {}, 1e6);';

test('a child that closes its output but lives is ended', async () => {
  await withChild(`require('fs').closeSync(1); ${live}`, async (transport, ended) => {
    const pid = transport.pid ?? -1;
    assert.match((await ended).message, /"near" closed its input or output/);
    await allGone([pid], 10_000);
  });
});

test('a child that closes its input but lives is ended when it is written to, and later messages were never sent', async () => {
  await withChild(`require('fs').closeSync(0); console.error('closed'); ${live}`, async (transport, ended) => {
    while (!transport.stderr.read().includes('closed')) await new Promise(setImmediate);
    await transport.send(message);
    assert.match((await ended).message, /"near" closed its input or output/);
    await assert.rejects(
      transport.send(message),
      (error: GatewayError) => error.code === 'SERVER_DISCONNECTED' && error.data?.isUnexecuted === true,
    );
  });
});

test('what a child does not read is bounded, and what is refused was never sent', async () => {
  await withChild(live, async (transport) => {
    const large = { ...message, params: { text: 'x'.repeat(1_024 * 1_024) } };
    let taken = 0;
    const refused = await (async () => {
      for (; taken < 100; taken += 1) await transport.send(large);
      return undefined;
    })().catch((error) => error as GatewayError);
    assert.deepEqual([refused?.code, refused?.data], ['RATE_LIMITED', { reason: 'unread', isUnexecuted: true }]);
    assert.ok(taken * 1_024 * 1_024 <= limits.stdioUnreadBytes + 2 * 1_024 * 1_024, `${taken} were taken`);
  });
});

test('a guard that cannot be started for want of files is started later, and nothing crashes', () => {
  const script = `
    import { openSync, closeSync } from 'node:fs';
    import { Guard } from ${JSON.stringify(new URL('./guard.ts', import.meta.url).href)};
    import { silentLog } from ${JSON.stringify(new URL('../base/log.ts', import.meta.url).href)};
    const files = [];
    try { for (;;) files.push(openSync('/dev/null')); } catch {}
    const guard = new Guard('guard-test', silentLog);
    guard.watch(99999999);
    for (const file of files) closeSync(file);
    const until = performance.now() + 10_000;
    while (guard.pid === undefined && performance.now() < until) await new Promise((go) => setTimeout(go, 20));
    console.log(guard.pid === undefined ? 'no guard' : 'guarded');
    guard.close();
  `;
  const shell = ['-c', 'ulimit -n 64; exec "$0" --input-type=module -e "$1"', process.execPath, script];
  const { stdout, stderr } = spawnSync('/bin/sh', shell, { encoding: 'utf8' });
  assert.equal(stdout, 'guarded\n', stderr);
});

test('a process of ours does not end before the children that it closes', () => {
  const child = `process.on('SIGTERM', () => setTimeout(process.exit, 300)); ${live}`;
  const module = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `
    import { Guard } from ${module('./guard.ts')};
    import { ServerProcess } from ${module('./server-process.ts')};
    import { systemClock as clock } from ${module('../base/clock.ts')};
    import { silentLog } from ${module('../base/log.ts')};
    const guard = new Guard('end-test', silentLog);
    const args = ['-c', '"$0" "$@"; true', process.execPath, '-e', ${JSON.stringify(child)}];
    const context = { guard, clock, runMark: 'end-test', env: process.env };
    const started = await ServerProcess.start('near', { command: '/bin/sh', args, env: {}, cwd: null }, context);
    await started.close();
    guard.close();
    console.log('closed');
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.equal(stdout, 'closed\n', stderr);
});
