/** Calls that the owner approves: for agents that cannot be asked, over time, and while the rules change. */

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { InputOf } from '../../src/admin/admin.ts';
import { connectAgent, type FormAnswer, KINDS } from '../kit/agents.ts';
import { allowOnce, callsOf, untilWaiting } from '../kit/approvals.ts';
import { runChain } from '../kit/chains.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { makeToken } from '../kit/tokens.ts';

type Dict = Record<string, unknown>;

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const tools = [
  { name: 'echo', description: 'Says the same', inputSchema: text, runAs: 'echo' },
  { name: 'mutate', inputSchema: { type: 'object' }, runAs: 'mutate' },
];
const asking = { permissions: { echo: 'ask' } };

/** A gateway before one server whose echo needs approval. */
async function openTill(config: Dict = {}, dataDir?: string) {
  const plan = hostServers({ till: { era: 'modern', tools, entry: asking } });
  const gateway = await openTestGateway({ servers: plan.servers, config, ...(dataDir ? { dataDir } : {}) });
  const said = () => callsOf(plan, 'till', 'echo');
  return { plan, gateway, said, agent: new ModernAgent(gateway) };
}

function answer({ gateway }: TestGateway, id: string, what: InputOf<'approvals.answer'>['answer']) {
  return gateway.admin.run('approvals.answer', { id, answer: what });
}

test('[ACC-42] the owner sees exactly what an agent that cannot be asked wants, and then it works once', async () => {
  const { gateway, agent, said } = await openTill();
  await using _ = gateway;
  const refused = await agent.call('till.echo', { text: 'pay 5\u202e' });
  assert.equal(refused.errorType, 'APPROVAL_NEEDED');
  const [waiting] = await untilWaiting(gateway, 'agent');
  assert.ok(waiting);
  assert.match(refused.hint, new RegExp(`toolcrib approve ${waiting.id}`));
  assert.match(refused.text, /make exactly the same call again/);
  assert.deepEqual(
    [waiting.toolKey, waiting.arguments, waiting.isCut, waiting.asked, waiting.project],
    ['till:echo', '{\n  "text": "pay 5\\u202e"\n}', false, 'owner', null],
  );
  // The same call is the same question, whichever way it comes.
  assert.equal(
    (await agent.call('tool_execute', { toolKey: 'till:echo', arguments: { text: 'pay 5\u202e' } })).isError,
    true,
  );
  await untilWaiting(gateway, 'agent');
  await answer(gateway, waiting.id, 'once');
  assert.equal((await agent.call('till.echo', { text: 'pay 50' })).errorType, 'APPROVAL_NEEDED');
  assert.equal(
    (
      await new ModernAgent({ ...gateway, agentHeaders: (await makeToken(gateway)).headers }).call('till.echo', {
        text: 'pay 5\u202e',
      })
    ).errorType,
    'APPROVAL_NEEDED',
  );
  assert.equal(await agent.say('till.echo', { text: 'pay 5\u202e' }), 'pay 5\u202e');
  assert.equal((await agent.call('till.echo', { text: 'pay 5\u202e' })).errorType, 'APPROVAL_NEEDED');
  assert.equal(said().length, 1);
  const [left] = (await untilWaiting(gateway, 'agent', 2)).filter(({ arguments: args }) => args.includes('50'));
  await answer(gateway, left?.id ?? '', 'refuse');
  assert.equal((await agent.call('till.echo', { text: 'pay 50' })).errorType, 'ACCESS_DENIED');
});

test('[ACC-42] a program gets the error with what to approve, and works when it is run again', async () => {
  const { gateway, agent, said } = await openTill();
  await using _ = gateway;
  const code = 'return await servers.till.echo({ text: "from a program" })';
  const failed = await runChain(agent, code);
  assert.equal(failed.isError, true);
  const [waiting] = await untilWaiting(gateway, 'agent');
  assert.ok(waiting && failed.text.includes(waiting.id), failed.text);
  await answer(gateway, waiting.id, 'once');
  assert.equal((await runChain(agent, code)).result, 'from a program');
  assert.equal((await runChain(agent, code)).isError, true);
  assert.equal(said().length, 1);
});

test('[ACC-42] where the config says so, a call waits for the owner', async () => {
  const { gateway, agent, said } = await openTill({ access: { approvalWaitMs: 60_000 } });
  await using _ = gateway;
  const calls = ['yes', 'no'].map((text) => agent.call('till.echo', { text }));
  for (const { id, arguments: args } of await untilWaiting(gateway, 'agent', 2))
    await answer(gateway, id, args.includes('yes') ? 'once' : 'refuse');
  const [yes, no] = await Promise.all(calls);
  assert.equal(yes?.text, 'yes');
  assert.equal(no?.errorType, 'ACCESS_DENIED');
  assert.equal(said().length, 1);
});

test('[ACC-42] over the API the owner approves with the call, and nobody else can', async () => {
  const { gateway, said } = await openTill();
  await using _ = gateway;
  const call = async (headers: Record<string, string>, approve: boolean) => {
    const response = await fetch(`${gateway.url}/api/tools/call`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ toolKey: 'till:echo', arguments: { text: 'by hand' }, approve }),
    });
    return { status: response.status, body: JSON.stringify(await response.json()) };
  };
  const refused = await call(gateway.ownerHeaders, false);
  assert.equal(refused.status, 403);
  assert.match(refused.body, /APPROVAL_NEEDED.*--yes/);
  await untilWaiting(gateway, 'owner', 0);
  assert.match((await call(gateway.agentHeaders, true)).body, /ACCESS_DENIED/);
  assert.match((await call(gateway.agentHeaders, false)).body, /toolcrib approve/);
  assert.equal(said().length, 0);
  assert.equal((await call(gateway.ownerHeaders, true)).status, 200);
  assert.equal(said().length, 1);
});

for (const kind of KINDS) {
  test(`[ACC-44] what changed while the person at an agent of SDK ${kind} thought about it decides`, async () => {
    const { gateway, plan, said } = await openTill();
    await using _ = gateway;
    const configWith = async (servers: Dict) => {
      await writeFile(gateway.configFile, JSON.stringify({ mcpServers: servers }));
    };
    const isKnown = async (fits: (tools: readonly string[]) => boolean) => {
      for (;;) {
        const tools = await new ModernAgent(gateway).tools();
        if (fits(tools)) return;
        await pause(20);
      }
    };
    const till = plan.servers.till ?? {};
    const denied = { till: { ...till, permissions: { echo: 'deny' } } };
    const changes: [string, (headers: Record<string, string>, id: string) => Promise<unknown>][] = [
      ['denied', () => configWith(denied).then(() => isKnown((tools) => !tools.includes('till.echo')))],
      ['gone', () => configWith({}).then(() => isKnown((tools) => !tools.some((name) => name.startsWith('till.'))))],
      ['revoked', (_headers, id) => gateway.gateway.admin.run('tokens.revoke', { name: id })],
    ];
    for (const [what, change] of changes) {
      await configWith({ till });
      await isKnown((tools) => tools.includes('till.echo'));
      const token = await makeToken(gateway);
      const onForm = async (): Promise<FormAnswer> => {
        await change(token.headers, token.id);
        return allowOnce;
      };
      const agent = await connectAgent(kind, `${gateway.url}/mcp?surface=direct`, { headers: token.headers, onForm });
      // A removed agent notices by the end of its streams, and its SDK still waits for its answer.
      const outcome = await agent.call('till.echo', { text: what }, { timeout: 3_000 }).then(
        (result) => `${String(result.isError)} ${JSON.stringify(result)}`,
        (error: Error) => `thrown ${error.message}`,
      );
      assert.match(outcome, /^(true|thrown)/, what);
      await agent.client.close().catch(() => {});
    }
    assert.equal(said().length, 0);
  });
}

test('[ACC-44] an approval by the owner does not outlive the rule that it was asked under', async () => {
  const { gateway, plan, said, agent } = await openTill();
  await using _ = gateway;
  await agent.call('till.echo', { text: 'too late' });
  const [waiting] = await untilWaiting(gateway, 'agent');
  await writeFile(
    gateway.configFile,
    JSON.stringify({ mcpServers: { till: { ...plan.servers.till, permissions: { echo: 'deny' } } } }),
  );
  while ((await agent.tools()).includes('till.echo')) await pause(20);
  await answer(gateway, waiting?.id ?? '', 'always');
  assert.equal((await agent.call('till.echo', { text: 'too late' })).errorType, 'TOOL_NOT_FOUND');
  assert.equal(said().length, 0);
});

test('[ACC-45] an approval for always survives a restart, ends with the definition, and can be taken back', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-test-'));
  try {
    const first = await openTill({}, dataDir);
    await first.agent.call('till.echo', { text: 'first' });
    const [waiting] = await untilWaiting(first.gateway, 'agent');
    await answer(first.gateway, waiting?.id ?? '', 'always');
    assert.equal(await first.agent.say('till.echo', { text: 'any' }), 'any');
    const config = await readFile(first.gateway.configFile, 'utf8');
    await first.gateway.close();

    const { mcpServers } = JSON.parse(config) as { mcpServers: Dict };
    const gateway = await openTestGateway({ servers: mcpServers, dataDir });
    const agent = new ModernAgent(gateway);
    const { admin } = gateway.gateway;
    assert.equal(await agent.say('till.echo', { text: 'after' }), 'after');
    const other = new ModernAgent({ ...gateway, agentHeaders: (await makeToken(gateway)).headers });
    assert.equal((await other.call('till.echo', { text: 'after' })).errorType, 'APPROVAL_NEEDED');
    // A change that passes by itself is still another definition than the one that was approved.
    await agent.say('till.mutate', { patch: { name: 'echo', description: 'Says the same.' }, quiet: true });
    await admin.run('servers.refresh', { name: 'till' });
    assert.equal((await agent.call('till.echo', { text: 'changed' })).errorType, 'APPROVAL_NEEDED');
    const [again] = await untilWaiting(gateway, 'agent');
    await answer(gateway, again?.id ?? '', 'always');
    assert.equal(await agent.say('till.echo', { text: 'changed' }), 'changed');
    const lasting = await admin.run('approvals.lasting', {});
    assert.deepEqual(
      lasting.map(({ toolKey, principal, project }) => [toolKey, principal, project]),
      [['till:echo', 'agent', null]],
    );
    await admin.run('approvals.forget', { id: lasting[0]?.id ?? '' });
    assert.equal((await agent.call('till.echo', { text: 'changed' })).errorType, 'APPROVAL_NEEDED');
    await gateway.close();
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

test('[ACC-46] a call that nobody approves in time is not made, and a late answer changes nothing', async () => {
  const { gateway, said, agent } = await openTill({ access: { approvalTimeoutMs: 1_000 } });
  await using _ = gateway;
  await agent.call('till.echo', { text: 'slow' });
  const [waiting] = await untilWaiting(gateway, 'agent');
  const never = new Promise<FormAnswer>(() => {});
  const options = { headers: gateway.agentHeaders, onForm: () => never };
  await using old = await connectAgent('v2 legacy', `${gateway.url}/mcp?surface=direct`, options);
  const late = await old.call('till.echo', { text: 'nobody' });
  assert.match(JSON.stringify(late.structuredContent), /APPROVAL_NEEDED/);
  await untilWaiting(gateway, 'agent', 0);
  await assert.rejects(answer(gateway, waiting?.id ?? '', 'once'), /No call waits/);
  assert.equal((await agent.call('till.echo', { text: 'slow' })).errorType, 'APPROVAL_NEEDED');
  assert.equal(said().length, 0);
});

test('[ACC-47] where only the owner may approve, no agent is asked', async () => {
  const { gateway, said } = await openTill({ access: { askBy: ['owner'] } });
  await using _ = gateway;
  for (const kind of KINDS) {
    const { name, headers } = await makeToken(gateway);
    const options = { headers, onForm: () => allowOnce };
    await using agent = await connectAgent(kind, `${gateway.url}/mcp?surface=direct`, options);
    assert.equal((await agent.call('till.echo', { text: kind })).isError, true);
    assert.deepEqual(agent.asked, []);
    const [waiting] = await untilWaiting(gateway, name);
    await answer(gateway, waiting?.id ?? '', 'once');
    assert.equal(await agent.say('till.echo', { text: kind }), kind);
  }
  assert.equal(said().length, KINDS.length);
});

test('[ACC-49] every question and answer stands in the audit, with who, what and for how long', async () => {
  const { gateway, agent } = await openTill({ access: { approvalTimeoutMs: 1_000 } });
  await using _ = gateway;
  const { admin } = gateway.gateway;
  const ask = async (text: string) => {
    await agent.call('till.echo', { text });
    return (await untilWaiting(gateway, 'agent'))[0]?.id ?? '';
  };
  await answer(gateway, await ask('a'), 'refuse');
  await ask('b');
  await untilWaiting(gateway, 'agent', 0);
  await answer(gateway, await ask('c'), 'always');
  await admin.run('approvals.forget', { id: (await admin.run('approvals.lasting', {}))[0]?.id ?? '' });
  const { records } = await admin.run('audit.list', { kind: 'access', limit: 100 });
  const rows = records
    .filter(({ action }) => action.startsWith('approval.'))
    .map(({ action, outcome, server, tool, detail }) => [
      action,
      outcome,
      `${server}:${tool}`,
      (detail as Dict | null)?.holds,
    ]);
  assert.deepEqual(rows.toReversed(), [
    ['approval.asked', 'ok', 'till:echo', undefined],
    ['approval.refused', 'refused', 'till:echo', undefined],
    ['approval.asked', 'ok', 'till:echo', undefined],
    ['approval.expired', 'refused', 'till:echo', undefined],
    ['approval.asked', 'ok', 'till:echo', undefined],
    ['approval.allowed', 'ok', 'till:echo', 'always'],
    ['approval.forgotten', 'ok', 'till:echo', 'always'],
  ]);
  const asked = records.filter(({ action }) => action === 'approval.asked');
  assert.ok(asked.every(({ argumentsHash, arguments: kept }) => argumentsHash !== null && kept === null));
});
