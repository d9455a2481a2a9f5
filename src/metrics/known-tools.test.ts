/** Figures in memory: bounded, and those that were called last stay. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeUpCall } from '../../test/kit/made-up-call.ts';
import { KnownTools, mostTools } from './known-tools.ts';

test('100,000 tools are not all kept, but those that were called last are', () => {
  const tools = new KnownTools();
  tools.add(madeUpCall({ tool: 'often' }));
  for (let number = 0; number < 100_000; number += 1) {
    tools.add(madeUpCall({ tool: `tool-${number}` }));
    if (number % 1_000 === 0) tools.add(madeUpCall({ tool: 'often' }));
  }
  assert.equal(tools.size, mostTools);
  assert.equal(tools.letGo, 100_001 - mostTools);
  assert.equal(tools.get('s:often')?.tally.count, 101);
  assert.equal(tools.get('s:tool-99999')?.tally.count, 1);
  assert.equal(tools.get('s:tool-0'), undefined);
});
