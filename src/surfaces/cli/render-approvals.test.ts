/** Tests of how calls that wait for approval look to people. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LastingApproval, WaitingCall } from '../../admin/admin.ts';
import type { CommandContext } from './context.ts';
import { renderLasting, renderWaiting } from './render-approvals.ts';
import { styleFor } from './style.ts';

const style = styleFor({ write: () => {} }, {});
const now = Date.UTC(2026, 0, 1);

function waiting(parts: Partial<WaitingCall> = {}): WaitingCall {
  return {
    id: 'call_k7m2qp',
    toolKey: 'till:pay',
    server: 'till',
    tool: 'pay',
    arguments: '{\n  "amount": 5\n}',
    isCut: false,
    characters: 17,
    beside: null,
    principal: 'agent',
    principalId: 'agent',
    project: null,
    client: null,
    asked: 'owner',
    hasSession: true,
    askedAt: new Date(now - 18_000).toISOString(),
    expiresAt: new Date(now + 282_000).toISOString(),
    ...parts,
  };
}

test('each call is shown whole, and how it is answered', () => {
  assert.equal(
    renderWaiting([waiting()], style, now),
    [
      'call_k7m2qp  till:pay  for agent',
      '    282 s left',
      '    {',
      '      "amount": 5',
      '    }',
      '',
      'Approve: toolcrib approve call_k7m2qp (--session, --always). Deny: toolcrib deny call_k7m2qp.',
    ].join('\n'),
  );
  assert.equal(renderWaiting([], style, now), 'No call waits for approval.');
});

test('the requester is named, its own words are marked as such, and cuts are stated', () => {
  const text = renderWaiting(
    [waiting({ client: 'editor/1.0', project: 'shop', asked: 'agent', isCut: true, characters: 99_000 })],
    style,
    now,
  );
  assert.match(text, /for agent in project shop \(the program says it is editor\/1\.0\)/);
  assert.match(text, /282 s left; the person at the agent is asked as well/);
  assert.match(text, /Only the beginning of the arguments is shown; they have 99000 characters\./);
});

test('members beside the arguments stand before them, under their own line', () => {
  const json = '{\n  "_meta": {\n    "vendor/as-user": "root"\n  }\n}';
  const whole = renderWaiting([waiting({ beside: { json, isCut: false, characters: json.length } })], style, now);
  assert.deepEqual(whole.split('\n').slice(2, -2), [
    '    Sent to the server beside the arguments:',
    '    {',
    '      "_meta": {',
    '        "vendor/as-user": "root"',
    '      }',
    '    }',
    '    Arguments:',
    '    {',
    '      "amount": 5',
    '    }',
  ]);
  const cut = renderWaiting([waiting({ beside: { json: '{', isCut: true, characters: 99_000 } })], style, now);
  assert.match(
    cut,
    /beside the arguments:\n {4}Only the beginning of this is shown; it has 99000 characters\.\n {4}\{/,
  );
});

test('of what was approved beyond one call people see how long it holds', () => {
  const lasting = (parts: Partial<LastingApproval>): LastingApproval => ({
    id: 'call_k7m2qp',
    toolKey: 'till:pay',
    principal: 'agent',
    principalId: 'agent',
    project: null,
    at: '2026-01-01T00:00:00.000Z',
    by: 'owner',
    holds: 'always',
    until: null,
    client: null,
    ...parts,
  });
  const context = { style, width: undefined } as unknown as CommandContext;
  const rows = [
    lasting({}),
    lasting({ id: 'a2b3c4', holds: 'session', client: 'editor/1.0\u001b[2J', by: 'agent' }),
    lasting({ id: 'd5e6f7', holds: 'session', until: '2026-01-01T01:00:00.000Z' }),
  ];
  const text = renderLasting(rows, context);
  assert.match(text, /k7m2qp +till:pay +agent +2026-01-01 00:00 +always +owner/);
  assert.match(text, /a2b3c4 +till:pay +agent +editor\/1\.0\S* +2026-01-01 00:00 +until its session ends +agent/);
  assert.match(text, /d5e6f7 .*until 2026-01-01 01:00 +owner/);
  assert.doesNotMatch(text, /\u001b/);
  assert.equal(renderLasting([], context), 'No tool is approved beyond a single call.');
});

test('nothing that an agent or a server wrote steers the terminal', () => {
  const evil = '\u001b[2J\u202e\u0007';
  const text = renderWaiting(
    [
      waiting({
        toolKey: `till:${evil}`,
        principal: evil,
        client: evil,
        project: evil,
        arguments: evil,
        beside: { json: evil, isCut: false, characters: 1 },
      }),
    ],
    style,
    now,
  );
  assert.doesNotMatch(text, /[\u001b\u202e\u0007]/);
});
