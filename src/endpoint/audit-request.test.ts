/** Requests of agents in the audit: each exactly once, whatever they ask for and however they end. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeAgent } from '../../test/kit/made-call.ts';
import { everybody } from '../access/access.ts';
import type { AuditEvent } from '../audit/audit.ts';
import { GatewayError } from '../base/errors.ts';
import { metaToolsByName } from '../meta-tools/meta-tools.ts';
import type { Params, Result } from '../protocol/messages.ts';
import type { LayerName, Uses } from '../tools/tools.ts';
import { auditRequest } from './audit-request.ts';

const trouble = {
  isError: true,
  content: [{ type: 'text', text: 'No.' }],
  structuredContent: { errorType: 'TOOL_NOT_FOUND' },
};

async function tellOf(
  method: string,
  params: Params,
  answer: Result | Error = {},
  trace: { isRecorded: boolean; server: string | null } = { isRecorded: false, server: null },
): Promise<AuditEvent[]> {
  const told: AuditEvent[] = [];
  let now = 0;
  const layers = {
    audit: { record: async (event: AuditEvent) => void told.push(event) },
    clock: {
      elapsed: () => {
        now += 5;
        return now;
      },
    },
  } as unknown as Uses<LayerName>;
  const agent = madeAgent({ client: 'agent/1', requestId: '9' });
  Object.assign(agent.trace, trace);
  const run = async () => {
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const request = { method, params, principal: everybody, agent };
  await auditRequest(layers, request, metaToolsByName, run).catch((error) => assert.equal(error, answer));
  return told;
}

const brief = ({ kind, action, tool, outcome, errorType }: AuditEvent) => [kind, action, tool, outcome, errorType];

test('lists and searches are discovery, with who asked, by what, and how much was shown', async () => {
  const [list] = await tellOf('tools/list', { _meta: {}, cursor: 'x' }, { tools: [1, 2, 3] });
  assert.ok(list);
  assert.deepEqual(brief(list), ['discovery', 'tools.list', undefined, 'ok', null]);
  assert.deepEqual(
    [list.client, list.rpcId, list.ms, list.detail, list.arguments],
    ['agent/1', '9', 5, { count: 3 }, undefined],
  );
  const found = { content: [], structuredContent: { tools: [1] } };
  const [search] = await tellOf('tools/call', { name: 'tool_discovery', arguments: { query: 'x' } }, found);
  assert.deepEqual(search && brief(search), ['discovery', 'tool_discovery', undefined, 'ok', null]);
  assert.deepEqual([search?.arguments, search?.detail], [{ query: 'x' }, { count: 1 }]);
});

test('a call that was executed is not written down a second time', async () => {
  for (const params of [{ name: 'files__read' }, { name: 'tool_execute', arguments: { toolKey: 'files:read' } }])
    assert.deepEqual(await tellOf('tools/call', params, {}, { isRecorded: true, server: 'files' }), []);
});

test('a call of what is not there is a refused execution, with what was asked for as it was written', async () => {
  const cases: readonly (readonly [Params, string])[] = [
    [{ name: 'no_such' }, 'no_such'],
    [{ name: 'tool_execute', arguments: { toolKey: 'a:b' } }, 'a:b'],
    [{ name: 'call_tool', arguments: { server: 'a', tool: 'b' } }, 'a:b'],
  ];
  for (const [params, tool] of cases) {
    const told = await tellOf('tools/call', params, trouble);
    assert.deepEqual(told.map(brief), [['execution', 'tools.call', tool, 'refused', 'TOOL_NOT_FOUND']]);
  }
});

test('a request that fails is written down as what it failed with', async () => {
  const told = await tellOf('resources/read', { uri: 'x://y' }, new GatewayError('TIMEOUT', 'Late.'), {
    isRecorded: false,
    server: 'files',
  });
  assert.deepEqual(told.map(brief), [['execution', 'resources.read', 'x://y', 'timeout', 'TIMEOUT']]);
  assert.equal(told[0]?.server, 'files');
});

test('an agent that is asked something has not ended its request', async () => {
  assert.deepEqual(await tellOf('tools/call', { name: 'x' }, { resultType: 'input_required' }), []);
});

test('what forgets or changes something is administration, programs are executions', async () => {
  const kinds = await Promise.all(
    ['reset_tool_metrics', 'call_tool_chain', 'read_result', 'tool_info'].map(async (name) => {
      const [event] = await tellOf('tools/call', { name, arguments: {} });
      return event?.kind;
    }),
  );
  assert.deepEqual(kinds, ['administration', 'execution', 'execution', 'discovery']);
});

test('odd parameters are written down like others', async () => {
  for (const params of [
    {},
    { name: 7 },
    { name: 'tool_execute', arguments: 'x' },
    { name: 'tool_execute', arguments: null },
  ])
    assert.equal((await tellOf('tools/call', params as Params, trouble)).length, 1);
});
