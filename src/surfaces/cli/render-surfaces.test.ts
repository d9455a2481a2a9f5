/** The tools that agents see and their cost, as a terminal shows them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SurfaceReport } from '../../admin/admin.ts';
import { renderSurfaces } from './render-surfaces.ts';
import { styleFor } from './style.ts';

const style = styleFor({ write: () => true }, {});

const traffic = {
  lists: 12,
  finds: 1,
  calls: 35,
  chains: 2,
  chainCalls: 80,
  usedTokens: 41_234,
  directTokens: 512_345,
  searchTokens: 41_234,
  search: null,
};

const door: SurfaceReport = {
  project: null,
  surface: 'search',
  by: 'auto',
  reason: 'the whole definitions of the 258 tools are about 53,100 tokens, more than 3,000',
  startTokens: { search: 783, direct: 41_049, code: 431, full: 1_402 },
  traffic,
};

const render = (...doors: SurfaceReport[]) => renderSurfaces({ days: 30, doors, counting: [] }, style);

test('each door says its surface, why, what a start costs and what the traffic did beside other surfaces', () => {
  assert.equal(
    render(door),
    [
      'What agents see',
      '  /mcp  search: the whole definitions of the 258 tools are about 53,100 tokens, more than 3,000',
      '    a model reads at its start, in tokens, about: search 783, direct 41,000, code 431, full 1,400',
      '    last 30 days: 12 lists served, 1 search, 35 calls, 2 chains with 80 calls',
      '    cost about 41,200 tokens; on direct about 512,000, on search about 41,200',
      '  Tokens are estimates; "surfaces.counting" of doctor --json says what is counted.',
    ].join('\n'),
  );
});

test('without sessions there is no figure', () => {
  const text = render({ ...door, project: 'my work', surface: 'direct', traffic: null });
  assert.match(text, /^ {2}\/projects\/my%20work\/mcp {2}direct: /m);
  assert.match(text, /\n {4}no agent in the last 30 days$/);
  assert.doesNotMatch(text, /cost|estimates/);
});

test('a figure that rests on an assumption says so, and one that was seen too', () => {
  const shown = (search: typeof traffic.search | object) =>
    render({ ...door, traffic: { ...traffic, search } as never });
  assert.match(
    shown({ perCall: 1, tokens: 600, isSeen: false }),
    /on search about 41,200 \(if one search came before each call\)$/m,
  );
  assert.match(
    shown({ perCall: 0.42, tokens: 480, isSeen: true }),
    / \(0\.4 searches for each call, as where agents search\)$/m,
  );
});

test('texts of a config reach the terminal without control characters', () => {
  assert.doesNotMatch(render({ ...door, reason: 'set for "a\u001b[31m"' }), /\u001b/);
});
