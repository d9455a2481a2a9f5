/** B14: a tool that is denied, tried on every path there is; what comes back is compared with a gateway whose server has no such tool. */

import { HIDDEN, type Looker, lookEverywhere, probes, steady, watchEverything } from '../../test/kit/every-path.ts';
import { eventually } from '../../test/kit/processes.ts';
import { connectStdio, toolcribStdio } from '../../test/kit/stdio-agent.ts';
import type { ToolSpec } from '../../test/servers/spec.ts';
import type { Check } from '../check.ts';
import { type Dict, ERAS, type Era } from '../kit/agent-requests.ts';
import { runCommand } from '../kit/command-line.ts';
import { makeToken, operate, order } from '../kit/owner.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup, SetupPlan } from '../kit/setup.ts';

const { server, tool, alias, need } = HIDDEN;
/** A text that nothing else holds: found anywhere, it was leaked. */
const secretWords = ['WIPED', 'Wipes the whole disk', 'pattern_of_wiping'];
const said = (text: string): Dict => ({ content: [{ type: 'text', text }] });

const wipe: ToolSpec = {
  name: tool,
  description: 'Wipes the whole disk clean.',
  inputSchema: { type: 'object', properties: { pattern_of_wiping: { type: 'string' } } },
  respond: said('WIPED'),
};
const harmless: readonly ToolSpec[] = [
  { name: 'read_file', description: 'Reads a file.', inputSchema: { type: 'object' }, respond: said('read') },
  { name: 'list_files', description: 'Lists the files of a folder.', respond: said('none') },
];
const mail: readonly ToolSpec[] = [
  { name: 'send_mail', description: 'Sends an e-mail.', respond: said('sent') },
  { name: 'erase_disk', description: 'Erases the whole disk clean.', runAs: 'fail' },
];

/** How the tool is hidden from the viewer. */
interface Variant {
  readonly title: string;
  /** Members of the server's entry. */
  readonly entry: Dict;
  readonly lookers: Readonly<Record<string, (setup: Setup) => Promise<Looker>>>;
  /** True if somebody else can see it in the same gateway. */
  readonly isSeenByOthers?: boolean;
}

/** Everybody who looks sees these two alone: what happens on the sibling is different in each gateway. */
const shown = [server, 'mail'];
const asAgent = async (setup: Setup): Promise<Looker> => {
  return { headers: bearer(await makeToken(setup, 'plain', { servers: shown })) };
};
const inShop = async (setup: Setup): Promise<Looker> => {
  return { headers: bearer(await makeToken(setup, 'visitor', { servers: shown })), project: 'shop' };
};
const ofShop = async (setup: Setup): Promise<Looker> => {
  return { headers: bearer(await makeToken(setup, 'of-shop', { project: 'shop' })) };
};

const variants: readonly Variant[] = [
  {
    title: 'denied by a project',
    entry: {},
    lookers: { 'a token of the project': ofShop, 'the door of the project': inShop },
    isSeenByOthers: true,
  },
  { title: 'denied', entry: { permissions: { [tool]: 'deny' } }, lookers: { 'an agent': asAgent } },
  {
    title: 'not among the exposed tools',
    entry: { tools: ['read_*', 'list_files'] },
    lookers: { 'an agent': asAgent },
  },
  {
    title: 'denied by a pattern',
    entry: { permissions: { '*': 'allow', 'wipe_*': 'deny' } },
    lookers: { 'an agent': asAgent },
  },
];

export const deniedEverywhere: Check = {
  id: 'B14',
  kind: 'bad inputs',
  title: 'A denied tool on every path',
  passes: 'not executed, not described, not counted: every answer equals that of a gateway without the tool',
  eras: ERAS,
  open: ['the dashboard: it shows what the operations that are tried here answer'],
  async run(rig, size) {
    const isQuick = size === 'quick';
    // `test/scenarios/access-hidden.test.ts` tries all of them at the doors in every run, and that others see the tool there.
    for (const variant of variants.slice(0, isQuick ? 1 : variants.length)) {
      await rig.part(variant.title, async () => {
        // Both live through the same, so that their figures are the same as well.
        const keeping = await open(rig, [...harmless, wipe], variant.entry);
        const lacking = await open(rig, harmless, variant.entry);
        await useIt(keeping);
        for (const [who, looker] of Object.entries(variant.lookers).slice(0, isQuick ? 1 : undefined)) {
          const pair = { keeping, lacking, seen: await looker(keeping), expected: await looker(lacking) };
          await compare(rig, `${variant.title}, ${who}`, pair);
        }
        if (variant.isSeenByOthers === true && !isQuick) await seenByOthers(rig, keeping, lacking);
      });
    }
  },
};

async function open(rig: Rig, tools: readonly ToolSpec[], entry: Dict): Promise<Setup> {
  const plan: SetupPlan = {
    servers: {
      [server]: {
        tools,
        entry: { aliases: { [alias]: tool }, ...entry },
        resources: [
          { uri: 'files://note', name: 'note', text: 'a note' },
          { uri: 'shared://note', name: 'shared', text: 'of files' },
        ],
        prompts: [{ name: 'greet', text: 'Hello {name}', arguments: [{ name: 'name', values: ['Ann', 'Bob'] }] }],
      },
      mail: { tools: mail, resources: [{ uri: 'shared://note', name: 'shared', text: 'of mail' }] },
    },
    config: { projects: { shop: { servers: shown, permissions: { [`${server}:wipe_*`]: 'deny' } } } },
  };
  const setup = await rig.open(plan);
  await eventually('everything is compared by meaning', async () => {
    const { vectors } = await order(setup, 'search.status', {});
    if (vectors?.waiting === 0 && vectors.ready > 0) return true;
    await order(setup, 'tools.search', { query: 'anything' });
    return undefined;
  });
  return setup;
}

/** Past acts of others stay hidden, too; where nobody may see them, the request is refused. */
async function useIt(setup: Setup): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1)
    await operate(setup, setup.gateway.ownerToken, 'tools.call', { toolKey: `${server}:${tool}`, arguments: {} });
}

/** The same requests find the tool where it may be found: a path that shows nothing to anybody proves nothing. */
async function seenByOthers(rig: Rig, keeping: Setup, lacking: Setup): Promise<void> {
  const [finder, other] = [await asAgent(keeping), await asAgent(lacking)];
  for (const era of ERAS) {
    const seen = await lookEverywhere(era, keeping.gateway, finder);
    const without = await lookEverywhere(era, lacking.gateway, other);
    const telling = [...seen].filter(([probe, answer]) => without.get(probe) !== answer);
    rig.figure(`telling ${era}`, telling.length);
    rig.expect(telling.length > probes.length / 3, `${era}: only ${telling.length} paths show the tool to anybody.`);
    rig.expect(JSON.stringify([...seen.values()]).includes('WIPED'), `${era}: nobody can call the tool.`);
  }
}

interface Pair {
  readonly keeping: Setup;
  readonly lacking: Setup;
  readonly seen: Looker;
  readonly expected: Looker;
}

async function compare(rig: Rig, title: string, pair: Pair): Promise<void> {
  const before = executions(pair.keeping);
  if (rig.size === 'full') for (const era of ERAS) await compareDoors(rig, `${title}, ${era}`, era, pair);
  await compareApi(rig, title, pair);
  await compareCommands(rig, title, pair);
  await tryBridges(rig, title, pair);
  await trySpellings(rig, title, pair);
  const ran = executions(pair.keeping) - before;
  rig.expect(ran === 0, `${title}: it was executed ${ran} times.`);
}

function executions(setup: Setup): number {
  return setup
    .server(server)
    .noted('tool')
    .filter(({ name }) => name === tool).length;
}

async function compareDoors(
  rig: Rig,
  title: string,
  era: Era,
  { keeping, lacking, seen, expected }: Pair,
): Promise<void> {
  const answers = await lookEverywhere(era, keeping.gateway, seen);
  const others = await lookEverywhere(era, lacking.gateway, expected);
  rig.figure('probes each', others.size);
  for (const [probe, answer] of others) same(rig, `${title}: ${probe}`, answers.get(probe), answer);
  const watched = await watchEverything(era, keeping.gateway, seen);
  const otherwise = await watchEverything(era, lacking.gateway, expected);
  same(rig, `${title}: subscriptions`, watched.join(), otherwise.join());
}

function same(rig: Rig, title: string, said: string | undefined, otherwise: string): void {
  const [answer = '', other] = [said && withoutLatency(said), withoutLatency(otherwise)];
  rig.figures.compared = Number(rig.figures.compared ?? 0) + 1;
  rig.expect(answer === other, () => `${title}\n        ${difference(answer, other)}`);
  const told = secretWords.find((word) => answer.includes(word));
  rig.expect(told === undefined, () => `${title} tells "${told}".`);
}

/** Without durations, and without what the prober leaves to be written at this very moment. */
function withoutLatency(text: string): string {
  return text.replaceAll(/(latencyMs\\*":)\{[^}]*\}/g, '$1{}').replaceAll(/(waitingRows\\*":)\d+/g, '$1N');
}

/** The words around the first place where two texts part. */
function difference(one: string, other: string): string {
  const at = [...one].findIndex((letter, place) => letter !== other[place]);
  const from = Math.max(0, (at === -1 ? one.length : at) - 80);
  return `says …${one.slice(from, from + 240)} and elsewhere …${other.slice(from, from + 240)}`;
}

const operations: readonly (readonly [string, Dict])[] = [
  ['tools.list', {}],
  ['tools.list', { server }],
  ['tools.search', { query: need, limit: 100 }],
  ['tools.recommend', { task: need }],
  ['tools.info', { toolKey: `${server}:${tool}` }],
  ['tools.info', { toolKey: `${server}:${tool}s` }],
  ['tools.call', { toolKey: `${server}:${tool}`, arguments: {} }],
  ['tools.call', { toolKey: `${server}:${alias}`, arguments: {} }],
  ['tools.chain', { code: `return await call('${server}:${tool}', {})` }],
  ['tools.chain', { code: `return await servers.${server}.${tool}({})` }],
  ['tools.chain', { code: `return Object.keys(servers.${server})` }],
  ['metrics.tools', { server, tool }],
  ['metrics.days', { server, tool }],
  ['usage.overview', {}],
  ['servers.list', {}],
  ['servers.output', { name: server }],
  ['changes.list', {}],
  ['approvals.list', {}],
  ['audit.list', {}],
];

async function compareApi(rig: Rig, title: string, { keeping, lacking, seen, expected }: Pair): Promise<void> {
  for (const [name, input] of operations) {
    const [one, other] = await Promise.all([ask(keeping, seen, name, input), ask(lacking, expected, name, input)]);
    same(rig, `${title}: ${name} ${JSON.stringify(input)}`, one, other);
  }
}

async function ask({ gateway }: Setup, looker: Looker, name: string, input: Dict): Promise<string> {
  const path = name === 'catalog' ? '/catalog/search' : `/api/${name.replaceAll('.', '/')}`;
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { ...looker.headers, ...projectHeader(looker), 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  return steady([response.status, await response.json()]);
}

function projectHeader({ project }: Looker): Record<string, string> {
  return project === undefined ? {} : { 'x-toolcrib-project': project };
}

/** The command line with a limited token; it names no project, so that only the token's own counts. */
async function compareCommands(rig: Rig, title: string, pair: Pair): Promise<void> {
  if (pair.seen.project !== undefined) return;
  const commands = [
    ['call', `${server}:${tool}`],
    ['info', `${server}:${tool}`],
    ['tools', server],
    ['search', need],
    ['chain', `return await servers.${server}.${tool}({})`],
    ['call', `${server}:${alias}`],
    ['recommend', need],
  ];
  const run = async (setup: Setup, { headers }: Looker, argv: readonly string[]) => {
    const token = headers.authorization?.replace('Bearer ', '') ?? '';
    const { code, printed } = await runCommand(setup, [...argv, '--json'], { TOOLCRIB_TOKEN: token });
    return steady({ code, printed: withoutMs(printed) });
  };
  for (const argv of commands.slice(0, rig.size === 'quick' ? 4 : commands.length)) {
    const [one, other] = [await run(pair.keeping, pair.seen, argv), await run(pair.lacking, pair.expected, argv)];
    same(rig, `${title}: toolcrib ${argv.join(' ')}`, one, other);
  }
}

function withoutMs(text: string): string {
  return text.replaceAll(/\d+(\.\d+)? ?ms/g, 'MS').replaceAll(/"(\w*Ms|ms|latency\w*)": ?[\d.]+/g, '"$1":0');
}

async function tryBridges(rig: Rig, title: string, { keeping, seen }: Pair): Promise<void> {
  if (seen.project !== undefined) return;
  const token = seen.headers.authorization?.replace('Bearer ', '') ?? '';
  for (const kind of ['v2 legacy', 'v2 modern'] as const) {
    await using agent = await connectStdio(kind, toolcribStdio(keeping.dataDir, { TOOLCRIB_TOKEN: token }), undefined);
    const { tools } = await agent.client.listTools();
    const names = tools.map(({ name }) => name);
    rig.expect(names.includes(`${server}.read_file`), `${title}, bridge ${kind}: the other tools are not listed.`);
    rig.expect(!JSON.stringify(tools).includes(tool), `${title}, bridge ${kind}: it is listed.`);
    for (const name of [`${server}.${tool}`, `${server}.${alias}`]) {
      const text = await agent.say(name, {}).catch((error: Error) => error.message);
      rig.expect(!text.includes('WIPED'), `${title}, bridge ${kind}: ${name} was called.`);
    }
  }
}

/** Every way to say in which project one is, and ways to say that one is in none. */
async function trySpellings(rig: Rig, title: string, { keeping, seen }: Pair): Promise<void> {
  const token = seen.headers.authorization?.replace('Bearer ', '') ?? '';
  const isOfShop = seen.project === undefined;
  const project = seen.project ?? '';
  for (const era of ERAS) {
    const agent = await keeping.agent(era, { token });
    const names = [`${server}.${tool}`, `${server}.${alias}`, `${server}.${tool} `, `${server}.${tool.toUpperCase()}`];
    const ways: readonly (readonly [Record<string, string>, Dict])[] = [
      [project === '' ? {} : { 'x-toolcrib-project': project }, {}],
      [{}, project === '' ? {} : { projectId: project }],
      // A principal that is bound to a project cannot leave it by a header.
      ...(isOfShop
        ? ['', 'UNASSIGNED', 'nothing'].flatMap((word) => [
            [{ 'x-toolcrib-project': word }, {}] as const,
            [{}, { projectId: word }] as const,
            [{}, { token: keeping.gateway.ownerToken, projectId: word }] as const,
          ])
        : []),
    ];
    for (const [headers, meta] of ways) {
      for (const name of names) {
        const params = { name, arguments: {}, _meta: meta };
        const { text } = await agent.request({ id: agent.nextId(), method: 'tools/call', params, headers });
        const told = secretWords.find((word) => text.includes(word));
        rig.expect(
          told === undefined,
          () => `${title}, ${era}: ${name} with ${JSON.stringify([headers, meta])} got ${text.slice(0, 200)}`,
        );
      }
    }
  }
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
