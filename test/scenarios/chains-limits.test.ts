/** The limits of programs: their time, their agent, the number of calls; and the reports on the way. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { connectAgent, KINDS } from '../kit/agents.ts';
import { resultOf, runChain } from '../kit/chains.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { HANG_MS } from '../kit/processes.ts';

type Dict = Record<string, unknown>;

const plan = hostServers({ main: {}, other: { era: 'modern' } });
let gateway: TestGateway;
let agent: ModernAgent;

before(async () => {
  gateway = await openTestGateway({ servers: plan.servers, config: { chains: { maxCalls: 2_000 } } });
  agent = new ModernAgent(gateway, '/mcp?surface=search');
  await new ModernAgent(gateway).tools();
  // The first request waits for a thread and a link; this test is about the later ones.
  await resultOf(agent, "return await servers.main.echo({ text: 'ready' });");
});
after(() => gateway.close());

function outcomesOf(tool: string): unknown[] {
  const store = new DatabaseSync(join(gateway.dataDir, 'toolcrib.db'), { readOnly: true });
  try {
    const rows = store.prepare('select outcome from call where tool = ? order by id').all(tool) as Dict[];
    return rows.map(({ outcome }) => outcome);
  } finally {
    store.close();
  }
}

test('[CHAIN-13] a program that takes too long ends with what it did, and its calls are cancelled and counted', async () => {
  const code = `console.log('one');
     await servers.main.echo({ text: 'done' });
     await keep([1], 'half');
     await Promise.all([servers.main.wait_for_cancel(), servers.main.wait_for_cancel()]);`;
  const tryWith = async (timeoutMs: number) => {
    const before = outcomesOf('wait_for_cancel').length;
    const cancelled = plan.noted('main', 'cancelled').length;
    return { before, cancelled, ended: await runChain(agent, code, { timeoutMs }) };
  };
  // A slow machine needs more time to get to the calls that never end.
  let tried = await tryWith(2_000);
  for (let timeoutMs = 4_000; tried.ended.calls.length < 3 && timeoutMs < HANG_MS; timeoutMs *= 2)
    tried = await tryWith(timeoutMs);
  const { before, cancelled, ended } = tried;
  assert.equal(ended.isError, true);
  assert.equal(ended.data.errorType, 'TIMEOUT');
  assert.deepEqual(ended.logs, ['one']);
  assert.deepEqual(
    ended.calls.map(({ tool, ok, error }) => [tool, ok, error]),
    [
      ['main:echo', true, undefined],
      ['main:wait_for_cancel', false, 'CANCELLED'],
      ['main:wait_for_cancel', false, 'CANCELLED'],
    ],
  );
  assert.deepEqual(
    (ended.data.kept as Dict[]).map(({ name }) => name),
    ['half'],
  );
  assert.match((ended.data.recoverySteps as string[]).join('\n'), /Promise\.all.*keep\(value.*listed as ok were made/s);
  assert.deepEqual(outcomesOf('wait_for_cancel').slice(before), ['cancelled', 'cancelled']);
  await until(() => plan.noted('main', 'cancelled').length === cancelled + 2);
});

const calledOn = (name: string) => plan.noted('main', 'tool').filter((entry) => entry.name === name).length;

test('[CHAIN-34] calls that a program did not wait for are made to their end, and told as what they were', async () => {
  const before = calledOn('slow');
  const ended = await runChain(
    agent,
    `servers.main.slow({ ms: 150 });
     for (let a = 0; a < 40; a += 1) servers.main.add({ a, b: 1 });
     servers.main.slow({ ms: 50 }).then(() => servers.main.echo({ text: 'after' }));
     return 1;`,
  );
  assert.equal(ended.result, 1, ended.text);
  assert.deepEqual(
    ended.calls.map(({ tool, ok, count }) => [tool, ok, count]),
    [
      ['main:slow', true, 2],
      ['main:add', true, 40],
      ['main:echo', true, undefined],
    ],
  );
  assert.deepEqual(ended.data.notes, [
    'Some calls were not awaited. The list says how they ended; write await before every call.',
  ]);
  assert.equal(calledOn('slow'), before + 2);
});

test('[CHAIN-34] of a program that failed, calls under way may end, others are not made, and list and notes agree', async () => {
  const [added, waiting] = [calledOn('add'), calledOn('wait_for_cancel')];
  const failed = await runChain(
    agent,
    `servers.main.wait_for_cancel().catch(() => {});
     servers.main.slow({ ms: 200 });
     for (let a = 0; a < 60; a += 1) servers.main.add({ a, b: 1 });
     null.x;`,
  );
  assert.equal(failed.isError, true);
  const made = failed.calls.reduce((sum, { count = 1 }) => sum + count, 0);
  const [givenUp] = failed.calls.filter(({ error }) => error === 'CANCELLED');
  assert.deepEqual([givenUp?.tool, givenUp?.count], ['main:wait_for_cancel', undefined]);
  assert.ok(failed.calls.some(({ tool, ok }) => tool === 'main:slow' && ok));
  assert.deepEqual(failed.data.notes, [
    'One call was cancelled on the way (CANCELLED) and may have taken effect.',
    `${62 - made} calls were never made, and are not in the list.`,
  ]);
  assert.match((failed.data.recoverySteps as string[]).join('\n'), /CANCELLED may have taken effect/);
  await until(() => calledOn('add') - added + calledOn('wait_for_cancel') - waiting + 1 === made);
});

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
}

test('[CHAIN-13] a loop without end stops at its time, and others are answered meanwhile', async () => {
  const endless = runChain(agent, 'for (;;);', { timeoutMs: 600 });
  const meanwhile = await Promise.all(
    Array.from({ length: 5 }, (_, at) => resultOf(agent, `return (await servers.main.add({ a: ${at}, b: 1 })).sum`)),
  );
  assert.deepEqual(meanwhile, [1, 2, 3, 4, 5]);
  assert.equal((await endless).data.errorType, 'TIMEOUT');
});

test('[CHAIN-14] an agent that gives up ends its program and the calls of it', async () => {
  for (const kind of KINDS) {
    await using caller = await connectAgent(kind, `${gateway.url}/mcp?surface=search`, {
      headers: gateway.agentHeaders,
    });
    const cancelled = plan.noted('main', 'cancelled').length;
    const begun = plan.noted('main', 'tool').filter(({ name }) => name === 'wait_for_cancel').length;
    const giveUp = new AbortController();
    const running = runChain(
      caller,
      `await servers.main.wait_for_cancel().catch(() => {});
       await servers.main.count();`,
      {},
      { signal: giveUp.signal },
    );
    await until(() => plan.noted('main', 'tool').filter(({ name }) => name === 'wait_for_cancel').length > begun);
    const counts = plan.noted('main', 'tool').filter(({ name }) => name === 'count').length;
    giveUp.abort();
    await assert.rejects(running);
    await until(() => plan.noted('main', 'cancelled').length > cancelled);
    assert.equal(await resultOf(agent, 'return 1'), 1);
    assert.equal(plan.noted('main', 'tool').filter(({ name }) => name === 'count').length, counts, kind);
  }
});

test('[CHAIN-15] an agent hears how many calls are done, and progress of single calls is not passed on', async () => {
  for (const kind of KINDS) {
    await using caller = await connectAgent(kind, `${gateway.url}/mcp?surface=search`, {
      headers: gateway.agentHeaders,
    });
    const heard: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void heard.push(progress);
    await runChain(
      caller,
      `await servers.main.progress({ steps: 3, delayMs: 5 });
       await servers.main.slow({ ms: 300 });
       await servers.main.echo({ text: 'x' });`,
      {},
      { onprogress },
    );
    assert.deepEqual(heard, [1, 2], kind);
  }
});

test('[CHAIN-16] a question of a server reaches an agent that can answer in the middle; for others the call fails', async () => {
  for (const kind of KINDS) {
    await using caller = await connectAgent(kind, `${gateway.url}/mcp?surface=search`, {
      headers: gateway.agentHeaders,
    });
    for (const server of ['main', 'other']) {
      const outcomes = outcomesOf('elicit').length;
      const code = `await servers.${server}.elicit({ message: 'Who?' }); return 'answered'`;
      const { result, data, text } = await runChain(caller, code);
      const [outcome] = outcomesOf('elicit').slice(outcomes);
      if (kind === 'v2 modern') {
        assert.match(text, /elicit" asks its caller a question, and a program cannot answer it/, server);
        assert.match(`${data.recoveryAction} ${data.hint}`, /outside a program.*tool_execute/, server);
        assert.equal(outcome, 'refused', server);
      } else assert.deepEqual([result, outcome], ['answered', 'ok'], `${kind} ${server}`);
    }
    assert.equal(caller.asked.length, kind === 'v2 modern' ? 0 : 2);
  }
});

test('[CHAIN-17] a thousand calls at once all come back, and more than the owner allows are refused', async () => {
  const many = await runChain(
    agent,
    `const sums = await Promise.all(Array.from({ length: 1000 }, (_, a) => servers.main.add({ a, b: 1 })));
     return sums.every(({ sum }, a) => sum === a + 1);`,
  );
  assert.equal(many.result, true, many.text);
  assert.deepEqual(
    many.calls.map(({ tool, count, ok }) => [tool, count, ok]),
    [['main:add', 1_000, true]],
  );
  await using few = await openTestGateway({ servers: plan.servers, config: { chains: { maxCalls: 3 } } });
  await new ModernAgent(few).tools();
  const refused = await runChain(
    new ModernAgent(few, '/mcp?surface=search'),
    'for (let a = 0; a < 9; a += 1) await servers.main.add({ a, b: 1 });',
  );
  assert.equal(refused.isError, true);
  assert.match(refused.text, /3 calls.*RECOVERY: Split the work.*chains\.maxCalls \(3\)/s);
  assert.equal(refused.calls.length, 3);
  const atOnce = await runChain(
    new ModernAgent(few, '/mcp?surface=search'),
    'await Promise.all([1, 2, 3, 4, 5].map((a) => servers.main.add({ a, b: 1 })));',
  );
  // How many had begun when the program failed for the fourth is a matter of time; that none is lost is not.
  const made = atOnce.calls.length;
  assert.ok(made >= 1 && made <= 3 && atOnce.calls.every(({ ok }) => ok), JSON.stringify(atOnce.calls));
  assert.deepEqual(atOnce.data.notes, [`${5 - made} calls were never made, and are not in the list.`]);
});
