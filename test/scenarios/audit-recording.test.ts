/** A recording of one server by its owner: its calls with arguments and results, by the way of the API, and in the audit. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';

const properties = { text: { type: 'string' }, password: { type: 'string' } };
const look = {
  name: 'look',
  description: 'Looks something up.',
  inputSchema: { type: 'object', properties },
  runAs: 'echo',
};
// Another name: one that asks for a secret under the name of a tool elsewhere would be held back.
const plan = hostServers({ one: { tools: [look] }, two: { tools: [{ ...look, name: 'find' }] } });
let gateway: TestGateway;
let agent: ModernAgent;

before(async () => {
  gateway = await openTestGateway({ servers: plan.servers });
  agent = new ModernAgent(gateway, '/mcp?surface=search');
  await new ModernAgent(gateway).tools();
});
after(() => gateway.close());

async function call(toolKey: string, args: object): Promise<void> {
  const { isError, text } = await agent.call('tool_execute', { toolKey, arguments: args });
  assert.equal(isError, false, text);
}

test('[AUD-13] the owner records one server: arguments and results, masked, and nothing of others', async () => {
  const { admin } = gateway.gateway;
  await call('one:look', { text: 'before' });
  const { upto } = await admin.run('audit.export', {});
  const started = await admin.run('recording.start', { server: 'one', minutes: 30 });
  assert.deepEqual([started.server, started.isRecording], ['one', true]);
  await call('one:look', { text: 'hello', password: 'hunter2-hunter2' });
  await call('two:find', { text: 'other' });
  await call('one:look', { text: 'x'.repeat(100_000) });
  await assert.rejects(admin.run('recording.start', { server: 'two' }), { code: 'USAGE' });
  await admin.run('recording.stop', {});
  const { recording, calls, isMore } = await admin.run('recording.read', {});
  assert.deepEqual([recording?.callCount, recording?.isRecording, calls.length, isMore], [2, false, 2, false]);
  const [small, large] = calls;
  assert.deepEqual({ ...(small?.arguments as object) }, { text: 'hello', password: '***' });
  assert.match(JSON.stringify(small?.result), /hello/);
  assert.ok(JSON.stringify(large).length < 40_000 && (large?.resultBytes ?? 0) > 100_000, 'only the preview is there');
  assert.deepEqual((await admin.run('recording.read', { after: 1 })).calls, [large]);
  const { records } = await admin.run('audit.export', { after: upto, kind: 'administration' });
  assert.deepEqual(
    records.map(({ action, server, outcome, detail }) => [action, server, outcome, detail?.input]),
    [
      ['recording.start', 'one', 'ok', { server: 'one', minutes: 30 }],
      ['recording.start', 'two', 'refused', { server: 'two' }],
      ['recording.stop', null, 'ok', {}],
    ],
  );
  const { records: executions } = await admin.run('audit.list', { tool: 'look', server: 'one', limit: 2 });
  assert.equal(executions[1]?.requestId, small?.requestId, 'a recorded call is found in the audit');
});

test('[AUD-13] nobody else can, no server can be recorded that is not there, and not for longer than it may be', async () => {
  const { admin } = gateway.gateway;
  await assert.rejects(admin.run('recording.start', { server: 'none' }), { code: 'SERVER_NOT_FOUND' });
  await assert.rejects(admin.run('recording.start', { server: 'one', minutes: 31 }), /minutes/);
  for (const name of ['start', 'stop', 'status', 'read']) {
    const headers = { ...gateway.agentHeaders, 'content-type': 'application/json' };
    const body = JSON.stringify(name === 'start' ? { server: 'one' } : {});
    const response = await fetch(`${gateway.url}/api/recording/${name}`, { method: 'POST', headers, body });
    assert.equal(response.status, 403, name);
  }
});
