/** Calls that a person at the agent approves: real agents of both eras, what they are shown, and what does not count as a yes. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { connectAgent, ELICITED, type FormAnswer, KINDS } from '../kit/agents.ts';
import { allowOnce, callsOf, choosing, decline, untilWaiting } from '../kit/approvals.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { connectStdio, toolcribStdio } from '../kit/stdio-agent.ts';
import { makeToken } from '../kit/tokens.ts';
import { META, MODERN_VERSION } from '../servers/rpc.ts';

type Dict = Record<string, unknown>;

const permissions = { echo: 'ask', elicit: 'ask', add: 'ask' };
const plan = hostServers({
  old: { era: 'legacy', entry: { permissions } },
  new: { era: 'modern', entry: { permissions } },
  kept: { era: 'modern', entry: { permissions: { '*': 'ask' }, cacheTtlMs: 60_000 } },
});
let gateway: TestGateway;

before(async () => {
  gateway = await openTestGateway({ servers: plan.servers });
});
after(() => gateway.close());

const said = (server: string) => callsOf(plan, server, 'echo');
const door = () => `${gateway.url}/mcp?surface=direct`;

for (const kind of KINDS) {
  test(`[ACC-40] a person at an agent of SDK ${kind} sees the call and decides about it`, async () => {
    const forms: Dict[] = [];
    const answers: FormAnswer[] = [];
    const onForm = (params: Dict) => {
      forms.push(params);
      return answers.shift() ?? decline;
    };
    await using agent = await connectAgent(kind, door(), { headers: gateway.agentHeaders, onForm });
    for (const server of ['old', 'new']) {
      const before = said(server).length;
      const text = `${kind} \u202e"quoted"\n\u200b`;
      answers.push(allowOnce, { action: 'accept', content: { decision: 'Refuse' } }, decline, { action: 'cancel' });
      assert.equal(await agent.say(`${server}.echo`, { text }), text);
      const message = String(forms.at(-1)?.message);
      assert.match(message, new RegExp(`tool: ${server}:echo\n`));
      assert.match(message, /asked for by: agent\n/);
      assert.match(message, /program: scenario-agent/);
      assert.ok(message.includes(`"text": "${kind} \\u202e\\"quoted\\"\\n\\u200b"`), message);
      for (let refusal = 0; refusal < 3; refusal += 1) {
        const refused = await agent.call(`${server}.echo`, { text });
        assert.equal(refused.isError, true);
        assert.match(JSON.stringify(refused.structuredContent), /ACCESS_DENIED/);
      }
      assert.equal(said(server).length, before + 1);
      assert.equal(await agent.say(`${server}.whoami`).then((answer) => answer.includes(server)), true);
    }
    assert.equal(forms.length, 8);
  });

  test(`[ACC-40] through tool_execute and in a program, an agent of SDK ${kind} calls nothing that nobody approved`, async () => {
    const onForm = () => decline;
    const headers = gateway.agentHeaders;
    await using agent = await connectAgent(kind, `${gateway.url}/mcp?surface=full`, { headers, onForm });
    const before = said('new').length;
    const executed = await agent.call('tool_execute', { toolKey: 'new:echo', arguments: { text: 'no' } });
    assert.match(JSON.stringify(executed.structuredContent), /ACCESS_DENIED/);
    const code = 'return await servers.new.echo({ text: "no, again" }).catch((error) => error.code)';
    const chained = await agent.call('call_tool_chain', { code });
    // A program goes on while it waits, so that only agents which can be asked meanwhile are.
    const expected = kind === 'v2 modern' ? 'APPROVAL_NEEDED' : 'ACCESS_DENIED';
    assert.equal((chained.structuredContent as Dict).result, expected, JSON.stringify(chained));
    assert.equal(said('new').length, before);
  });

  test(`[ACC-40] a call that a person approved asks on for its server, at an agent of SDK ${kind}`, async () => {
    let forms = 0;
    const onForm = (params: Dict) => {
      forms += 1;
      return String(params.message).includes('tool:') ? allowOnce : (ELICITED as FormAnswer);
    };
    await using agent = await connectAgent(kind, door(), { headers: gateway.agentHeaders, onForm });
    for (const server of ['old', 'new']) {
      forms = 0;
      assert.deepEqual(JSON.parse(await agent.say(`${server}.elicit`)), ELICITED);
      assert.equal(forms, 2, server);
    }
  });

  test(`[ACC-41] an agent of SDK ${kind} is asked once for a session`, async () => {
    let forms = 0;
    const onForm = (params: Dict) => {
      forms += 1;
      return choosing('Allow this tool', params);
    };
    const { headers } = await makeToken(gateway);
    await using agent = await connectAgent(kind, door(), { headers, onForm });
    for (const text of ['one', 'two', 'three']) assert.equal(await agent.say('new.echo', { text }), text);
    assert.equal(forms, 1);
    await agent.say('new.add', { a: 1, b: 2 });
    assert.equal(forms, 2);
    await using other = await connectAgent(kind, door(), { headers, onForm });
    await other.say('new.echo', { text: 'elsewhere' });
    // Modern agents have no session: what holds is the token, for an hour.
    assert.equal(forms, kind === 'v2 modern' ? 2 : 3);
    await using stranger = await connectAgent(kind, door(), { headers: (await makeToken(gateway)).headers, onForm });
    await stranger.say('new.echo', { text: 'a stranger' });
    assert.equal(forms, kind === 'v2 modern' ? 3 : 4);
  });

  test(`[ACC-40] an agent of SDK ${kind} behind the stdio bridge is asked as well`, async () => {
    await using agent = await connectStdio(kind, toolcribStdio(gateway.dataDir), () => allowOnce);
    assert.equal(await agent.say('old.echo', { text: 'by the bridge' }), 'by the bridge');
    assert.equal(await agent.say('new.echo', { text: 'by the bridge' }), 'by the bridge');
    assert.deepEqual(agent.asked, ['elicitation/create', 'elicitation/create']);
  });

  test(`[ACC-46] an agent of SDK ${kind} that leaves takes its question along`, async () => {
    const leaving = new AbortController();
    const never = new Promise<FormAnswer>((_resolve, reject) => {
      // Without a session nothing is cancelled: the agent just does not come back.
      if (kind === 'v2 modern') leaving.signal.addEventListener('abort', () => reject(new Error('left')));
    });
    never.catch(() => {});
    const { name, headers } = await makeToken(gateway);
    await using agent = await connectAgent(kind, door(), { headers, onForm: () => never });
    const before = said('new').length;
    const call = agent.call('new.echo', { text: 'left' }, { signal: leaving.signal });
    const [waiting] = await untilWaiting(gateway, name);
    leaving.abort();
    await assert.rejects(call);
    if (kind === 'v2 modern') {
      // It is away while its person thinks: what is approved then is not called by itself.
      await gateway.gateway.admin.run('approvals.answer', { id: waiting?.id ?? '', answer: 'once' });
    } else await untilWaiting(gateway, name, 0);
    const late = gateway.gateway.admin.run('approvals.answer', { id: waiting?.id ?? '', answer: 'always' });
    await assert.rejects(late, /No call waits|already allowed once by "owner"/);
    await pause(50);
    assert.equal(said('new').length, before);
  });
}

test('[ACC-40] a cached result is not given out without approval', async () => {
  let forms = 0;
  const onForm = () => {
    forms += 1;
    return forms === 1 ? allowOnce : decline;
  };
  await using agent = await connectAgent('v1', door(), { headers: gateway.agentHeaders, onForm });
  await agent.say('kept.whoami');
  assert.equal((await agent.call('kept.whoami')).isError, true);
  assert.equal(forms, 2);
});

test('[ACC-41] several calls wait at once, and each answer is for its own', async () => {
  const onForm = async (params: Dict) => {
    const wanted = /"text": "(\d)"/.exec(String(params.message))?.[1];
    await pause(wanted === '1' ? 60 : 20);
    return Number(wanted) % 2 === 1 ? allowOnce : decline;
  };
  await using agent = await connectAgent('v2 legacy', door(), { headers: gateway.agentHeaders, onForm });
  const answers = await Promise.all([1, 2, 3, 4].map((at) => agent.call('new.echo', { text: String(at) })));
  assert.deepEqual(
    answers.map(({ isError }) => isError === true),
    [false, true, false, true],
  );
});

/** A modern request by hand, from an agent that can be asked. */
const capable = { [META.protocolVersion]: MODERN_VERSION, [META.clientCapabilities]: { elicitation: {} } };

test('[ACC-43] a forged, stolen, replayed or altered answer approves nothing', async () => {
  const [mine, others] = await Promise.all([makeToken(gateway), makeToken(gateway)]);
  const agentOf = (headers: Record<string, string>) => new ModernAgent({ url: gateway.url, agentHeaders: headers });
  const [agent, thief] = [agentOf(mine.headers), agentOf(others.headers)];
  const params = { name: 'new.echo', arguments: { text: 'pay' }, _meta: capable };
  const before = said('new').length;
  const asked = await agent.request('tools/call', params);
  assert.equal(asked.resultType, 'input_required');
  const inputResponses = { 'toolcrib-approval': allowOnce };
  const { requestState } = asked;
  const refusedWith = async (by: ModernAgent, more: Dict) => {
    const { error } = (await by.ask('tools/call', { ...params, inputResponses, requestState, ...more })) as {
      error?: { code: number };
    };
    return error?.code;
  };
  assert.equal(await refusedWith(thief, {}), -32602);
  assert.equal(await refusedWith(agent, { arguments: { text: 'pay more' } }), -32602);
  assert.equal(await refusedWith(agent, { name: 'old.echo' }), -32602);
  assert.equal(await refusedWith(agent, { requestState: `${String(requestState)}A` }), -32602);
  assert.equal(await refusedWith(agent, { requestState: 'toolcrib-approval.AAAAAAAAAAAAAAAAAAAAAA' }), -32602);
  const [{ id = '' } = {}] = await untilWaiting(gateway, mine.name);
  assert.equal(await refusedWith(agent, { requestState: `toolcrib-approval.${id}` }), -32602);
  // Without a state an answer belongs to no question, which is then asked again.
  const anew = await agent.request('tools/call', { ...params, inputResponses });
  assert.equal(anew.resultType, 'input_required');
  assert.notEqual(anew.requestState, requestState);
  assert.equal(said('new').length, before);
  const allowed = await agent.request('tools/call', { ...params, inputResponses, requestState });
  assert.equal(allowed.isError ?? false, false, JSON.stringify(allowed));
  assert.equal(await refusedWith(agent, {}), -32602);
  assert.equal(said('new').length, before + 1);
  await agent.request('tools/call', {
    ...params,
    requestState: anew.requestState,
    inputResponses: { 'toolcrib-approval': decline },
  });
  await untilWaiting(gateway, mine.name, 0);
});

test('[ACC-43] an agent that may call a tool cannot answer for the owner', async () => {
  const { headers } = await makeToken(gateway);
  const api = (path: string, body: Dict) =>
    fetch(`${gateway.url}/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const requests: [string, Dict][] = [
    ['approvals/list', {}],
    ['approvals/lasting', {}],
    ['approvals/answer', { id: 'abcdef', answer: 'once' }],
    ['approvals/forget', { id: 'abcdef' }],
    ['tools/call', { toolKey: 'new:echo', arguments: { text: 'mine' }, approve: true }],
  ];
  for (const [path, body] of requests) assert.equal((await api(path, body)).status, 403, path);
});
