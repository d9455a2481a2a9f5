/** The model of the calling agent ranks tools (MCP sampling), in both eras; where there is none, search goes on here. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectAgent, KINDS } from '../kit/agents.ts';
import { openListedGateway, type TestGateway } from '../kit/gateway.ts';
import { HastenedClock } from '../kit/hastened-clock.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { type Discovered, keysOf, officeServers } from '../kit/search-requests.ts';
import { META, MODERN_VERSION } from '../servers/rpc.ts';

const timeoutMs = 54_321;
const clock = new HastenedClock();
let gateway: TestGateway;
before(async () => {
  const config = { search: { mode: 'llm' }, llm: { provider: 'sampling', timeoutMs } };
  gateway = await openListedGateway({ servers: officeServers(), config, clock });
});
after(() => gateway.close());

/** A model that prefers one tool, by the number under which it is shown. */
function preferring(tool: string, shown: string[]): (params: Record<string, unknown>) => string {
  return ({ messages }) => {
    const text = JSON.stringify(messages);
    shown.push(text);
    const line = text.match(new RegExp(`\\{\\\\"number\\\\":(\\d+),\\\\"tool\\\\":\\\\"${tool}\\\\"`));
    return line ? `The best is [${line[1]}]` : 'None of them.';
  };
}

/** As an agent of the modern era says it with each request. */
const canSample = { _meta: { [META.protocolVersion]: MODERN_VERSION, [META.clientCapabilities]: { sampling: {} } } };

for (const kind of KINDS) {
  const connect = (more: Partial<Parameters<typeof connectAgent>[2]>) =>
    connectAgent(kind, `${gateway.url}/mcp?surface=search`, { headers: gateway.agentHeaders, ...more });

  test(`[ADVICE-09] the model of the agent puts the tool first that it prefers (${kind})`, async () => {
    const shown: string[] = [];
    await using agent = await connect({ onSample: preferring('mail:list_mail', shown) });
    const found = JSON.parse(await agent.say('tool_discovery', { query: 'send an e-mail' })) as Discovered;
    assert.deepEqual(
      [found.metadata.mode, found.metadata.notice, keysOf(found)[0]],
      ['llm', undefined, 'mail:list_mail'],
    );
    assert.deepEqual(agent.asked, ['sampling/createMessage']);
    assert.doesNotMatch(shown.join(), /erase/, 'a tool that nobody may use is not shown');
    const task = { task: 'send an e-mail', mode: 'llm', limit: 1 };
    const { recommendations } = JSON.parse(await agent.say('recommend_tools', task)) as {
      recommendations: { toolKey: string; reason: string }[];
    };
    assert.equal(recommendations[0]?.toolKey, 'mail:list_mail');
    assert.match(recommendations[0]?.reason ?? '', /a model ranked it/);
  });

  test(`[ADVICE-09] an agent without a model, or whose model names no tool, gets what is found here (${kind})`, async () => {
    await using without = await connect({ capabilities: {} });
    const plain = JSON.parse(await without.say('tool_discovery', { query: 'send an e-mail' })) as Discovered;
    assert.deepEqual([plain.metadata.mode, keysOf(plain)[0]], ['hybrid', 'mail:send_mail']);
    assert.match(plain.metadata.notice ?? '', /offers no model/);
    await using vague = await connect({ onSample: () => 'I would rather not.' });
    const said = JSON.parse(await vague.say('tool_discovery', { query: 'send an e-mail' })) as Discovered;
    assert.deepEqual([said.metadata.mode, keysOf(said)[0]], ['hybrid', 'mail:send_mail']);
    assert.match(said.metadata.notice ?? '', /named no tool/);
  });

  test(`[ADVICE-09] an agent whose model is slow gets what is found here, and is told so (${kind})`, async () => {
    const onSample = () => {
      assert.equal(clock.hasten(timeoutMs), 1);
      return '[1]';
    };
    await using slow = await connect({ onSample });
    const found = JSON.parse(await slow.say('tool_discovery', { query: 'send an e-mail' })) as Discovered;
    assert.deepEqual([found.metadata.mode, keysOf(found)[0]], ['hybrid', 'mail:send_mail']);
    assert.match(found.metadata.notice ?? '', /did not answer within 54321 ms/);
  });

  test(`[ADVICE-09] an agent that refuses gets what is found here, unless it gives up its own call (${kind})`, async () => {
    const onSample = () => {
      throw new Error('The user says no.');
    };
    await using refusing = await connect({ onSample });
    const finding = refusing.say('tool_discovery', { query: 'send an e-mail' });
    // This client ends its own call when its model is not to be asked.
    if (kind === 'v2 modern') return await assert.rejects(finding, /The user says no/);
    const found = JSON.parse(await finding) as Discovered;
    assert.deepEqual([found.metadata.mode, keysOf(found)[0]], ['hybrid', 'mail:send_mail']);
    assert.match(found.metadata.notice ?? '', /refused to answer \(.*The user says no/);
  });
}

test('[ADVICE-09] a modern agent declines by coming back without an answer', async () => {
  const agent = new ModernAgent(gateway, '/mcp?surface=search');
  const call = { name: 'tool_discovery', arguments: { query: 'send an e-mail' } };
  const asked = await agent.request('tools/call', { ...call, ...canSample });
  assert.equal(asked.resultType, 'input_required');
  const { structuredContent } = await agent.request('tools/call', {
    ...{ ...call, ...canSample, requestState: asked.requestState },
  });
  const { metadata } = structuredContent as unknown as Discovered;
  assert.match(metadata.notice ?? '', /refused to answer \(The agent declined the question/);
});
