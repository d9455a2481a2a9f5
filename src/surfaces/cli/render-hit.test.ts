/** Tools that were found, as a terminal shows them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderHit } from './render-hit.ts';
import { styleFor } from './style.ts';

const style = styleFor({ write: () => true }, {});

test('a tool is shown with how likely it is, its first sentence, what it takes and why', () => {
  const tool = { toolKey: 'a:b', relevance: 0.64, description: 'Does it. Use it often.\n\nMore.', parameters: 'x, y?' };
  assert.equal(renderHit(tool, 'why: so', style), 'a:b  64 %\n    Does it.\n    takes: x, y?\n    why: so');
});

test('hardly likely is shown as less than one percent, never as none', () => {
  for (const relevance of [0, 0.001, 0.0049])
    assert.match(renderHit({ toolKey: 'a:b', relevance }, '', style), / <1 %/);
  assert.match(renderHit({ toolKey: 'a:b', relevance: 0.006 }, '', style), / {2}1 %/);
});

test('twins and other accounts are named', () => {
  const tool = { toolKey: 'a:b', equals: ['c:b'], moreEquals: 2, otherAccounts: ['d:b', 'e:b'] };
  assert.match(renderHit(tool, '', style), /the same: c:b and 2 more\n {4}other accounts: d:b, e:b$/);
});

test('a tool whose server is down says so, and when it is tried again', () => {
  const tool = { toolKey: 'a:b', available: false, nextRetryAt: '2026-01-01T00:00:00.000Z' };
  assert.match(renderHit(tool, '', style), /its server is down; next try at 2026-01-01T00:00:00\.000Z/);
  assert.match(renderHit({ toolKey: 'a:b', available: false }, '', style), /down; tried again with the next call/);
});
