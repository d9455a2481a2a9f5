/** Questions of servers to their agents in the middle of a call, in all four combinations of eras. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectAgent, ELICITED, KINDS, SAMPLED } from '../kit/agents.ts';
import { everyPair, openServerRow, type ServerRow } from '../kit/server-row.ts';
import { readJournal, waitForEntry } from '../servers/launch.ts';

const ROOTS = [{ uri: 'file:///projects/owner', name: 'owner' }, { uri: 'file:///projects/unnamed' }];

let row: ServerRow;
before(async () => {
  row = await openServerRow({ config: { connect: { roots: ROOTS } } });
});
after(() => row[Symbol.asyncDispose]());

everyPair(
  '[ERA-06] an elicitation of the server reaches the agent, and its answer the server',
  () => row,
  async (agent) => {
    assert.deepEqual(JSON.parse(await agent.say('elicit')), ELICITED);
    assert.deepEqual(agent.asked, ['elicitation/create']);
  },
);

everyPair(
  '[ERA-07] a sampling request of the server reaches the agent, and its answer the server',
  () => row,
  async (agent) => {
    assert.deepEqual(JSON.parse(await agent.say('sample', { prompt: 'What is 2 + 2?' })), SAMPLED);
    assert.deepEqual(agent.asked, ['sampling/createMessage']);
  },
);

everyPair(
  '[ERA-08] a server that asks for roots gets those of the config, whoever the agent is',
  () => row,
  async (agent) => {
    assert.deepEqual(JSON.parse(await agent.say('roots')), { roots: ROOTS });
    assert.deepEqual(agent.asked, []);
  },
);

everyPair(
  '[ERA-09] an agent that cannot be asked is not asked: the server hears so and the call ends as the tool says',
  () => row,
  async (agent, { era }) => {
    const code = era === 'legacy' ? -32601 : agent.kind !== 'v2 modern' && era === 'dual' ? -32601 : -32021;
    const isRefusal = (error: { code?: number; message: string }) => error.code === code;
    await assert.rejects(agent.call('elicit'), isRefusal);
    await assert.rejects(agent.call('sample'), isRefusal);
    assert.equal(await agent.say('echo', { text: 'unharmed' }), 'unharmed');
  },
  { capabilities: {} },
);

test('[ERA-35] a tool called through tool_execute asks, reports and is cancelled like any other', async (context) => {
  const { url, agentHeaders: headers } = row.gateway;
  for (const kind of KINDS) {
    await context.test(`${kind} agent`, async () => {
      await using agent = await connectAgent(kind, `${url}/mcp?surface=search`, { headers });
      for (const { name, journal } of row.servers) {
        const execute = (tool: string, args = {}) => ({ toolKey: `${name}:${tool}`, arguments: args });
        assert.deepEqual(JSON.parse(await agent.say('tool_execute', execute('elicit'))), ELICITED, name);
        const seen: number[] = [];
        const onprogress = ({ progress }: { progress: number }) => void seen.push(progress);
        await agent.say('tool_execute', execute('progress', { steps: 3 }), { onprogress });
        assert.deepEqual(seen, [1, 2, 3], name);
        const leaving = new AbortController();
        const before = readJournal(journal).length;
        const hanging = agent.call('tool_execute', execute('wait_for_cancel'), { signal: leaving.signal });
        await waitForEntry(journal, ({ event }, at) => event === 'tool' && at >= before);
        leaving.abort();
        await assert.rejects(hanging);
        await waitForEntry(journal, ({ event }, at) => event === 'cancelled' && at >= before);
      }
    });
  }
});
