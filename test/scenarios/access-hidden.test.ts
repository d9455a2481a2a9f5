/** A tool that is kept from an agent reads, on every path and in both eras, like one that is not there at all. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { HIDDEN, type Looker, lookEverywhere, probes, steady, watchEverything } from '../kit/every-path.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { untilCompared } from '../kit/search-requests.ts';
import { hostedServer } from '../servers/hosted.ts';
import { newJournal, readJournal } from '../servers/launch.ts';

type Dict = Record<string, unknown>;

const { server, tool, alias } = HIDDEN;
const text = { type: 'string' };
const WIPE = { name: tool, description: 'Wipes the whole disk clean.', respond: said('WIPED') };
const FILES = [
  { name: 'read_file', description: 'Reads a file.', inputSchema: { type: 'object', properties: { path: text } } },
  { name: 'list_files', description: 'Lists the files of a folder.', respond: said('none') },
];
const MAIL = [
  { name: 'send_mail', description: 'Sends an e-mail.', respond: said('sent') },
  { name: 'erase_disk', description: 'Erases the whole disk clean.', runAs: 'fail' },
];

function said(words: string): Dict {
  return { content: [{ type: 'text', text: words }] };
}

function filesServer(tools: readonly Dict[], journal: string, more: Dict = {}): Dict {
  const spec = {
    name: server,
    tools: tools as never,
    resources: [
      { uri: 'files://note', name: 'note', text: 'a note' },
      { uri: 'shared://note', name: 'shared', text: 'of files' },
    ],
    prompts: [{ name: 'greet', text: 'Hello {name}', arguments: [{ name: 'name', values: ['Ann', 'Bob'] }] }],
    journal,
  };
  return { ...hostedServer(spec), aliases: { [alias]: tool }, ...more };
}

const mail = () =>
  hostedServer({
    name: 'mail',
    tools: MAIL as never,
    resources: [{ uri: 'shared://note', name: 'shared', text: 'of mail' }],
  });

/** How the tool is kept from the one who looks, and a gateway that has no such thing. */
interface Variant {
  /** The settings of the server; undefined: there is no such server. */
  readonly files?: Dict | undefined;
  readonly config?: Dict;
  /** True if the server has the tool. */
  readonly hasTool: boolean;
  readonly looker?: (gateway: TestGateway) => Promise<Looker> | Looker;
}

interface Pair {
  readonly hidden: Variant;
  readonly absent: Variant;
}

const agent = ({ agentHeaders }: TestGateway): Looker => ({ headers: agentHeaders });
const inShop = ({ agentHeaders }: TestGateway): Looker => ({ headers: agentHeaders, project: 'shop' });
const withToken =
  (wish: Dict) =>
  async ({ gateway }: TestGateway): Promise<Looker> => {
    const { token } = (await gateway.admin.run('tokens.create', {
      name: 'limited',
      scopes: ['use'],
      ...wish,
    } as never)) as {
      token: string;
    };
    return { headers: { authorization: `Bearer ${token}` } };
  };
const shop = (settings: Dict) => ({ projects: { shop: { servers: ['*'], ...settings } } });
const noTool: Variant = { files: {}, hasTool: false };
const noServer: Variant = { hasTool: false };

const pairs: Readonly<Record<string, Pair>> = {
  'denied by the server': {
    hidden: { files: { permissions: { [tool]: 'deny' } }, hasTool: true },
    absent: { ...noTool, files: { permissions: { x: 'deny' } } },
  },
  'denied by a pattern of the server': {
    hidden: { files: { permissions: { 'wipe_*': 'deny', '*': 'allow' } }, hasTool: true },
    absent: { ...noTool, files: { permissions: { x: 'deny' } } },
  },
  'not among the exposed tools': {
    hidden: { files: { tools: ['read_*', 'list_files'] }, hasTool: true },
    absent: { ...noTool, files: { tools: ['read_*', 'list_files'] } },
  },
  'denied by the project': {
    hidden: {
      files: {},
      config: shop({ permissions: { [`${server}:wipe_*`]: 'deny' } }),
      hasTool: true,
      looker: inShop,
    },
    absent: { ...noTool, config: shop({ permissions: { 'x:y': 'deny' } }), looker: inShop },
  },
  'denied by the project of the token': {
    hidden: {
      files: {},
      config: shop({ permissions: { '*:wipe_*': 'deny' } }),
      hasTool: true,
      looker: withToken({ project: 'shop' }),
    },
    absent: { ...noTool, config: shop({ permissions: { 'x:y': 'deny' } }), looker: withToken({ project: 'shop' }) },
  },
  'on a server that the token has no access to': {
    hidden: { files: {}, hasTool: true, looker: withToken({ servers: ['m*'] }) },
    absent: { ...noServer, looker: withToken({ servers: ['m*'] }) },
  },
  'on a server of another project': {
    hidden: {
      files: { projects: ['office'] },
      config: { projects: { shop: { servers: ['mail'] } } },
      hasTool: true,
      looker: inShop,
    },
    absent: { ...noServer, config: { projects: { shop: { servers: ['mail'] } } }, looker: inShop },
  },
  'on a server that is off': { hidden: { files: { enabled: false }, hasTool: true }, absent: noServer },
};

async function open({ files, config = {}, hasTool }: Variant, journal: string): Promise<TestGateway> {
  const tools = hasTool ? [...FILES, WIPE] : FILES;
  const servers = { ...(files && { files: filesServer(tools, journal, files) }), mail: mail() };
  const gateway = await openTestGateway({ servers, config });
  await gateway.gateway.admin.run('servers.refresh', {});
  // Everybody gets the text before that.
  await untilCompared(gateway);
  return gateway;
}

/** Where the owner can call the tool, it was called before: what others did is not to be seen either. */
async function useIt({ url, ownerHeaders }: TestGateway): Promise<void> {
  const body = JSON.stringify({ toolKey: `${server}:${tool}`, arguments: {} });
  const headers = { ...ownerHeaders, 'content-type': 'application/json' };
  for (let at = 0; at < 3; at += 1) await fetch(`${url}/api/tools/call`, { method: 'POST', headers, body });
}

/** A gateway that keeps the tool from somebody, and one that has no such thing, with what that somebody brings to each. */
class Setup {
  readonly title: string;
  readonly journal = newJournal();
  readonly #pair: Pair;
  #opened: readonly [keeping: TestGateway, lacking: TestGateway] | undefined;
  #lookers: readonly [Looker, Looker] | undefined;

  constructor(title: string, pair: Pair) {
    this.title = title;
    this.#pair = pair;
  }

  async open(): Promise<void> {
    const { hidden, absent } = this.#pair;
    const [keeping, lacking] = await Promise.all([open(hidden, this.journal), open(absent, newJournal())]);
    this.#opened = [keeping, lacking];
    await useIt(keeping);
    this.#lookers = [await (hidden.looker ?? agent)(keeping), await (absent.looker ?? agent)(lacking)];
  }

  /** The views of the gateway that hides the tool, and of the one without it. */
  async look<T>(see: (gateway: TestGateway, looker: Looker) => Promise<T>): Promise<[seen: T, expected: T]> {
    assert.ok(this.#opened && this.#lookers, 'the setup is open');
    const [keeping, lacking] = this.#opened;
    const [one, other] = this.#lookers;
    return Promise.all([see(keeping, one), see(lacking, other)]);
  }

  async close(): Promise<void> {
    await Promise.all((this.#opened ?? []).map((gateway) => gateway.close()));
  }
}

/** A viewer of every path finds exactly the same as if the hidden tool did not exist. */
async function readsLikeNothing(era: 'modern' | 'legacy', setup: Setup): Promise<void> {
  const { title, journal } = setup;
  const before = callsIn(journal);
  const [seen, expected] = await setup.look(async (gateway, looker) => ({
    answers: await lookEverywhere(era, gateway, looker, askedIn(era, title)),
    watched: await watchEverything(era, gateway, looker),
  }));
  for (const [probe, answer] of expected.answers)
    assert.equal(seen.answers.get(probe), answer, `${title}, ${era}: ${probe}`);
  assert.deepEqual(seen.watched, expected.watched, `${title}, ${era}: subscriptions`);
  const executed = callsIn(journal).slice(before.length);
  assert.deepEqual(
    executed.filter((name) => name === tool),
    [],
  );
  const all = JSON.stringify([...seen.answers.values()]);
  assert.ok(!all.includes('WIPED') && !all.includes('Wipes the whole disk'));
}

const isFull = process.env.TOOLCRIB_TEST_FULL === '1';

/** The eras differ in the way to the endpoint, not in what it answers: each path is tried with every pair in one of the two. */
function askedIn(era: 'modern' | 'legacy', title: string): typeof probes {
  if (isFull) return probes;
  const turn = Object.keys(pairs).indexOf(title) + (era === 'modern' ? 1 : 0);
  return probes.filter((_, at) => (at + turn) % 2 === 0);
}

const askedByPrograms = new Set([
  'denied by the server',
  'denied by the project of the token',
  'on a server that the token has no access to',
]);

for (const [title, pair] of Object.entries(pairs)) {
  const promise = `a tool that is ${title} is not executed, described or counted on any path`;
  describe(title, () => {
    const setup = new Setup(title, pair);
    before(() => setup.open());
    after(() => setup.close());
    // First, because these answers have every digit of a rank, and ranks change with each call and with time.
    if (askedByPrograms.delete(title))
      test(`[ACC-33] the search for programs and the API tell nothing of a tool that is ${title}`, () =>
        answersLikeNothing(setup));
    test(`[ACC-30] modern: ${promise}`, () => readsLikeNothing('modern', setup));
    test(`[ACC-31] legacy: ${promise}`, () => readsLikeNothing('legacy', setup));
  });
}
assert.equal(askedByPrograms.size, 0, 'each of them is a pair');

function callsIn(journal: string): string[] {
  return readJournal(journal)
    .filter(({ event }) => event === 'tool')
    .map(({ name }) => String(name));
}

test('[ACC-32] these paths show the tool and its server to who may see them, so that a look can tell', async () => {
  await using having = await open({ files: {}, hasTool: true }, newJournal());
  await using withoutTool = await open(noTool, newJournal());
  await using withoutServer = await open(noServer, newJournal());
  await useIt(having);
  for (const era of ['modern', 'legacy'] as const) {
    const [seen, ...lacking] = await Promise.all(
      [having, withoutTool, withoutServer].map((gateway) => lookEverywhere(era, gateway, agent(gateway))),
    );
    const isBlind = ([probe, answer]: [string, string]) => lacking.every((other) => other.get(probe) === answer);
    assert.deepEqual(
      [...(seen ?? [])].filter(isBlind).map(([probe]) => probe),
      [],
    );
    assert.match(seen?.get('tool_execute {"toolKey":"files:wd"}') ?? '', /WIPED/);
    const watched = await Promise.all(
      [having, withoutTool, withoutServer].map((gateway) => watchEverything(era, gateway, agent(gateway))),
    );
    assert.equal(new Set(watched.map((answers) => answers.join())).size, 3);
  }
});

async function answersLikeNothing(setup: Setup): Promise<void> {
  const looks: [string, Dict][] = [
    ['/catalog/search', { query: HIDDEN.need, maxResults: 100 }],
    ['/catalog/search', { query: [tool, server] }],
    ['/api/tools/list', {}],
    ['/api/tools/list', { server }],
    ['/api/tools/search', { query: HIDDEN.need, limit: 100 }],
    ['/api/tools/recommend', { task: HIDDEN.need }],
    ['/api/tools/info', { toolKey: `${server}:${tool}` }],
    ['/api/tools/info', { toolKey: `${server}:${tool}s` }],
    ['/api/tools/call', { toolKey: `${server}:${tool}` }],
    ['/api/tools/call', { toolKey: `${server}:${alias}` }],
    ['/api/tools/chain', { code: `return await call('${server}:${tool}', {})` }],
    ['/api/metrics/tools', { server, tool }],
    ['/api/metrics/days', { server, tool }],
    ['/api/metrics/series', { span: 'day', server, tool }],
    ['/api/usage/overview', {}],
    ['/api/servers/list', {}],
    ['/api/servers/output', { name: server }],
    ['/api/projects/list', {}],
    ['/api/search/status', {}],
  ];
  const [seen, expected] = await setup.look(async ({ url }, looker) => {
    const headers = { ...looker.headers, 'content-type': 'application/json' };
    const all: [string, string][] = [];
    for (const [path, body] of looks) {
      const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      all.push([`${path} ${JSON.stringify(body)}`, steady([response.status, await response.json()])]);
    }
    return all;
  });
  for (const [at, [look, answer]] of expected.entries()) assert.deepEqual(seen[at], [look, answer], setup.title);
}
