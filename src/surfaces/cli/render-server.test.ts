/** Tests of what is said of a server once it is added. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerOutcome } from '../../admin/admin.ts';
import type { CommandContext } from './context.ts';
import { renderAdded, renderServers } from './render-server.ts';
import { styleFor } from './style.ts';

// Nothing else of it is used.
const context = { style: styleFor({ write() {} }, {}) } as CommandContext;

function addedWith(held: ServerOutcome['held']): ServerOutcome {
  return {
    ...{
      name: 'tasks',
      title: 'tasks',
      state: 'connected' as const,
      transport: 'stdio',
      era: 'legacy',
      origin: 'store',
      installingSeconds: null,
    },
    ...{
      toolCount: 1,
      optimizedCount: 0,
      heldCount: held.length,
      changedCount: 0,
      markedCount: 0,
      lastError: null,
      hint: null,
      reason: null,
    },
    ...{ nextRetryAt: null, connectedAt: null, listedAt: '2026-01-01T00:00:00.000Z', staleSince: null },
    ...{ lastChange: null, lastChangeSummary: null, callsInFlight: 0, tools: ['list'], held, notes: [] },
  };
}

const heldTool = (name: string) => ({
  kind: 'tool' as const,
  name,
  reasons: ['It tells the model what to do.', 'It is new.'].map((sentence) => ({
    code: 'order',
    where: 'description',
    sentence,
  })),
});

test('a server that is added names what is withheld, with the first reason', () => {
  const own = { kind: 'server' as const, name: '', reasons: [] };
  const { remarks } = renderAdded(addedWith([heldTool('plan\u202e'), own]), context);
  assert.deepEqual(remarks?.split('\n'), [
    '2 definitions of tasks wait for your approval: toolcrib review',
    'Held back:',
    '  tasks:plan\\u202e: description: It tells the model what to do.',
    '  tasks (server description)',
  ]);
  assert.equal(renderAdded(addedWith([]), context).remarks, undefined);
});

test('of many that are withheld five are named, and the others counted', () => {
  const held = Array.from({ length: 12 }, (_, at) => heldTool(`tool-${at}`));
  const lines = renderAdded(addedWith(held), context).remarks?.split('\n') ?? [];
  assert.equal(lines.filter((line) => line.includes('tasks:tool-')).length, 5);
  assert.equal(lines.at(-1), '  … and 7 more');
});

test('in a narrow table the last error leaves out the name of its server', () => {
  const failed = {
    ...addedWith([]),
    state: 'failed' as const,
    lastError: 'Server "tasks" exited with code 3. It said: boom',
  };
  const lines = renderServers([failed], { ...context, width: 80 }, 0).split('\n');
  assert.match(lines[1] ?? '', /^tasks .* exited with code 3\. It said: boom$/);
});
