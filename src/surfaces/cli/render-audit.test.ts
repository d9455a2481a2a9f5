/** Records for people: one line each, and nothing in them steers the terminal. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditLine } from '../../admin/admin.ts';
import type { CommandContext } from './context.ts';
import { auditLine, renderAudit } from './render-audit.ts';
import { styleFor } from './style.ts';

const style = styleFor({ write() {} }, {});
const hostile = '\u001b]52;c;x\u0007\u001b[2J\r\n{"level":"info"}\u202e\u009b';

function line(more: Partial<AuditLine> = {}): AuditLine {
  return {
    id: 1,
    time: '2026-01-31T12:00:00.000Z',
    kind: 'execution',
    action: 'tools.call',
    principal: { id: 'agent', name: 'agent' },
    client: 'made-up/1.0',
    ...{ requestId: 'r1', rpcId: '1', trace: null, project: null },
    session: null,
    server: 'files',
    tool: 'read',
    outcome: 'ok',
    errorType: null,
    durationMs: 12,
    argumentsHash: null,
    arguments: null,
    detail: null,
    ...more,
  };
}

test('a record says who did what, with which end, and how long it took', () => {
  assert.match(auditLine(line(), style), /agent\s+tools\.call\s+ok\s+files:read\s+12 ms$/);
  const refused = line({ outcome: 'refused', errorType: 'TOOL_NOT_FOUND', durationMs: null, server: null });
  assert.match(auditLine(refused, style), /refused TOOL_NOT_FOUND\s+read$/);
});

test('a failed call says why', () => {
  const failed = line({ outcome: 'tool', errorType: 'TOOL_FAILED', detail: { error: `No such ${hostile}` } });
  assert.match(auditLine(failed, style), /12 ms {2}No such [^\u0000-\u001f\u202e]*$/);
  const [title, row] = renderAudit([failed], { style, width: undefined } as CommandContext).split('\n');
  assert.match(title ?? '', /ERROR$/);
  assert.match(row ?? '', /files:read {2}No such /);
});

test('hostile names stay on their line and bring no control characters', () => {
  const name = `${hostile}${'x'.repeat(10_000)}`;
  const bad = line({ tool: name, action: name, client: name, outcome: name, principal: { id: name, name } });
  const context = { style, width: 120 } as CommandContext;
  for (const text of [auditLine(bad, style), renderAudit([bad], context)]) {
    assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    assert.ok(text.split('\n').length <= 2);
    assert.ok(text.length < 1_000);
  }
});

test('a principal is shown with the end of a long name', () => {
  const name = `${'n'.repeat(32)} (subject ${'s'.repeat(96)}, client ${'c'.repeat(96)})`;
  const record = line({ principal: { id: 'oauth:x', name } });
  for (const text of [auditLine(record, style), renderAudit([record], { style, width: 120 } as CommandContext)])
    assert.ok(text.includes(name));
});

test('an empty result says so', () => {
  assert.match(renderAudit([], { style, width: undefined } as CommandContext), /^No records found/);
});
