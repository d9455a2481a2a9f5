/** Tests of how calls that wait for approval look to people. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WaitingCall } from '../../admin/admin.ts';
import { renderWaiting } from './render-approvals.ts';
import { styleFor } from './style.ts';

const style = styleFor({ write: () => {} }, {});
const now = Date.UTC(2026, 0, 1);

function waiting(parts: Partial<WaitingCall> = {}): WaitingCall {
  return {
    id: 'k7m2qp',
    toolKey: 'till:pay',
    server: 'till',
    tool: 'pay',
    arguments: '{\n  "amount": 5\n}',
    isCut: false,
    characters: 17,
    principal: 'agent',
    project: null,
    client: null,
    asked: 'owner',
    askedAt: new Date(now - 18_000).toISOString(),
    expiresAt: new Date(now + 282_000).toISOString(),
    ...parts,
  };
}

test('each call is shown whole, and how it is answered', () => {
  assert.equal(
    renderWaiting([waiting()], style, now),
    [
      'k7m2qp  till:pay  for agent',
      '    282 s left',
      '    {',
      '      "amount": 5',
      '    }',
      '',
      'Approve: toolcrib allow k7m2qp (--session, --always). Refuse: toolcrib refuse k7m2qp.',
    ].join('\n'),
  );
  assert.equal(renderWaiting([], style, now), 'No call waits for approval.');
});

test('who asks is named, with what it says of itself as that; what was cut is said', () => {
  const text = renderWaiting(
    [waiting({ client: 'editor/1.0', project: 'shop', asked: 'agent', isCut: true, characters: 99_000 })],
    style,
    now,
  );
  assert.match(text, /for agent in project shop \(the program says it is editor\/1\.0\)/);
  assert.match(text, /282 s left; the person at the agent is asked as well/);
  assert.match(text, /Only the beginning of the arguments is shown; they have 99000 characters\./);
});

test('nothing that an agent or a server wrote steers the terminal', () => {
  const evil = '\u001b[2J\u202e\u0007';
  const text = renderWaiting(
    [waiting({ toolKey: `till:${evil}`, principal: evil, client: evil, project: evil, arguments: evil })],
    style,
    now,
  );
  assert.doesNotMatch(text, /[\u001b\u202e\u0007]/);
});
