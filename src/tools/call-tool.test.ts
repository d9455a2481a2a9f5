/** Which alternative may be called without asking anybody. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeCall } from '../../test/kit/made-call.ts';
import type { AlternativeTool } from '../caller/caller.ts';
import { parseServer } from '../config/config.ts';
import { makeAdvisor } from './call-tool.ts';
import type { LayerName, Uses } from './layers.ts';

const alternative: AlternativeTool = {
  server: 'other',
  tool: 'read',
  toolKey: 'other:read',
  similarity: 1,
  successRate: null,
  reason: 'Same purpose.',
  arguments: { path: 'a' },
};

function retried(permissions: Record<string, string>) {
  const spec = parseServer('other', { command: 'serve', permissions }, {}, 'file');
  const { definition } = madeCall();
  const entry = { key: 'other:read', server: 'other', name: 'read', serverName: 'read', definition, fingerprint: 'f' };
  const snapshot = { servers: new Map([['other', { spec }]]), tools: new Map([[entry.key, entry]]) };
  // Only these members are used.
  const layers = {
    catalog: { snapshot, pins: { isRenewed: () => false } },
    config: () => ({ calls: { timeoutMs: 1_000, maxResultBytes: 1_000 } }),
    search: { queryBehind: () => null },
  } as unknown as Uses<LayerName>;
  const advisor = makeAdvisor(layers, { way: 'execute', reader: 'search' });
  return advisor.retry(madeCall(), alternative)?.key;
}

test('a tool that only reads may be; one that somebody has to approve, or that is denied, never is', () => {
  assert.equal(retried({}), 'other:read');
  assert.equal(retried({ read: 'ask' }), undefined);
  assert.equal(retried({ '*': 'deny' }), undefined);
});
