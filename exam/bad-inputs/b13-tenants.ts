/** B13: three projects with a token each, and everything of each tried by all of them; what is not yours reads like what is not there. */

import type { Check } from '../check.ts';
import type { ExamAgent } from '../kit/agent.ts';
import { type Dict, ERAS, type Era } from '../kit/agent-requests.ts';
import { makeToken, operate, order } from '../kit/owner.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

/** Of equal length and unlike each other, so that no answer differs by what it suggests. The last one is not there. */
const tenants = ['marble', 'quartz', 'fjords'] as const;
const nowhere = 'bypath';
const words = [...tenants, nowhere];

export const tenantMatrix: Check = {
  id: 'B13',
  kind: 'bad inputs',
  title: 'Tenant matrix',
  passes: 'every token gets its own project by every method, and of others the answer for what does not exist',
  eras: ERAS,
  isAboutStore: true,
  open: ['the dashboard: it shows what the operations that are tried here answer'],
  async run(rig) {
    const setup = await rig.open({
      servers: Object.fromEntries(tenants.map((name) => [name, serverOf(name)])),
      config: { projects: Object.fromEntries(tenants.map((name) => [`p-${name}`, { servers: [name] }])) },
    });
    const tokens = new Map<string, string>();
    for (const name of tenants) tokens.set(name, await makeToken(setup, `t-${name}`, { project: `p-${name}` }));
    for (const [owner, token] of tokens) {
      for (const era of ERAS) await rig.part(`${owner}, ${era}`, () => doors(rig, setup, owner, token, era));
      await rig.part(`${owner}, operations`, () => api(rig, setup, owner, token));
    }
    await rig.part('what is kept', () => keptResults(rig, setup, tokens));
    await rig.part('what is told', () => audited(rig, setup, tokens));
    rig.expect(Number(rig.figures.granted ?? 0) > 0, 'Nobody was granted anything.');
  },
};

function serverOf(name: string) {
  const look = {
    name: 'look',
    description: `Looks around in the house of ${name}.`,
    respond: { content: [{ type: 'text', text: `seen ${name}` }] },
  };
  return {
    tools: [look, { name: 'lines', runAs: 'lines' }],
    resources: [{ uri: `${name}://note`, name: `note-${name}`, text: `note of ${name}` }],
    templates: [
      { uriTemplate: `${name}://room/{room}`, name: `room-${name}`, text: `room of ${name}`, values: ['hall'] },
    ],
    prompts: [
      { name: 'greet', text: `Hello from ${name}`, arguments: [{ name: 'to', values: [`friend of ${name}`] }] },
    ],
  };
}

interface Probe {
  readonly title: string;
  readonly door?: string;
  readonly method: string;
  readonly params: Dict;
  /** A text that only an answer about the target holds. */
  readonly sign: string;
}

function callOf(name: string, args: Dict, sign: string): Probe {
  return { title: `${name} ${JSON.stringify(args)}`, method: 'tools/call', params: { name, arguments: args }, sign };
}

/** Everything that can be asked about one server by who knows or guesses its name. */
function probesFor(target: string): Probe[] {
  const key = `${target}:look`;
  const described = `Looks around in the house of ${target}`;
  const seen = `seen ${target}`;
  const ask = (method: string, params: Dict, sign: string, door?: string): Probe => {
    return { title: `${method} ${JSON.stringify(params)} ${door ?? ''}`, method, params, sign, ...(door && { door }) };
  };
  const template = `${target}://room/{room}`;
  return [
    ask('tools/call', { name: `${target}.look`, arguments: {} }, seen, '/mcp?surface=direct'),
    callOf('tool_execute', { toolKey: key, arguments: {} }, seen),
    callOf('tool_execute', { server: target, tool: 'look', arguments: {} }, seen),
    callOf('call_tool', { toolKey: key, arguments: {} }, seen),
    callOf('tool_info', { toolKey: key }, described),
    callOf('get_tool_schema', { toolKey: key }, described),
    callOf('get_tool_alternatives', { toolKey: key }, target === nowhere ? seen : `"${key}"`),
    callOf('list_tools', { server: target }, described),
    callOf('tool_capabilities', { server: target }, 'look'),
    callOf('get_tool_metrics', { server: target, tool: 'look' }, 'callCount'),
    callOf('tool_discovery', { query: 'look around', server: target }, described),
    callOf('call_tool_chain', { code: `return await call('${key}', {})` }, seen),
    callOf('call_tool_chain', { code: `return await info('${key}')` }, described),
    callOf('call_tool_chain', { code: `return await servers.${target}.look({})` }, seen),
    ask('resources/read', { uri: `${target}://note` }, `note of ${target}`),
    ask('resources/read', { uri: `${target}://room/hall` }, `room of ${target}`),
    ask('resources/read', { uri: `toolcrib://tool/${target}/look` }, described),
    ask('resources/read', { uri: `toolcrib://server/${target}` }, 'toolCount'),
    ask('resources/read', { uri: `toolcrib://server/${target}/tools` }, described),
    ask('resources/read', { uri: `toolcrib://server/${target}/types` }, 'look'),
    ask('prompts/get', { name: `${target}.greet`, arguments: { to: 'x' } }, `Hello from ${target}`),
    ask('prompts/get', { name: 'server_status', arguments: { server: target } }, 'toolCount'),
    complete({ type: 'ref/prompt', name: `${target}.greet` }, { name: 'to', value: '' }, `friend of ${target}`),
    complete({ type: 'ref/resource', uri: template }, { name: 'room', value: '' }, 'hall'),
    complete({ type: 'ref/prompt', name: 'server_status' }, { name: 'server', value: target }, `["${target}"]`),
    ask('tools/list', {}, described, `/servers/${target}/mcp`),
    ask('tools/call', { name: 'look', arguments: {} }, seen, `/servers/${target}/mcp?names=plain`),
    ask('resources/read', { uri: `${target}://note` }, `note of ${target}`, `/s/${target}/mcp`),
    ask('tools/list', {}, described, `/projects/p-${target}/mcp?surface=direct`),
    ask('tools/call', { name: 'tool_info', arguments: { toolKey: key } }, described, `/projects/p-${target}/mcp`),
    ask('resources/subscribe', { uri: `${target}://note` }, ''),
  ];
}

function complete(ref: Dict, argument: Dict, sign: string): Probe {
  return { title: `complete ${JSON.stringify(ref)}`, method: 'completion/complete', params: { ref, argument }, sign };
}

/** Lists that name no server: their items are one's own. */
const lists: readonly Probe[] = [
  ...['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'].map((method): Probe => {
    return { title: method, door: '/mcp?surface=direct', method, params: {}, sign: '' };
  }),
  callOf('tool_discovery', { query: 'look around in the house', maxResults: 50 }, ''),
  callOf('search_tools', { query: 'house', top_k: 100 }, ''),
  callOf('recommend_tools', { task: 'look around', limit: 20 }, ''),
  callOf('list_mcp_servers', {}, ''),
  callOf('list_tools_meta', {}, ''),
  callOf('tool_capabilities', {}, ''),
  callOf('get_tool_metrics', {}, ''),
  callOf('call_tool_chain', { code: 'return Object.keys(servers)' }, ''),
  callOf('call_tool_chain', { code: "return await search('look around')" }, ''),
  { title: 'overview', method: 'resources/read', params: { uri: 'toolcrib://overview' }, sign: '' },
  { title: 'servers', method: 'resources/read', params: { uri: 'toolcrib://servers' }, sign: '' },
  { title: 'server_status', method: 'prompts/get', params: { name: 'server_status', arguments: {} }, sign: '' },
  complete({ type: 'ref/prompt', name: 'server_status' }, { name: 'server', value: '' }, ''),
];

async function doors(rig: Rig, setup: Setup, owner: string, token: string, era: Era): Promise<void> {
  const agents = new Map<string, ExamAgent | number>();
  const ask = async ({ door = '/mcp?surface=full', method, params }: Probe): Promise<string> => {
    const agent = agents.get(door) ?? (await enter(setup, era, token, door));
    agents.set(door, agent);
    if (typeof agent === 'number') return `no door: ${agent}`;
    const { status, message, text } = await agent.request({ id: 1, method, params });
    return `${status} ${JSON.stringify(message?.result ?? message?.error ?? text)}`;
  };
  const absent = new Map<string, string>();
  for (const probe of probesFor(nowhere)) absent.set(plain(probe.title), plain(await ask(probe)));
  for (const target of tenants) {
    for (const probe of probesFor(target)) {
      const answer = await ask(probe);
      const title = `${owner}, ${era}: ${probe.title}`;
      if (target === owner) expectGranted(rig, title, probe, answer, absent.get(plain(probe.title)) ?? '', era);
      else expectAbsent(rig, title, answer, absent.get(plain(probe.title)) ?? '');
    }
  }
  // Last, so that there are figures of calls that could leak.
  for (const list of lists) {
    const answer = await ask(list);
    expectOwn(rig, `${owner}, ${era}: ${list.title}`, owner, answer);
  }
}

/** An agent at a door, or the status with which it was not let in. */
async function enter(setup: Setup, era: Era, token: string, door: string): Promise<ExamAgent | number> {
  try {
    return await setup.agent(era, { token, door });
  } catch (error) {
    return Number(/status (\d+)/.exec(String(error))?.[1] ?? 0);
  }
}

function expectGranted(rig: Rig, title: string, { sign }: Probe, answer: string, absent: string, era: Era): void {
  rig.figures.granted = Number(rig.figures.granted ?? 0) + 1;
  // Modern agents watch resources by a stream.
  if (sign === '' && era === 'modern') return;
  const isGranted = unquoted(answer).includes(unquoted(sign)) && plain(answer) !== absent;
  rig.expect(isGranted, () => `${title} was not granted: ${answer.slice(0, 300)}`);
}

function expectAbsent(rig: Rig, title: string, answer: string, absent: string): void {
  rig.figures.refused = Number(rig.figures.refused ?? 0) + 1;
  rig.expect(
    plain(answer) === absent,
    () => `${title} got ${plain(answer).slice(0, 400)}; where there is nothing: ${absent.slice(0, 400)}`,
  );
}

function expectOwn(rig: Rig, title: string, owner: string, answer: string): void {
  rig.figures.lists = Number(rig.figures.lists ?? 0) + 1;
  rig.expect(answer.includes(owner), () => `${title} does not show its own: ${answer.slice(0, 300)}`);
  const foreign = [...tenants.filter((name) => name !== owner), 'sibling'].find((name) => answer.includes(name));
  rig.expect(foreign === undefined, () => `${title} shows "${foreign}": ${answer.slice(0, 300)}`);
}

/** The same for every name, and without times. */
function plain(text: string): string {
  return text
    .replaceAll(new RegExp(words.join('|'), 'g'), 'NAME')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/(\w*(?:Ms|ms)\\*"):[\d.]+/g, '$1:0')
    .replaceAll(/(waitingRows\\*":)\d+/g, '$1N');
}

function unquoted(text: string): string {
  return text.replaceAll(/[\\"]/g, '');
}

/** Operations with the token of a project: those of the owner are closed, and the others show its own. */
async function api(rig: Rig, setup: Setup, owner: string, token: string): Promise<void> {
  const { operations } = await import('../../src/admin/admin.ts');
  for (const [name, { scope = 'admin' }] of Object.entries(operations)) {
    if (scope !== 'admin') continue;
    const { status, text } = await operate(setup, token, name);
    rig.expect(status === 403, `${owner}: ${name} got ${status}.`);
    rig.expect(!words.some((word) => text.includes(word)), `${owner}: ${name} tells names: ${text.slice(0, 200)}`);
  }
  const wishes = (target: string): readonly (readonly [string, Dict])[] => [
    ['tools.list', { server: target }],
    ['tools.search', { query: 'look around', server: target }],
    ['tools.info', { toolKey: `${target}:look` }],
    ['tools.call', { toolKey: `${target}:look`, arguments: {} }],
    ['tools.chain', { code: `return await call('${target}:look', {})` }],
  ];
  const absent = await Promise.all(wishes(nowhere).map(([name, input]) => operate(setup, token, name, input)));
  for (const target of tenants) {
    for (const [at, [name, input]] of wishes(target).entries()) {
      const { status, text } = await operate(setup, token, name, input);
      const [answer, other] = [plain(`${status} ${text}`), plain(`${absent[at]?.status} ${absent[at]?.text}`)];
      const title = `${owner}: ${name} of ${target}`;
      if (target === owner)
        rig.expect(answer !== other && status === 200, () => `${title} got ${answer.slice(0, 300)}`);
      else expectAbsent(rig, title, answer, other);
    }
  }
  for (const name of ['tools.list', 'tools.search', 'tools.recommend']) {
    const input = { 'tools.list': {}, 'tools.search': { query: 'look' }, 'tools.recommend': { task: 'look' } }[name];
    const { text } = await operate(setup, token, name, input);
    expectOwn(rig, `${owner}: ${name}`, owner, text);
  }
}

/** A result that is kept for one tenant is no more there for another than one that nobody has. */
async function keptResults(rig: Rig, setup: Setup, tokens: ReadonlyMap<string, string>): Promise<void> {
  const [[first, token] = ['', ''], [, stranger] = ['', '']] = [...tokens];
  const agent = await setup.agent('modern', { token, door: '/mcp?surface=direct' });
  const { text } = await agent.call(`${first}.lines`, { count: 5_000 });
  const uri = /toolcrib:\/\/result\/[\w-]+/.exec(text)?.[0];
  if (uri === undefined) return rig.fault(`A large result was not kept: ${text.slice(0, 300)}`);
  const unknown = `${uri.slice(0, -6)}AAAAAA`;
  for (const era of ERAS) {
    const own = await setup.agent(era, { token });
    const mine = await own.request({ id: 1, method: 'resources/read', params: { uri } });
    rig.expect(mine.message?.result !== undefined, () => `${era}: its own result: ${mine.text.slice(0, 200)}`);
    const other = await setup.agent(era, { token: stranger });
    const theirs = await other.request({ id: 1, method: 'resources/read', params: { uri } });
    const nobodys = await other.request({ id: 1, method: 'resources/read', params: { uri: unknown } });
    rig.expect(theirs.message?.error !== undefined, () => `${era}: another's result: ${theirs.text.slice(0, 200)}`);
    const said = (value: string) => value.replaceAll(uri, 'URI').replaceAll(unknown, 'URI');
    rig.expect(said(theirs.text) === said(nobodys.text), () => `${era}: ${theirs.text} and ${nobodys.text}`);
  }
}

/** The audit knows whose each call was. */
async function audited(rig: Rig, setup: Setup, tokens: ReadonlyMap<string, string>): Promise<void> {
  const lines = await order(setup, 'audit.list', { limit: 1_000 });
  const text = JSON.stringify(lines);
  rig.expect(
    [...tokens.keys()].every((name) => text.includes(`t-${name}`)),
    'The audit does not name every token.',
  );
  rig.expect(![...tokens.values()].some((token) => text.includes(token)), 'A token is in the audit.');
}
