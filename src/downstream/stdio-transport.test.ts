/** Children that stop reading, close a pipe or have no room to be started: told, bounded, and never a crash of ours. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { allGone, eventually, HANG_MS } from '../../test/kit/processes.ts';
import { testSpool } from '../../test/kit/spool.ts';
import { systemClock } from '../base/clock.ts';
import type { GatewayError } from '../base/errors.ts';
import { randomId } from '../base/ids.ts';
import { silentLog } from '../base/log.ts';
import { limits } from '../config/config.ts';
import type { RpcMessage } from '../protocol/messages.ts';
import { type LongValue, releaseLong } from '../results/results.ts';
import type { MessageRefusal } from './read-messages.ts';
import { Guard } from './server-process.ts';
import { LineSplitter, OutputTail, StdioTransport } from './stdio-transport.ts';

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

test('it is known how long a package runner has been at it, until its server speaks', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-runner-'));
  const command = join(folder, 'npx');
  await writeFile(command, `#!/bin/sh\nread line\necho '${JSON.stringify(message)}'\ncat\n`, { mode: 0o755 });
  const runMark = randomId();
  const guard = new Guard(runMark, silentLog);
  const clock = new ManualClock();
  const spec = { kind: 'stdio' as const, command, args: ['-y', 'some-server'], env: {}, cwd: null };
  const transport = new StdioTransport('near', spec, { guard, clock, runMark, env: process.env, spool });
  const heard = Promise.withResolvers<RpcMessage>();
  await transport.open({ onMessage: heard.resolve, onClose: () => {} });
  await clock.advance(500);
  assert.equal(transport.installingMs, 500);
  await transport.send(message);
  await heard.promise;
  assert.equal(transport.installingMs, undefined);
  await transport.close();
  guard.close();
  await rm(folder, { recursive: true });
});

test('unread input of a child is bounded, and refused messages were never sent', async () => {
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
    import { Guard } from ${JSON.stringify(new URL('./server-process.ts', import.meta.url).href)};
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

test('an ended guard restarts only while it watches something, and closing ends it', async () => {
  // The guard sends signals to what it watches; nothing has this number.
  const group = 99_999_999;
  const guard = new Guard(randomId(), silentLog);
  guard.watch(group);
  const first = guard.pid ?? -1;
  process.kill(first, 'SIGKILL');
  const second = await eventually('another one watches', () => (guard.pid === first ? undefined : guard.pid));
  guard.release(group);
  process.kill(second, 'SIGKILL');
  await allGone([second]);
  await eventually('its end is known', () => guard.pid === undefined || undefined);
  guard.watch(group);
  const third = guard.pid ?? -1;
  guard.release(group);
  guard.close();
  await allGone([third]);
});

test('a process of ours does not end before the children that it closes', () => {
  const child = `process.on('SIGTERM', () => setTimeout(process.exit, 300)); ${live}`;
  const module = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `
    import { Guard } from ${module('./server-process.ts')};
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

interface Split {
  readonly lines: string[];
  readonly long: unknown[];
  readonly refused: MessageRefusal[];
}

function split(chunks: readonly Buffer[], where = spool): Split {
  const out: Split = { lines: [], long: [], refused: [] };
  const splitter = new LineSplitter(where, {
    onLine: (line) => out.lines.push(line),
    onLong: (value) => out.long.push(value),
    onRefused: (refusal) => out.refused.push(refusal),
  });
  for (const chunk of chunks) splitter.push(chunk);
  splitter.drop();
  return out;
}

function cutInto(text: string, size: number): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

/** A line of exactly `bytes` bytes, with the id at its start or at its end. */
function answerOf(bytes: number, idAt: 'start' | 'end' = 'start'): string {
  const [before, after] =
    idAt === 'start'
      ? ['{"jsonrpc":"2.0","id":7,"result":{"text":"', '"}}']
      : ['{"jsonrpc":"2.0","result":{"text":"', '"},"id":7}'];
  return `${before}${'x'.repeat(bytes - before.length - after.length)}${after}`;
}

const most = limits.frameMemoryBytes;

test('lines are the same wherever the bytes are cut, inside characters too', () => {
  const line = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).map((text) => text.replaceAll('\n', ' '));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.integer({ min: 1, max: 9 }), (lines, size) => {
      assert.deepEqual(split(cutInto(lines.map((text) => `${text}\n`).join(''), size)).lines, lines);
    }),
  );
});

test('empty lines are skipped, and the last one waits for its end', () => {
  assert.deepEqual(split([Buffer.from('\n\na\n\nb')]).lines, ['a']);
  assert.deepEqual(split([Buffer.from('a\r\nb\r\n')]).lines, ['a\r', 'b\r']);
});

test('a line that just fits is text, one that does not goes by way of the disk, and their neighbours are whole', () => {
  for (const size of [1_000, 65_536, 5_000_000]) {
    const text = `before\n${answerOf(most)}\n${answerOf(most + 1, 'end')}\n\ufeff${answerOf(3 * most)}\r\nafter\n`;
    const { lines, long, refused } = split(cutInto(text, size));
    assert.deepEqual([lines.map((line) => line.length), refused], [['before'.length, most, 'after'.length], []]);
    const results = (long as { id: number; result: { text: LongValue } }[]).map(({ id, result }) => {
      releaseLong(result);
      return [id, result.text.bytes];
    });
    assert.deepEqual(results, [
      [7, most + 1 - '{"jsonrpc":"2.0","result":{"text":},"id":7}'.length],
      [7, 3 * most - '{"jsonrpc":"2.0","id":7,"result":{"text":}}'.length],
    ]);
    assert.equal(spool.bytes, 0);
  }
});

test('a line that comes in very many pieces costs what it is long', () => {
  const { lines } = split(cutInto(`${'y'.repeat(300_000)}\n`, 1));
  assert.deepEqual(lines, ['y'.repeat(300_000)]);
});

test('a line that is not read tells whose answer it was, once, and its neighbours are whole', () => {
  const small = testSpool({ limitBytes: 2 * most });
  for (const size of [1_000, 65_536, 10_000_000]) {
    for (const idAt of ['start', 'end'] as const) {
      const { lines, long, refused } = split(cutInto(`before\n${answerOf(4 * most, idAt)}\nafter\n`, size), small);
      assert.deepEqual([lines, long], [['before', 'after'], []]);
      assert.deepEqual(
        refused.map(({ id, error }) => [id, (error as { code: string }).code]),
        [[7, 'RATE_LIMITED']],
      );
    }
  }
  assert.equal(small.bytes, 0);
});

test('a long line that is no message is told as what it is', () => {
  const { lines, refused } = split(cutInto(`${'junk '.repeat(most)}\nafter\n`, 65_536));
  assert.deepEqual(lines, ['after']);
  assert.deepEqual(
    refused.map(({ id, error }) => [id, error instanceof SyntaxError]),
    [[undefined, true]],
  );
});

const secret = 'hunter2-hunter2-hunter2';

test('a short text is kept as it is, without control characters', () => {
  const tail = new OutputTail(1_000, []);
  tail.push('one\r\n\u001b[31mtwo\u001b[0m\n');
  tail.push('\n  \nthree\n');
  assert.equal(tail.read(), 'one\n[31mtwo[0m\n\n  \nthree');
  assert.deepEqual(tail.lastLines(2), ['[31mtwo[0m', 'three']);
});

test('only the end of a long output is kept', () => {
  const tail = new OutputTail(1_000, []);
  for (let at = 0; at < 5_000; at += 1) tail.push(`line ${at}\n`);
  assert.ok(tail.read().length <= 1_000);
  assert.deepEqual(tail.lastLines(1), ['line 4999']);
  tail.push('x'.repeat(100_000));
  assert.ok(tail.read().length <= 1_000);
});

test('secrets are masked, whether they came in one piece or two', () => {
  const tail = new OutputTail(1_000, [secret]);
  tail.push(`token ${secret.slice(0, 9)}`);
  tail.push(`${secret.slice(9)} end\n`);
  assert.equal(tail.read(), 'token *** end');
});

test('a secret that was cut in two at the start leaves no half behind', () => {
  for (let at = 1; at < secret.length; at += 1) {
    for (const rest of ['\nlast line\n', ` ${'y'.repeat(700)}\n`, ` ${'y'.repeat(700)}`]) {
      const tail = new OutputTail(secret.length - at + rest.length, [secret]);
      tail.push('earlier\n');
      tail.push(`${secret}${rest}`);
      assert.ok(!tail.read().includes(secret.slice(-6)), `cut at ${at}: ${tail.read().slice(0, 40)}`);
    }
  }
});

test('a whole chunk that falls away takes its half of a secret with it', () => {
  const tail = new OutputTail(60, [secret]);
  tail.push(`${'-'.repeat(40)}${secret.slice(0, 12)}`);
  tail.push(`${secret.slice(12)}\nand so on\n`);
  tail.push('the end\n');
  assert.ok(!tail.read().includes('hunter2'));
  assert.match(tail.read(), /the end$/);
});
