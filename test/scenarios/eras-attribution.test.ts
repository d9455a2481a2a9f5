/** Questions reach the right agent: several agents on one link to a server that asks, and servers with a link for each session. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Agent, type AgentOptions, connectAgent, ELICITED, type Kind } from '../kit/agents.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { RawSession } from '../kit/hand-made.ts';
import { openServer } from '../servers/hosted.ts';
import { type JournalEntry, newJournal, readJournal, serverCommand, waitForEntry } from '../servers/launch.ts';
import type { Dict } from '../servers/rpc.ts';

let gateway: TestGateway;
const journals = { stdio: newJournal(), sse: newJournal(), own: newJournal() };
const closing: (() => Promise<unknown>)[] = [];
before(async () => {
  const http = await openServer({ transport: 'http' });
  const sse = await openServer({ transport: 'sse', journal: journals.sse });
  closing.push(http.stop, sse.stop);
  gateway = await openTestGateway({
    servers: {
      stdio: serverCommand({ journal: journals.stdio }),
      modern: serverCommand({ era: 'modern' }),
      own: { ...serverCommand({ journal: journals.own }), perSession: true },
      http: { url: http.url },
      sse: { url: sse.url, type: 'sse' },
    },
  });
  closing.push(gateway.close);
});
after(async () => {
  for (const close of closing.reverse()) await close();
});

const doorOf = (server: string) => `${gateway.url}/servers/${server}/mcp?names=plain`;

function connect(kind: Kind, server: string, more: Partial<AgentOptions> = {}): Promise<Agent> {
  return connectAgent(kind, doorOf(server), { headers: gateway.agentHeaders, ...more });
}

for (const server of ['stdio', 'sse'] as const) {
  test(`[ERA-30] over ${server}, a question that either of two calls may own is refused with the reason`, async () => {
    await using busy = await connect('v2 legacy', server);
    await using curious = await connect('v2 modern', server);
    const leaving = new AbortController();
    const hanging = busy.call('wait_for_cancel', {}, { signal: leaving.signal });
    await waitForEntry(journals[server], ({ event }) => event === 'tool');
    await assert.rejects(curious.call('elicit'), /2 calls are in flight on this shared link/);
    const { error } = await waitForEntry(journals[server], ({ event }) => event === 'response');
    assert.deepEqual((error as Dict).data, { reason: 'attribution-ambiguous', callsInFlight: 2 });
    assert.deepEqual([busy.asked, curious.asked], [[], []], 'nobody was shown the question');
    leaving.abort();
    await assert.rejects(hanging);
    await waitForEntry(journals[server], ({ event }) => event === 'cancelled');
    assert.deepEqual(JSON.parse(await curious.say('elicit')), ELICITED, 'alone, it is asked');
  });
}

for (const server of ['http', 'modern', 'own'] as const) {
  const how = { http: 'on the stream of its call', modern: 'as a result', own: 'on its own link' }[server];
  test(`[ERA-31] a question that comes ${how} reaches its own agent, however many calls are in flight`, async () => {
    const everyoneAsked = barrier(3);
    const names = ['Ada', 'Grace', 'Edsger'];
    const kinds: readonly Kind[] = ['v1', 'v2 legacy', 'v2 modern'];
    const agents = await Promise.all(
      kinds.map((kind, at) => connect(kind, server, { name: names[at] ?? '', onQuestion: everyoneAsked })),
    );
    const answers = await Promise.all(agents.map((agent) => agent.say('elicit')));
    assert.deepEqual(
      answers.map((answer) => JSON.parse(answer).content.name),
      names,
    );
    await Promise.all(agents.map((agent) => agent[Symbol.asyncDispose]()));
  });
}

/** A place where each one waits until all have come. */
function barrier(count: number): () => Promise<void> {
  const all = Promise.withResolvers<void>();
  let come = 0;
  return () => {
    come += 1;
    if (come === count) all.resolve();
    return all.promise;
  };
}

test('[ERA-32] perSession gives each legacy session a process of its own, which ends with the session', async () => {
  const first = await RawSession.open(doorOf('own'), gateway.agentHeaders);
  const second = await RawSession.open(doorOf('own'), gateway.agentHeaders);
  const pids = [await pidOf(first), await pidOf(second)];
  assert.notEqual(pids[0], pids[1]);
  assert.deepEqual([await pidOf(first), await pidOf(second)], pids, 'and keeps it');
  assert.equal(await counted(first), '1');
  assert.equal(await counted(second), '1', 'so that what one does the other does not see');
  const isGone = (pid: unknown) => (entry: JournalEntry) => entry.event === 'exit' && entry.pid === pid;
  assert.equal((await fetch(first.url, { method: 'DELETE', headers: first.headers })).status, 200);
  await waitForEntry(journals.own, isGone(pids[0]));
  assert.equal(readJournal(journals.own).some(isGone(pids[1])), false);
  assert.equal(await pidOf(second), pids[1]);
  await fetch(second.url, { method: 'DELETE', headers: second.headers });
  await waitForEntry(journals.own, isGone(pids[1]));
});

test('[ERA-33] without perSession all sessions share one process', async () => {
  const sessions = await Promise.all([1, 2, 3].map(() => RawSession.open(doorOf('stdio'), gateway.agentHeaders)));
  const pids = await Promise.all(sessions.map(pidOf));
  assert.equal(new Set(pids).size, 1);
});

async function pidOf(session: RawSession): Promise<number> {
  return JSON.parse(await textOf(session, 'whoami')).pid;
}

async function counted(session: RawSession): Promise<string> {
  await textOf(session, 'count');
  return textOf(session, 'read_count');
}

async function textOf(session: RawSession, name: string): Promise<string> {
  const { message } = await session.request('tools/call', { name, arguments: {} });
  return (message.result as { content: { text: string }[] }).content[0]?.text ?? '';
}
