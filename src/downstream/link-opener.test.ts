/** A server's identity: its place, not its keys; identities from earlier versions still count. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { ServerSpec } from '../config/config.ts';
import { isFrom, sourceOf } from './link-opener.ts';

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
