/** Tests of what of a call has to be approved beside its arguments. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metaKeys } from '../protocol/eras.ts';
import { sentBeside } from './sent-beside.ts';

const params = { name: 'pay', arguments: { amount: 5 } };

test('where an agent sends nothing else, there is nothing', () => {
  const own = { requestState: 'state', inputResponses: { a: {} } };
  for (const more of [{}, own, { _meta: {} }, { _meta: undefined }])
    assert.equal(sentBeside({ ...params, ...more }), undefined);
});

test('what is of one hop or made anew for each request does not count', () => {
  const _meta = {
    [metaKeys.protocolVersion]: '2026-07-28',
    [metaKeys.clientCapabilities]: { elicitation: {} },
    [metaKeys.clientInfo]: { name: 'editor' },
    [metaKeys.logLevel]: 'debug',
    progressToken: 7,
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    tracestate: 'vendor=1,other=2',
    'claudecode/toolUseId': 'toolu_01AbC',
    'vscode.conversationId': 'dc30885e-3edb-4744-8521-a8e63f890573',
    'vscode.requestId': 'bf766dd8-b330-4d1d-bac5-8bfa3f71b8dc',
  };
  assert.equal(sentBeside({ ...params, _meta }), undefined);
});

test('everything else does, whatever its name or form', () => {
  const metas: unknown[] = [
    { 'vendor/as-user': 'root' },
    { 'io.modelcontextprotocol/as-user': 'root' },
    { baggage: 'user=root' },
    { traceparent: 'as-user=root' },
    { traceparent: { as: 'root' } },
    { tracestate: 'x'.repeat(513) },
    { 'vscode.requestId': 'as root, please' },
    { 'claudecode/toolUseId': ['root'] },
    JSON.parse('{"__proto__":{"as":"root"}}'),
    'root',
    ['root'],
    null,
  ];
  for (const meta of metas) {
    const beside = sentBeside({ ...params, _meta: meta });
    assert.equal(JSON.stringify(beside), JSON.stringify({ _meta: meta }));
  }
  assert.deepEqual(sentBeside({ ...params, task: { ttl: 5 }, _meta: { progressToken: 1 } }), { task: { ttl: 5 } });
});
