/** Every call that fails says what to do: on each surface that promises it, by each way of calling, in both eras. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Agent, connectAgent, KINDS } from '../kit/agents.ts';
import { openListedGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';

type Dict = Record<string, unknown>;

const textOnly = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const plan = hostServers({
  lonely: {
    tools: [
      { name: 'say', description: 'Says a text again.', runAs: 'echo', inputSchema: textOnly },
      { name: 'refuse', description: 'Always says no.', runAs: 'fail' },
      { name: 'break', description: 'Answers with an error of the protocol.', runAs: 'broken' },
    ],
  },
});

let gateway: TestGateway;
before(async () => {
  gateway = await openListedGateway({ servers: plan.servers });
});
after(() => gateway.close());

/** Calls that cannot work: a tool of ours, and its arguments. */
const failing: readonly (readonly [name: string, args: Dict])[] = [
  // Failures that a server or its tool reports.
  ['tool_execute', { toolKey: 'lonely:refuse' }],
  ['tool_execute', { toolKey: 'lonely:refuse', includeFallbacks: false }],
  ['tool_execute', { toolKey: 'lonely:break' }],
  ['call_tool', { server: 'lonely', tool: 'refuse' }],
  ['lonely.refuse', {}],
  ['lonely.break', {}],
  ['lonely.say', { txt: 'x' }],
  // Things that do not exist, or no longer.
  ['no_such_tool', {}],
  ['tool_execute', { toolKey: 'lonely:sya', arguments: {} }],
  ['tool_info', { toolKey: 'nowhere:say' }],
  ['get_tool_schema', { server: 'lonely', tool: 'sya' }],
  ['get_tool_alternatives', { toolKey: 'lonely:sya' }],
  ['get_tool_metrics', { server: 'nowhere' }],
  ['tool_capabilities', { server: 'nowhere' }],
  ['tool_discovery', { query: 'say', server: 'nowhere' }],
  ['read_result', { id: 'abcdefghijklmnopqrstuv' }],
  ['read_result', { uri: 'toolcrib://result/abcdefghijklmnopqrstuv?page=2' }],
  ['list_tools_meta', { cursor: 'not-a-cursor' }],
  // Arguments that are not right.
  ['tool_discovery', {}],
  ['tool_discovery', { query: 'say', detailLevel: 'huge' }],
  ['tool_execute', {}],
  ['tool_execute', { toolKey: 'lonely:say', arguments: 7 }],
  ['tool_info', {}],
  ['tool_capabilities', { category: 'nonsense' }],
  ['read_result', {}],
  ['recommend_tools', { task: '' }],
  ['call_tool_chain', {}],
  // Programs.
  ['call_tool_chain', { code: 'return ((' }],
  ['call_tool_chain', { code: 'throw new Error("no")' }],
  ['call_tool_chain', { code: 'return await servers.lonely.refuse({})' }],
  ['call_tool_chain', { code: 'return await servers.lonely.break({})' }],
  ['call_tool_chain', { code: 'return await load("toolcrib://result/abcdefghijklmnopqrstuv")' }],
  // Things that only the owner may do.
  ['reset_tool_metrics', {}],
];

const steps = /\nRECOVERY: [^\n]+\nSTEPS:\n1\. [^\n]+/;

async function textOfFailure(agent: Agent, name: string, args: Dict): Promise<string> {
  const result = await agent.call(name, args);
  assert.equal(result.isError, true, `${name} ${JSON.stringify(args)}`);
  return result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}

for (const kind of KINDS) {
  for (const surface of ['search', 'full', 'code']) {
    test(`[ADVICE-03] every call that fails has steps on ${surface} (${kind})`, async () => {
      const url = `${gateway.url}/mcp?surface=${surface}`;
      await using agent = await connectAgent(kind, url, { headers: gateway.agentHeaders });
      for (const [name, args] of failing) {
        const text = await textOfFailure(agent, name, args);
        assert.match(text, steps, `${name} ${JSON.stringify(args)}`);
        assert.equal(text.split('\nSTEPS:\n').length, 2, `once: ${text}`);
      }
    });
  }
}

test('[ADVICE-03] steps fit the failure: a result that is gone is made again, and a refusal is not gone around', async () => {
  const agent = new ModernAgent(gateway, '/mcp?surface=search');
  const gone = await agent.call('read_result', { id: 'abcdefghijklmnopqrstuv' });
  assert.match(gone.text, /1\. Call the tool whose result it was again\./);
  const { result } = await agent.call('tool_execute', { toolKey: 'lonely:refuse' });
  const [own, ours] = result.content as { text: string }[];
  assert.doesNotMatch(own?.text ?? '', /STEPS/, 'the words of the tool stay first and as they are');
  assert.match(ours?.text ?? '', /^The tool failed\.\nRECOVERY: /);
});

test("[ADVICE-03] the server's own words stay alone where no steps are promised", async () => {
  const agent = new ModernAgent(gateway, '/mcp?surface=direct');
  const { result } = await agent.call('lonely.refuse');
  assert.equal((result.content as unknown[]).length, 1);
  const { contents } = await agent.request('resources/read', { uri: 'toolcrib://overview' });
  const [{ text }] = contents as [{ text: string }];
  assert.match(text, /If the gateway cannot make a call, its answer says what to do next/);
});
