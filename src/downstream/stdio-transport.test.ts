/** Children that stop reading, close a pipe or have no room to be started: told, bounded, and never a crash of ours. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { allGone, eventually, HANG_MS } from '../../test/kit/processes.ts';
import { testSpool } from '../../test/kit/spool.ts';
import { systemClock } from '../base/clock.ts';
import type { GatewayError } from '../base/errors.ts';
import { randomId } from '../base/ids.ts';
import { silentLog } from '../base/log.ts';
import { limits } from '../config/config.ts';
import type { RpcMessage } from '../protocol/messages.ts';
import { type LongValue, releaseLong } from '../results/results.ts';
import { Guard } from './guard.ts';
import { StdioTransport } from './stdio-transport.ts';

const spool = testSpool();

/** Runs `act` with a child that runs `script`, and with what its transport says of its end. */
async function withChild(
  script: string,
  act: (transport: StdioTransport, ended: Promise<Error>, heard: RpcMessage[]) => Promise<void>,
): Promise<void> {
  // A guard that ends sweeps away whatever has its mark.
  const runMark = randomId();
  const guard = new Guard(runMark, silentLog);
  const spec = { kind: 'stdio' as const, command: process.execPath, args: ['-e', script], env: {}, cwd: null };
  const context = { guard, clock: systemClock, runMark, env: process.env, spool };
  const transport = new StdioTransport('near', spec, context);
  try {
    const heard: RpcMessage[] = [];
    const ended = new Promise<Error>((resolve, reject) => {
      transport.open({ onMessage: (message) => heard.push(message), onClose: resolve }).catch(reject);
    });
    ended.catch(() => {});
    while (transport.pid === undefined) await new Promise(setImmediate);
    await act(transport, ended, heard);
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
    await allGone([pid]);
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

test('a child that crashes is told by its error, not by the trace below it', async () => {
  await withChild(`throw new Error('Failed to load pty.node')`, async (_, ended) => {
    assert.match(
      (await ended).message,
      /^Server "near" exited with code 1\. It said: .*Error: Failed to load pty\.node$/,
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

test('a long answer comes by way of the disk, between its neighbours, and others go on meanwhile', async () => {
  const script = `
    const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    say({ method: 'notifications/progress', params: { progressToken: 1 } });
    say({ id: 1, result: { content: [{ type: 'text', text: 'long '.repeat(4e6) }] } });
    say({ id: 2, result: {} });
    ${live}`;
  await withChild(script, async (_transport, _ended, heard) => {
    await eventually('all is heard', () => heard[2]);
    const [progress, long, next] = heard as unknown as Record<string, unknown>[];
    assert.deepEqual([progress?.method, long?.id, next?.id], ['notifications/progress', 1, 2]);
    const result = long?.result as { content: { text: LongValue }[] };
    assert.equal(result.content[0]?.text.bytes, 20_000_002);
    let characters = 0;
    for await (const text of result.content[0]?.text.textChunks() ?? []) characters += text.length;
    assert.equal(characters, 20_000_000);
    releaseLong(result);
    assert.equal(spool.bytes, 0);
  });
});

test('an answer that is too much fails at once where its id is known, and at its end otherwise', async () => {
  const script = `
    const blocks = JSON.stringify(Array.from({ length: 30000 }, () => ({ type: 'text', text: 'a block of a list' })));
    process.stdout.write('{"jsonrpc":"2.0","id":1,"result":{"content":' + blocks.slice(0, -1));
    process.stdin.once('data', () => {
      process.stdout.write(']}}\\n{"jsonrpc":"2.0","result":{"content":' + blocks + '},"id":2}\\n');
      process.stdout.write('x'.repeat(3e6) + '\\n{"jsonrpc":"2.0","id":3,"result":{}}\\n');
    });
    ${live}`;
  await withChild(script, async (transport, _ended, heard) => {
    await eventually('it is refused before its end', () => heard[0]);
    await transport.send(message);
    await eventually('all is heard', () => heard[2]);
    const [first, second, third] = heard as { id: number; error?: { message: string; data: unknown } }[];
    const told = 'The answer of server "near" was not read. It has more than 20000 content blocks.';
    for (const [at, refused] of [first, second].entries()) {
      assert.deepEqual([refused?.id, refused?.error?.message], [at + 1, told]);
      assert.deepEqual(refused?.error?.data, { toolcrib: 'TOO_LARGE' });
    }
    assert.equal(third?.id, 3);
    assert.equal(transport.junkLines, 3);
    assert.equal(spool.bytes, 0);
  });
});

test('a child that ends in the middle of a long line leaves nothing on the disk', async () => {
  const script = `process.stdout.write('{"jsonrpc":"2.0","id":1,"result":{"text":"' + 'x'.repeat(5e6), () => {
    process.stdin.once('data', () => process.exit(3));
  }); ${live}`;
  await withChild(script, async (transport, ended, heard) => {
    await eventually('it is on the disk', () => (spool.bytes > 4e6 ? true : undefined));
    await transport.send(message);
    assert.match((await ended).message, /exited with code 3/);
    assert.equal(spool.bytes, 0);
    assert.deepEqual(heard, []);
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
    const until = performance.now() + ${HANG_MS};
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
