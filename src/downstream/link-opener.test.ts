/** A server's identity: its place, not its keys; identities from earlier versions still count. And its remembered era. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { testSpool } from '../../test/kit/spool.ts';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { parseServer, type ServerSpec } from '../config/config.ts';
import { EraMemory, isFrom, LinkOpener, sourceOf } from './link-opener.ts';
import { Guard } from './server-process.ts';

type Place = Pick<ServerSpec, 'transport'>;

function command(more: object = {}): Place {
  return { transport: { kind: 'stdio', command: 'npx', args: ['a'], env: { KEY: 'one' }, cwd: null, ...more } };
}

function remote(url: string, headers: Record<string, string> = {}): Place {
  return { transport: { kind: 'http', url, headers } };
}

test('another key leaves a server the same, another command line, folder or URL makes it another', () => {
  assert.equal(sourceOf(command()), sourceOf(command({ env: { KEY: 'two', MORE: 'x' } })));
  assert.equal(sourceOf(remote('https://x.example/mcp')), sourceOf(remote('https://X.example/mcp', { a: 'b' })));
  const sources = [
    command(),
    command({ args: ['b'] }),
    command({ args: ['a', ''] }),
    command({ cwd: '/x' }),
    command({ command: 'node' }),
    remote('https://x.example/mcp'),
    remote('https://x.example/other'),
    remote('https://y.example/mcp'),
    remote('not a URL'),
  ].map(sourceOf);
  assert.equal(new Set(sources).size, sources.length);
  for (const source of sources) assert.match(source, /^[0-9a-f]{64}$/);
});

test('a mark of an earlier version still belongs to the same server', () => {
  const spec = command();
  const former = createHash('sha256').update(JSON.stringify(spec.transport)).digest('hex');
  assert.ok(isFrom(former, spec) && isFrom(sourceOf(spec), spec));
  assert.ok(!isFrom(former, command({ args: ['b'] })));
});

test('a server that suddenly answers differently loses its remembered era', async () => {
  const server = createServer((_request, response) => response.end('<p>Another program.</p>')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const spec = parseServer('far', { url }, {}, 'file');
  const removed: string[] = [];
  const decidedAt = systemClock.now();
  const verdicts = {
    findVerdict: async (key: string) => ({ key, modern: true, legacy: null, discover: null, decidedAt }),
    saveVerdict: async () => {},
    removeVerdict: async (key: string) => void removed.push(key),
  };
  const connect = { lazy: true, preconnect: [], timeoutMs: 5_000, installTimeoutMs: 5_000, maxRetries: 0, idleMs: 0 };
  const eras = new EraMemory(spec, verdicts, systemClock, silentLog);
  const context = {
    ...{ guard: new Guard('test', silentLog), clock: systemClock, log: silentLog, runMark: 'test', env: {}, verdicts },
    ...{ connect: { ...connect, roots: [] }, privateHosts: () => [], random: () => 0.5, spool: testSpool() },
  };
  assert.equal(eras.isKnown, false);
  assert.equal(await eras.choose('modern'), 'modern');
  assert.equal(eras.isKnown, true);
  const { signal } = new AbortController();
  await assert.rejects(new LinkOpener(spec, context, eras).open('modern', signal), { code: 'SERVER_NOT_RUNNING' });
  assert.deepEqual(removed, [sourceOf(spec)]);
  server.close();
});
