/** Calls: the filter of the address, and what the detail of a record says. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditLine } from '../../../../admin/admin.ts';
import { filterIn, timeIn } from '../../parts/address-filter.ts';
import { callDetailOf, calledName } from './call-detail.ts';
import { type CallFilter, filterNames, isShown, queryOf } from './call-filter.ts';

const now = Date.UTC(2026, 0, 1, 12);
const call = {
  ...{ id: 1, kind: 'execution', time: new Date(now - 60_000).toISOString(), server: 'git', tool: 'log' },
  ...{ outcome: 'tool', errorType: 'TOOL_FAILED', principal: { id: 't1', name: 'ann' }, detail: null },
} as AuditLine;

test('the address holds the filter, and nothing else of it counts', () => {
  const query = new URLSearchParams('server=git&tab=charts&outcome=&principal=%20&since=15m');
  assert.deepEqual(filterIn(query, filterNames), { server: 'git', since: '15m' });
});

test('a time is how long ago, or a date; anything else is none', () => {
  assert.equal(timeIn('2h', now), now - 7_200_000);
  assert.equal(timeIn('2026-01-01T11:00:00.000Z', now), now - 3_600_000);
  assert.equal(timeIn('yesterday', now), undefined);
  assert.deepEqual(queryOf({ server: 'git', since: '1h', until: 'never' }, now), {
    ...{ kind: 'execution', server: 'git', until: undefined },
    since: '2026-01-01T11:00:00.000Z',
  });
});

test('what comes live is shown by the same filter as the audit uses', () => {
  const cases: readonly (readonly [CallFilter, boolean])[] = [
    [{}, true],
    [{ server: 'git', tool: 'log', outcome: 'tool', errorType: 'TOOL_FAILED' }, true],
    [{ principal: 'ann' }, true],
    [{ principal: 't1' }, true],
    [{ principal: 'ben' }, false],
    [{ server: 'docs' }, false],
    [{ tool: 'lo' }, false],
    [{ outcome: 'ok' }, false],
    [{ outcome: 'not-ok' }, true],
    [{ errorType: 'TIMEOUT' }, false],
    [{ since: '2m' }, true],
    [{ since: '2026-01-01T11:59:30Z' }, false],
    [{ until: '2m' }, false],
  ];
  for (const [filter, expected] of cases) assert.equal(isShown(call, filter, now), expected, JSON.stringify(filter));
  assert.equal(isShown({ ...call, kind: 'discovery' }, {}, now), false);
});

test('the detail of a record is read as far as it is what it should be', () => {
  const detail = {
    ...{ way: 'direct', error: 'No.', alternatives: ['a:b', 3], stages: { validate: 2, link: 40, odd: 'x' } },
    ...{ requestBytes: 10, isCorrected: true },
  };
  assert.deepEqual(callDetailOf({ ...call, detail }), {
    ...{ way: 'direct', error: 'No.', alternatives: ['a:b'], requestBytes: 10, resultBytes: null },
    stages: [
      ['validate', 2],
      ['link', 40],
    ],
    ...{ isCached: false, isCorrected: true },
  });
  assert.deepEqual(callDetailOf(call).stages, []);
});

test('a call is named by its tool, by what was asked for where none was found, or by what was done', () => {
  const none = { ...call, server: null, action: 'tools.call' } as AuditLine;
  assert.equal(calledName(call), 'git:log');
  assert.equal(calledName({ ...none, tool: 'git:wipe' }), 'git:wipe');
  assert.equal(calledName({ ...none, tool: null, action: 'call_tool_chain' }), 'call_tool_chain');
});
