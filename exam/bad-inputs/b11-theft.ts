/** B11: a thief with a token of its own and everything that it could overhear of a victim: sessions, states, results, codes, browsers. */

import { setTimeout as pause } from 'node:timers/promises';
import { askModern, type EventReader, openModernStream, RawSession } from '../../test/kit/hand-made.ts';
import type { Check } from '../check.ts';
import { ERAS } from '../kit/agent-requests.ts';
import { knock } from '../kit/knock.ts';
import { makeToken, operate, order } from '../kit/owner.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

type Headers = Record<string, string>;

const sizes = { quick: { ids: 120 }, full: { ids: 10_000 } };
const canAnswer = { elicitation: {} };
const name = { action: 'accept', content: { name: 'Victim' } };

/** The two of them, with the headers of their tokens. */
interface Two {
  readonly setup: Setup;
  readonly victim: Headers;
  readonly thief: Headers;
  readonly door: string;
}

export const theft: Check = {
  id: 'B11',
  kind: 'bad inputs',
  title: 'Theft of sessions, states and handles',
  passes: 'whatever the thief brings is refused, the victim goes on, and no id can be guessed from others',
  eras: ERAS,
  isAboutStore: true,
  open: ['tasks, which no server behind the gateway offers'],
  async run(rig, size) {
    const setup = await rig.open({
      servers: {
        local: { entry: { permissions: { count: 'ask' } } },
        modern: { era: 'modern' },
        big: { tools: [{ name: 'lines', runAs: 'lines' }] },
      },
      config: { limits: { failedSignInsPerMinute: 0 } },
    });
    // Connections that are kept for later would count among the open files of the gateway.
    const bearer = async (who: string) => ({
      authorization: `Bearer ${await makeToken(setup, who)}`,
      connection: 'close',
    });
    const door = `${setup.gateway.url}/mcp?surface=direct`;
    const two = { setup, door, victim: await bearer('victim'), thief: await bearer('thief') };
    await rig.part('sessions', () => sessions(rig, two));
    await rig.part('questions', () => questions(rig, two));
    for (const server of ['local', 'modern']) await rig.part(`states, ${server}`, () => states(rig, two, server));
    await rig.part('subscriptions', () => subscriptions(rig, two));
    await rig.part('results', () => results(rig, two));
    await rig.part('approvals', () => approvals(rig, two));
    await rig.part('browsers', () => browsers(rig, two));
    await rig.part('ids', () => ids(rig, two, sizes[size].ids));
  },
};

/** Counts an attempt, and writes it down where it worked. */
function refused(rig: Rig, title: string, isRefused: boolean, got: unknown): void {
  rig.figures.attempts = Number(rig.figures.attempts ?? 0) + 1;
  rig.expect(isRefused, () => `${title} got ${JSON.stringify(got)?.slice(0, 300)}`);
}

async function sessions(rig: Rig, { setup, door, victim, thief }: Two): Promise<void> {
  const session = await RawSession.open(door, victim);
  using stream = await session.listen();
  const own = await RawSession.open(door, thief);
  const id = session.headers['mcp-session-id'] ?? '';
  const spellings = [
    id,
    `${id} `,
    id.toUpperCase(),
    `${id}=`,
    id.slice(0, -1),
    `${id},${own.headers['mcp-session-id']}`,
  ];
  const tokens: [string, Headers][] = [
    ['thief', thief],
    ['owner', { authorization: `Bearer ${setup.gateway.ownerToken}` }],
  ];
  for (const [who, headers] of tokens) {
    for (const spelling of spellings) {
      const stolen = { ...headers, 'mcp-session-id': spelling };
      const posted = await session.send({ jsonrpc: '2.0', id: 5, method: 'tools/list' }, stolen);
      refused(rig, `POST by ${who}`, posted.status === 404, posted.status);
      for (const method of ['GET', 'DELETE']) {
        const status = await statusOf(rig, setup, method, { ...stolen, accept: 'text/event-stream' });
        refused(rig, `${method} by ${who}`, status === 404, status);
      }
      const resumed = await statusOf(rig, setup, 'GET', {
        ...stolen,
        accept: 'text/event-stream',
        'last-event-id': '1-0',
      });
      refused(rig, `a resumption by ${who}`, resumed === 404, resumed);
    }
  }
  // Without any token the id is no credential, and a session works only at the door it was opened at.
  const bare = await statusOf(rig, setup, 'GET', { 'mcp-session-id': id, accept: 'text/event-stream' });
  refused(rig, 'a session id alone', bare === 401, bare);
  const elsewhere = await fetch(`${setup.gateway.url}/mcp?surface=full`, {
    method: 'DELETE',
    headers: { ...victim, 'mcp-session-id': id },
  });
  refused(rig, 'a session at another door', elsewhere.status === 404, elsewhere.status);
  rig.expect((await session.request('ping')).status === 200, 'The session of the victim is gone.');
  rig.expect(stream.status === 200, 'The stream of the victim is gone.');
}

async function statusOf(rig: Rig, setup: Setup, method: string, headers: Headers): Promise<number> {
  const request = { method, path: '/mcp?surface=direct', headers: Object.entries(headers) };
  return (await knock(rig.history, setup.gateway.url, request)).status;
}

/** A question that waits in the victim's session is not answered, cancelled or heard by anybody else. */
async function questions(rig: Rig, { door, victim, thief }: Two): Promise<void> {
  const session = await RawSession.open(door, victim, { capabilities: canAnswer });
  const own = await RawSession.open(door, thief, { capabilities: canAnswer });
  using heard = await own.listen();
  using call = await session.stream('tools/call', { name: 'local.elicit', arguments: {} });
  const asked = await call.message();
  const forged = { jsonrpc: '2.0', id: asked.id, result: { action: 'accept', content: { name: 'Thief' } } };
  const inside = await session.send(forged, thief);
  refused(rig, 'an answer in the session of the victim', inside.status === 404, inside.status);
  await own.send(forged);
  for (const requestId of [0, 1, 2, asked.id])
    await own.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  await own.request('ping');
  await session.send({ jsonrpc: '2.0', id: asked.id, result: name });
  const answer = JSON.stringify(await call.message());
  refused(rig, 'an answer in a session of its own', answer.includes('Victim') && !answer.includes('Thief'), answer);
  const overheard = await Promise.race([heard.message(), pause(200, undefined)]).catch(() => undefined);
  refused(rig, 'listening', overheard === undefined, overheard);
}

/** A call that waits for input goes on for its own principal, its own tool and its own arguments, and once. */
async function states(rig: Rig, { setup, door, victim, thief }: Two, server: string): Promise<void> {
  const params = { name: `${server}.elicit`, arguments: { message: 'Who?' } };
  const options = { capabilities: canAnswer };
  const begun = await askModern(door, victim, 'tools/call', params, options);
  const result = begun.message.result as { requestState?: string; inputRequests?: Record<string, unknown> } | undefined;
  const { requestState, inputRequests = {} } = result ?? {};
  if (requestState === undefined)
    return rig.fault(`${server}: nothing waits: ${JSON.stringify(begun.message).slice(0, 300)}`);
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, name]));
  const goOn = async (headers: Headers, more: Record<string, unknown> = {}, at = door) => {
    const { message } = await askModern(
      at,
      headers,
      'tools/call',
      { ...params, requestState, inputResponses, ...more },
      options,
    );
    return JSON.stringify(message);
  };
  const isNo = (text: string) => !text.includes('Victim') && text.includes('"error"');
  const owner = { authorization: `Bearer ${setup.gateway.ownerToken}` };
  const tries: [string, () => Promise<string>][] = [
    ['the thief', () => goOn(thief)],
    ['the owner', () => goOn(owner)],
    ['another tool', () => goOn(victim, { name: `${server}.echo`, arguments: { text: 'Who?' } })],
    ['other arguments', () => goOn(victim, { arguments: { message: 'Other?' } })],
    ['a changed state', () => goOn(victim, { requestState: flipped(requestState) })],
    ['a longer state', () => goOn(victim, { requestState: `${requestState}A` })],
    ['an empty state', () => goOn(thief, { requestState: '' })],
    ['no text', () => goOn(thief, { requestState: { $ne: null } })],
  ];
  const unknown = await goOn(thief, { requestState: flipped(requestState) });
  for (const [who, attempt] of tries) {
    const text = await attempt();
    // An empty state is none, so the call starts over and asks the thief itself.
    const isFine = isNo(text) || (who === 'an empty state' && !text.includes('Victim'));
    refused(rig, `${server}, ${who}`, isFine, text);
    if (who === 'the thief') refused(rig, `${server}, the words`, text === unknown, [text, unknown]);
  }
  const mine = await goOn(victim);
  rig.expect(mine.includes('Victim'), () => `${server}: the victim cannot go on: ${mine.slice(0, 300)}`);
  const again = await goOn(thief);
  refused(rig, `${server}, the thief afterwards`, isNo(again), again);
}

function flipped(text: string): string {
  const at = text.length - 2;
  return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
}

/** An agent can neither end the watches of another nor hear of them by using the same ids. */
async function subscriptions(rig: Rig, { door, victim, thief }: Two): Promise<void> {
  const uri = 'test://local/live';
  const session = await RawSession.open(door, victim);
  using stream = await session.listen();
  await session.request('resources/subscribe', { uri });
  const watching = { notifications: { resourceSubscriptions: [uri] } };
  using modern = await openModernStream(door, victim, 'subscriptions/listen', watching);
  await modern.message();
  const own = await RawSession.open(door, thief);
  await own.request('resources/unsubscribe', { uri });
  // The same id as the victim's, for nothing at all.
  using nothing = await openModernStream(door, thief, 'subscriptions/listen', {
    notifications: { toolsListChanged: true },
  });
  await nothing.message();
  await own.request('tools/call', { name: 'local.touch', arguments: {} });
  for (const [who, reader] of Object.entries({ legacy: stream, modern }))
    refused(rig, `${who}, ending what the victim watches`, (await told(reader)).includes(uri), 'silence');
  refused(rig, 'listening with the same id', !(await told(nothing)).includes(uri), 'an update');
}

async function told(reader: EventReader): Promise<string> {
  const message = await Promise.race([reader.message(), pause(2_000, undefined, { ref: false })]).catch(
    () => undefined,
  );
  return JSON.stringify(message ?? '');
}

async function results(rig: Rig, { setup, door, victim, thief }: Two): Promise<void> {
  const { message } = await askModern(door, victim, 'tools/call', { name: 'big.lines', arguments: { count: 5_000 } });
  const uri = /toolcrib:\/\/result\/[\w-]+/.exec(JSON.stringify(message))?.[0];
  if (uri === undefined) return rig.fault('A large result was not kept.');
  const absent = flipped(uri);
  const stolen = await askModern(door, thief, 'resources/read', { uri });
  const guessed = await askModern(door, thief, 'resources/read', { uri: absent });
  const words = (answer: typeof stolen, own: string) => JSON.stringify(answer.message).replaceAll(own, 'URI');
  refused(rig, 'a kept result', words(stolen, uri) === words(guessed, absent), stolen.message);
  const session = await RawSession.open(door, thief);
  for (const method of ['resources/read', 'resources/subscribe']) {
    const answer = await session.request(method, { uri });
    refused(rig, `${method} of a kept result`, answer.message.error !== undefined, answer.message);
  }
  const id = uri.slice('toolcrib://result/'.length);
  for (const code of [`return await load('${id}')`, `return await load('${uri}')`]) {
    const params = { name: 'call_tool_chain', arguments: { code } };
    const chained = await askModern(`${setup.gateway.url}/mcp?surface=full`, thief, 'tools/call', params);
    refused(rig, 'a program', !JSON.stringify(chained.message).includes('line 4'), chained.message);
  }
  const mine = await askModern(door, victim, 'resources/read', { uri });
  rig.expect(mine.message.result !== undefined, 'The victim cannot read its result.');
}

async function approvals(rig: Rig, { setup, door, victim, thief }: Two): Promise<void> {
  const call = { name: 'local.count', arguments: {} };
  const runs = () =>
    setup
      .server('local')
      .noted('tool')
      .filter(({ name: tool }) => tool === 'count').length;
  await askModern(door, victim, 'tools/call', call);
  const [waiting] = await order(setup, 'approvals.list', {});
  if (waiting === undefined) return rig.fault('No call waits for approval.');
  const token = thief.authorization?.replace('Bearer ', '') ?? '';
  for (const operation of ['approvals.list', 'approvals.answer', 'approvals.lasting', 'approvals.forget']) {
    const { status } = await operate(setup, token, operation, { id: waiting.id, answer: 'always' });
    refused(rig, operation, status === 403, status);
  }
  const meta = { projectId: '', token: setup.gateway.ownerToken };
  await askModern(door, thief, 'tools/call', { ...call, approvalId: waiting.id, requestState: waiting.id }, { meta });
  await order(setup, 'approvals.answer', { id: waiting.id, answer: 'once' });
  await askModern(door, thief, 'tools/call', call);
  refused(rig, 'an approval of another', runs() === 0, runs());
  await askModern(door, victim, 'tools/call', call);
  rig.expect(runs() === 1, `The approved call ran ${runs()} times.`);
  await askModern(door, victim, 'tools/call', call);
  refused(rig, 'an approval for once, again', runs() === 1, runs());
}

async function browsers(rig: Rig, { setup, thief }: Two): Promise<void> {
  const { url } = setup.gateway;
  const get = (path: string, headers: readonly (readonly [string, string])[] = [], method = 'GET') =>
    knock(rig.history, url, { method, path, headers });
  const token = thief.authorization?.replace('Bearer ', '') ?? '';
  const asked = await operate(setup, token, 'gateway.signInLink');
  refused(rig, 'a link for a thief', asked.status === 403, asked);
  const { hash } = new URL((await order(setup, 'gateway.signInLink', {})).url);
  const code = hash.replace('#code=', '');
  const redeem = (guess: string) =>
    knock(rig.history, url, {
      method: 'POST',
      path: '/sign-in',
      headers: [
        ['Origin', url],
        ['Content-Type', 'application/json'],
      ],
      body: JSON.stringify({ code: guess }),
    });
  for (const bad of ['', `${code}A`, code.slice(0, -1), flipped(code), code.toUpperCase()]) {
    const { status } = await redeem(bad);
    refused(rig, 'a guessed code', status === 401, status);
  }
  const opened = await redeem(code);
  const own = opened.status === 200 ? (JSON.parse(opened.body) as { token: string }).token : '';
  rig.expect(own !== '', `The link does not sign in: ${opened.status}`);
  const again = await redeem(code);
  refused(rig, 'a code that was used', again.status === 401, again.status);
  const bearing = (value: string) => [['Authorization', `Bearer ${value}`]] as const;
  const described = '/api/openapi.json';
  rig.expect((await get(described, bearing(own))).status === 200, 'The token does not work.');
  for (const headers of [bearing(flipped(own)), bearing(code), [['Cookie', `toolcrib=${own}`]] as const]) {
    for (const at of [described, '/mcp']) {
      const { status } = await get(at, headers);
      refused(rig, `${headers.join()} at ${at}`, status === 401, status);
    }
  }
  const doors = await get('/gateway/mcp', [...bearing(own), ['Accept', 'text/event-stream']]);
  refused(rig, "a browser's token at a door", doors.status === 401, doors.status);
  await get('/sign-out', bearing(own), 'POST');
  const late = await get(described, bearing(own));
  refused(rig, 'a token that was given back', late.status === 401, late.status);
}

/** No two are alike, and none says anything about the next. */
async function ids(rig: Rig, { door, victim }: Two, count: number): Promise<void> {
  const made: string[] = [];
  while (made.length < count) {
    const batch = await Promise.all(Array.from({ length: 20 }, () => RawSession.open(door, victim)));
    made.push(...batch.map(({ headers }) => headers['mcp-session-id'] ?? ''));
  }
  rig.figure('ids', made.length);
  rig.expect(new Set(made).size === made.length, 'A session id came twice.');
  // In front of a point, an id names the gateway that made it.
  const drawn = made.map((id) => id.slice(id.lastIndexOf('.') + 1));
  const lengths = new Set(drawn.map(({ length }) => length));
  const letters = new Set(drawn.join(''));
  const [length = 0] = lengths;
  rig.expect(
    lengths.size === 1 && length * Math.log2(letters.size) >= 128,
    `Ids of ${[...lengths].join()} characters out of ${letters.size} are too short.`,
  );
  // In a place of few values at its end a code for 128 bits has fewer, everywhere else all of them.
  const varied = Array.from({ length }, (_, at) => new Set(drawn.map((id) => id[at])).size);
  rig.figure('least variety', Math.min(...varied.slice(0, -1)));
  rig.expect(
    varied.slice(0, -1).every((kinds) => kinds >= 32),
    `Places of ids have only ${varied.join()} values.`,
  );
}
