/** Records of the audit for other programs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditLine } from '../../../../admin/admin.ts';
import { exportHead, exportLine } from './write-records.ts';

test('a cell that a spreadsheet would run is written as a text', () => {
  const record = {
    id: 7,
    time: '2026-01-01T12:00:00.000Z',
    kind: 'execution',
    action: 'tools.call',
    principal: { id: 'token:1', name: '=cmd()' },
    client: '@SUM(A1)',
    project: '+1',
    server: '-1',
    tool: 'say "hi", twice',
    outcome: 'ok',
    errorType: null,
    durationMs: -1.5,
    detail: { lines: 'a\nb' },
  } as unknown as AuditLine;
  const [head = '', line = ''] = [exportHead('csv'), exportLine(record, 'csv')];
  assert.equal(head.split(',').length, 20);
  assert.ok(
    line.startsWith(
      `7,2026-01-01T12:00:00.000Z,execution,tools.call,'=cmd(),token:1,'@SUM(A1),'+1,'-1,"say ""hi"", twice",ok,,-1.5,`,
    ),
    line,
  );
  assert.ok(line.endsWith(',"{""lines"":""a\\nb""}"\r\n'), line);
  assert.deepEqual(JSON.parse(exportLine(record, 'jsonl')), JSON.parse(JSON.stringify(record)));
  assert.equal(exportHead('jsonl'), '');
});
