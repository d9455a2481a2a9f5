/** Calls between agents and servers of every era over every transport: results, progress, cancelling and log messages. */

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Agent } from '../kit/agents.ts';
import { everyPair, openServerRow, type ServerRow } from '../kit/server-row.ts';
import { readJournal, waitForEntry } from '../servers/launch.ts';
import { defaultTools } from '../servers/tools.ts';

let row: ServerRow;
before(async () => {
  row = await openServerRow();
});
after(() => row[Symbol.asyncDispose]());

everyPair(
  '[ERA-01] every agent lists the tools of every server, in a stable order',
  () => row,
  async ({ client }) => {
    const { tools } = await client.listTools();
    const expected = defaultTools().map((tool) => tool.definition.name);
    assert.deepEqual(
      tools.map(({ name }) => name),
      expected.toSorted(),
    );
  },
);

everyPair(
  '[ERA-02] every agent calls the tools of every server and gets their own results',
  () => row,
  async (agent) => {
    assert.equal(await agent.say('echo', { text: 'naïve 日本語 🙂' }), 'naïve 日本語 🙂');
    const sum = await agent.call('add', { a: 2, b: 3 });
    assert.deepEqual(sum.structuredContent, { sum: 5 });
    const failure = await agent.call('fail', { message: 'no' });
    assert.deepEqual([failure.isError, failure.content], [true, [{ type: 'text', text: 'no' }]]);
    await assert.rejects(agent.call('unheard_of'), /Unknown tool/);
    const overtaking = [30, 0].map((delayMs, at) => agent.say('nonce', { value: `n${at}`, delayMs }));
    assert.deepEqual(await Promise.all(overtaking), ['n0', 'n1']);
  },
);

everyPair(
  '[ERA-03] every report of progress arrives, in order, before the answer, and at its own call',
  () => row,
  async (agent) => {
    assert.deepEqual(await Promise.all([stepsOf(agent, 7), stepsOf(agent, 11)]), [everyStep(7), everyStep(11)]);
  },
);

async function stepsOf(agent: Agent, steps: number): Promise<string[]> {
  const seen: string[] = [];
  // The client hears only of tokens that it gave out, so that what comes here came under the caller's own.
  const said = await agent.say(
    'progress',
    { steps, delayMs: 1 },
    { onprogress: ({ progress, total, message }) => seen.push(`${progress}/${total} ${message}`) },
  );
  assert.equal(said, `did ${steps} steps`);
  return seen;
}

function everyStep(steps: number): string[] {
  return Array.from({ length: steps }, (_, at) => `${at + 1}/${steps} step ${at + 1} of ${steps}`);
}

everyPair(
  '[ERA-04] a call that its agent cancels is cancelled at the server',
  () => row,
  async (agent, { journal }) => {
    const before = readJournal(journal).length;
    const controller = new AbortController();
    const hanging = agent.call('wait_for_cancel', {}, { signal: controller.signal });
    const { id, pid } = await waitForEntry(
      journal,
      ({ event, name }, at) => event === 'tool' && name === 'wait_for_cancel' && at >= before,
    );
    controller.abort();
    await assert.rejects(hanging);
    const entry = await waitForEntry(
      journal,
      (item, at) => item.event === 'cancelled' && item.id === id && item.pid === pid && at >= before,
    );
    assert.equal(entry.wasRunning, true);
    // The link is as good as before.
    assert.equal(await agent.say('echo', { text: 'still here' }), 'still here');
  },
);

everyPair(
  '[ERA-05] log messages reach the agent from the level it asked for, and no others',
  () => row,
  async (agent, server) => {
    const logged = () => agent.heard.of('notifications/message').map(({ level, data }) => `${level}: ${data}`);
    if (agent.kind === 'v2 modern') {
      await agent.say('log', { level: 'emergency', message: 'nobody asked' });
      assert.deepEqual(logged(), []);
    }
    await agent.setLogLevel('warning');
    // A neighbour on the same link who wants everything must not change what this agent hears.
    await using curious = await row.connect(agent.kind, server);
    await curious.setLogLevel('debug');
    await curious.say('log', { level: 'debug', message: 'noise' });
    await curious.heard.atLeast('notifications/message', 1);
    await agent.say('log', { level: 'notice', message: 'too little' });
    await agent.say('log', { level: 'error', message: 'ouch' });
    await agent.heard.atLeast('notifications/message', 1);
    assert.deepEqual(logged(), ['error: ouch']);
    assert.equal(curious.heard.of('notifications/message').length, 1);
  },
);
