/** Servers that are killed or crash: one clear answer, nothing done twice, nobody else harmed, and back on the next call. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestGateway } from '../kit/gateway.ts';
import { ModernAgent, type ToolAnswer } from '../kit/modern-agent.ts';
import { planServers } from '../kit/planned-servers.ts';
import { allGone, eventually } from '../kit/processes.ts';
import { startServer, waitForEntry } from '../servers/launch.ts';

function assertDisconnected(answer: ToolAnswer, server: string): void {
  assert.equal(answer.errorType, 'SERVER_DISCONNECTED', answer.text);
  assert.ok(answer.isError && answer.text.includes(`"${server}"`), answer.text);
  assert.match(answer.text, /RECOVERY: Check before you repeat/);
}

test('[LINK-06] a server that was killed is back on the next call', async () => {
  const plan = planServers({ old: { era: 'legacy' }, new: { era: 'modern' } });
  await using gateway = await openTestGateway({ servers: plan.servers });
  const agent = new ModernAgent(gateway);
  for (const server of ['old', 'new']) {
    await gateway.gateway.admin.run('servers.refresh', { name: server });
    const pid = await agent.pidOf(server);
    process.kill(pid, 'SIGKILL');
    await eventually('the gateway knows', async () =>
      (await gateway.gateway.admin.run('servers.list', {})).some(
        ({ name, state, lastError }) => name === server && state === 'failed' && lastError?.includes('SIGKILL'),
      )
        ? true
        : undefined,
    );
    const after = await agent.pidOf(server);
    assert.notEqual(after, pid);
    await allGone([pid], 0);
  }
});

test('[LINK-07] a crash in the middle of a call is answered once and never replayed', async () => {
  const plan = planServers({
    old: { era: 'legacy', modes: { crashMidCall: 1 } },
    new: { era: 'modern', modes: { crashMidCall: 1 } },
    good: {},
  });
  await using gateway = await openTestGateway({ servers: plan.servers });
  const agent = new ModernAgent(gateway);
  await agent.tools();
  const pid = await agent.pidOf('good');
  const other = agent.call('good.slow', { ms: 500 });
  for (const server of ['old', 'new']) {
    assert.equal(await agent.say(`${server}.count`), '1');
    assertDisconnected(await agent.call(`${server}.count`), server);
    assert.equal(plan.noted(server, 'tool').length, 2, 'the work was done once for each call');
    assert.equal(await agent.say(`${server}.count`), '1', 'a new process counts from the start');
  }
  assert.equal((await other).text, 'waited 500 ms');
  assert.equal(await agent.pidOf('good'), pid);
});

test('[LINK-08] a remote server that crashes in the middle of a call is answered once and never replayed', async () => {
  await using old = await startServer({ name: 'old', era: 'legacy', modes: { crashMidCall: true } });
  await using modern = await startServer({ name: 'new', era: 'modern', modes: { crashMidCall: true } });
  await using sse = await startServer({ name: 'sse', transport: 'sse', modes: { crashMidCall: true } });
  const servers = { old: { url: old.url }, new: { url: modern.url }, sse: { url: sse.url, type: 'sse' } };
  await using gateway = await openTestGateway({ servers });
  const agent = new ModernAgent(gateway);
  await agent.tools();
  for (const [server, { journal }] of Object.entries({ old, new: modern, sse })) {
    assertDisconnected(await agent.call(`${server}.count`), server);
    assert.equal(journal().filter(({ event }) => event === 'tool').length, 1);
  }
});

test('[LINK-09] calls in flight beside a crash each get their answer, and half a message harms nobody', async () => {
  const plan = planServers({ half: { modes: { halfJsonThenExit: true } }, crash: {} });
  await using gateway = await openTestGateway({ servers: plan.servers });
  const agent = new ModernAgent(gateway);
  await agent.tools();
  assertDisconnected(await agent.call('half.echo', { text: 'x' }), 'half');
  assertDisconnected(await agent.call('half.echo', { text: 'x' }), 'half');
  const waiting = Array.from({ length: 5 }, () => agent.call('crash.wait_for_cancel'));
  await eventually('all five are with the server', () => (plan.noted('crash', 'tool').length === 5 ? true : undefined));
  const crashed = agent.call('crash.crash');
  for (const answer of await Promise.all([...waiting, crashed])) assert.equal(answer.errorType, 'SERVER_DISCONNECTED');
  assert.equal(await agent.say('crash.echo', { text: 'again' }), 'again');
});

test('[LINK-10] a server that crashes soon after every start is not started in a tight loop', async () => {
  const plan = planServers({ infant: { modes: { crashAfterMs: 400 } }, still: { modes: { exitAtStart: 3 } } });
  await using gateway = await openTestGateway({ servers: plan.servers, config: { connect: { maxRetries: 1 } } });
  const agent = new ModernAgent(gateway);
  await agent.tools();
  await waitForEntry(plan.journalOf('infant'), ({ event }) => event === 'crash');
  const until = performance.now() + 3_000;
  while (performance.now() < until) {
    const answers = await Promise.all([agent.call('infant.slow', { ms: 2_000 }), agent.call('still.anything')]);
    assert.ok(answers.every(({ isError }) => isError));
  }
  const starts = plan.noted('infant', 'started').length;
  assert.ok(starts >= 2 && starts <= 5, `it was started ${starts} times in three seconds`);
  const dead = plan.noted('still', 'started').length;
  assert.ok(dead <= 4, `the other was started ${dead} times`);
});

test('[LINK-11] a server that is not available fails fast and says when it is tried again', async () => {
  const plan = planServers({ still: { modes: { exitAtStart: 3 } } });
  await using gateway = await openTestGateway({ servers: plan.servers, config: { connect: { maxRetries: 0 } } });
  const agent = new ModernAgent(gateway, '/servers/still/mcp?names=plain');
  const first = await agent.call('any');
  assert.ok(['SERVER_DISCONNECTED', 'CIRCUIT_OPEN'].includes(first.errorType ?? ''), first.text);
  const second = await agent.call('any');
  assert.equal(second.errorType, 'CIRCUIT_OPEN');
  assert.match(second.text, /Toolcrib tries it again in ([6-9]|10) s\. Server "still" exited with code 3\./);
  assert.match(second.text, /cannot start, the configuration is missing/);
  const starts = plan.noted('still', 'started').length;
  await Promise.all(Array.from({ length: 20 }, () => agent.call('any')));
  assert.equal(plan.noted('still', 'started').length, starts);
});
