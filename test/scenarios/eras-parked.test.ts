/** Calls that wait for their agent: a legacy server asks in the middle of one, and a modern agent answers in another request. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { connectAgent, ELICITED } from '../kit/agents.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { askModern, type RawAnswer } from '../kit/hand-made.ts';
import { eventually } from '../kit/processes.ts';
import {
  newJournal,
  readJournal,
  type ServerSpec,
  serverCommand,
  startServer,
  waitForEntry,
} from '../servers/launch.ts';
import type { Dict } from '../servers/rpc.ts';

const TOOLS = ['elicit', 'echo', 'slow', 'elicit_then_wait', 'withdraw', 'take_back'].map((name) => ({
  name,
  runAs: name,
}));
const ABLE = { capabilities: { elicitation: {} } };

interface InputRequired {
  readonly resultType: string;
  readonly requestState: string;
  readonly inputRequests: Readonly<Record<string, { readonly method: string; readonly params: Dict }>>;
}

let gateway: TestGateway;
const journals = { stdio: newJournal(), http: newJournal() };
const closing: (() => Promise<unknown>)[] = [];
before(async () => {
  const spec = (transport: 'stdio' | 'http'): ServerSpec => ({ transport, tools: TOOLS, journal: journals[transport] });
  const http = await startServer(spec('http'));
  closing.push(() => http.stop());
  gateway = await openTestGateway({
    servers: {
      stdio: serverCommand(spec('stdio')),
      http: { url: http.url },
      hasty: { ...serverCommand({ tools: TOOLS }), timeoutMs: 2_000 },
    },
  });
  closing.push(() => gateway.close());
});
after(async () => {
  for (const close of closing.reverse()) await close();
});

type Server = 'stdio' | 'http' | 'hasty';

/** Calls a tool of a server by hand, as the agent by default. */
function call(server: Server, tool: string, more: Dict = {}, signal?: AbortSignal): Promise<RawAnswer> {
  const url = `${gateway.url}/servers/${server}/mcp?names=plain`;
  const options = signal ? { ...ABLE, signal } : ABLE;
  return askModern(url, gateway.agentHeaders, 'tools/call', { name: tool, arguments: {}, ...more }, options);
}

/** Calls a tool that asks, and gives the answer that says so with the answers that the agent would send. */
async function park(server: Server, tool: string): Promise<{ asked: InputRequired; resume: Dict }> {
  const { status, message } = await call(server, tool);
  const asked = message.result as InputRequired;
  assert.deepEqual([status, asked?.resultType], [200, 'input_required'], JSON.stringify(message));
  const inputResponses = Object.fromEntries(Object.keys(asked.inputRequests).map((key) => [key, ELICITED]));
  return { asked, resume: { requestState: asked.requestState, inputResponses } };
}

/** The tool has ended with the agent's answer. */
function assertAnswered({ message }: RawAnswer): void {
  const { resultType, content } = message.result as { resultType: string; content: { text: string }[] };
  assert.deepEqual([resultType, content[0]?.text], ['complete', JSON.stringify(ELICITED)]);
}

for (const server of ['stdio', 'http'] as const) {
  test(`[ERA-20] over ${server}, a question becomes input_required and the same call goes on with the answer`, async () => {
    const { asked, resume } = await park(server, 'elicit');
    const questions = Object.values(asked.inputRequests);
    assert.equal(questions.length, 1);
    assert.equal(questions[0]?.method, 'elicitation/create');
    assert.equal(questions[0]?.params.message, 'Who are you?');
    assertAnswered(await call(server, 'elicit', resume));
    const again = await call(server, 'elicit', resume);
    assert.equal(again.message.error?.code, -32602, 'a conversation that has ended cannot be taken up again');
  });

  test(`[ERA-21] over ${server}, a resumed call that the agent closes is cancelled at the server`, async () => {
    const { resume } = await park(server, 'elicit_then_wait');
    const { id } = await waitForEntry(
      journals[server],
      ({ event, name }) => event === 'tool' && name === 'elicit_then_wait',
    );
    const before = readJournal(journals[server]).length;
    const closingCall = new AbortController();
    const resumed = call(server, 'elicit_then_wait', resume, closingCall.signal);
    await waitForEntry(journals[server], ({ event }, at) => event === 'response' && at >= before);
    closingCall.abort();
    await assert.rejects(resumed);
    await waitForEntry(journals[server], (entry) => entry.event === 'cancelled' && entry.id === id);
  });

  test(`[ERA-22] over ${server}, a question that the server takes back does not keep the call`, async () => {
    const { resume } = await park(server, 'withdraw');
    await call(server, 'take_back');
    await waitForEntry(journals[server], ({ how }) => how === 'withdrawn');
    const { message } = await call(server, 'withdraw', resume);
    assert.deepEqual((message.result as Dict).content, [{ type: 'text', text: 'went on without' }]);
    const url = `${gateway.url}/servers/${server}/mcp?names=plain`;
    let isWithdrawn = false;
    const onQuestion = async (_method: string, signal: AbortSignal) => {
      const withdrawn = once(signal, 'abort');
      await call(server, 'take_back');
      await withdrawn;
      isWithdrawn = true;
    };
    await using agent = await connectAgent('v1', url, { headers: gateway.agentHeaders, onQuestion });
    assert.equal(await agent.say('withdraw'), 'went on without');
    await eventually('the agent hears that nobody waits for its answer any more', () => isWithdrawn || undefined);
  });
}

test('[ERA-23] another principal cannot take up a call, and the right one still can', async () => {
  const { resume } = await park('stdio', 'elicit');
  const url = `${gateway.url}/servers/stdio/mcp?names=plain`;
  const params = { name: 'elicit', arguments: {}, ...resume };
  const stolen = await askModern(url, gateway.ownerHeaders, 'tools/call', params, ABLE);
  assert.equal(stolen.message.error?.code, -32602);
  assertAnswered(await call('stdio', 'elicit', resume));
});

test('[ERA-24] a call is not taken up with other arguments, for another tool or at another server', async () => {
  const { resume } = await park('stdio', 'elicit');
  const others: [Server, string, Dict][] = [
    ['stdio', 'elicit', { arguments: { message: 'Something else?' } }],
    ['stdio', 'echo', {}],
    ['http', 'elicit', {}],
  ];
  for (const [server, tool, more] of others) {
    const { message } = await call(server, tool, { ...resume, ...more });
    assert.equal(message.error?.code, -32602, `${server} ${tool}`);
  }
  assertAnswered(await call('stdio', 'elicit', resume));
});

test('[ERA-25] a request state that was tampered with or never given out is refused as invalid', async () => {
  const { asked, resume } = await park('stdio', 'elicit');
  const state = asked.requestState;
  const flipped = state.slice(0, -1) + (state.endsWith('A') ? 'B' : 'A');
  for (const requestState of [
    flipped,
    `${state}x`,
    state.slice(0, -1),
    'toolcrib-call.',
    `toolcrib-call.${'A'.repeat(22)}`,
  ]) {
    const { status, message } = await call('stdio', 'elicit', { ...resume, requestState });
    assert.deepEqual([status, message.error?.code], [200, -32602], requestState);
    assert.doesNotMatch(JSON.stringify(message), new RegExp(state.slice(15)));
  }
  assertAnswered(await call('stdio', 'elicit', resume));
});

test('[ERA-26] without all answers the question is put again, and an unknown answer is passed over', async () => {
  const { asked, resume } = await park('http', 'elicit');
  const inputResponses = { 'nobody-asked': { action: 'accept' } };
  const again = (await call('http', 'elicit', { ...resume, inputResponses })).message
    .result as unknown as InputRequired;
  assert.deepEqual([again.resultType, again.inputRequests], ['input_required', asked.inputRequests]);
  assertAnswered(await call('http', 'elicit', { ...resume, requestState: again.requestState }));
});

test('[ERA-27] the time that an agent takes to answer is not counted against the server', async () => {
  const { resume } = await park('hasty', 'elicit');
  // Another server is the clock: it works longer than the first one would be given.
  assert.equal((await call('http', 'slow', { arguments: { ms: 2_500 } })).message.error, undefined);
  assertAnswered(await call('hasty', 'elicit', resume));
  const late = await call('hasty', 'slow', { arguments: { ms: 60_000 } });
  assert.match(JSON.stringify(late.message), /TIMEOUT/, 'and the time that the server itself takes still is');
});

for (const server of ['stdio', 'http'] as const) {
  test(`[ERA-28] over ${server}, a legacy agent that cancels while it is being asked frees the question and the server`, async () => {
    const url = `${gateway.url}/servers/${server}/mcp?names=plain`;
    const asked = Promise.withResolvers<AbortSignal>();
    const onQuestion = (_method: string, signal: AbortSignal) => {
      asked.resolve(signal);
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    };
    const agent = await connectAgent('v2 legacy', url, { headers: gateway.agentHeaders, onQuestion });
    const before = readJournal(journals[server]).length;
    const cancelling = new AbortController();
    const hanging = agent.call('elicit', {}, { signal: cancelling.signal });
    const question = await asked.promise;
    const withdrawn = new Promise((resolve) => question.addEventListener('abort', resolve));
    const { id } = await waitForEntry(
      journals[server],
      ({ event, name }, at) => event === 'tool' && name === 'elicit' && at >= before,
    );
    cancelling.abort();
    await assert.rejects(hanging);
    await waitForEntry(journals[server], (entry, at) => entry.event === 'cancelled' && entry.id === id && at >= before);
    await withdrawn;
    await agent[Symbol.asyncDispose]();
  });
}

test('[ERA-29] a gateway that closes ends the calls that wait and tells their servers', async () => {
  const journal = newJournal();
  const own = await openTestGateway({ servers: { stdio: serverCommand({ tools: TOOLS, journal }) } });
  const url = `${own.url}/servers/stdio/mcp?names=plain`;
  const { message } = await askModern(url, own.agentHeaders, 'tools/call', { name: 'elicit' }, ABLE);
  assert.equal((message.result as Dict).resultType, 'input_required');
  const { id } = await waitForEntry(journal, ({ event }) => event === 'tool');
  await own.close();
  await waitForEntry(journal, (entry) => entry.event === 'cancelled' && entry.id === id);
  await waitForEntry(journal, ({ event }) => event === 'exit');
});
