/** Every path by which an agent could learn of a tool, or call it: as requests whose answers can be compared. */

import type { TestGateway } from './gateway.ts';
import { askModern, openModernStream, RawSession } from './hand-made.ts';

type Dict = Record<string, unknown>;

/** The viewer: the headers of a token, and the path below which doors are (empty, or that of a project). */
export interface Looker {
  readonly headers: Record<string, string>;
  readonly project?: string | undefined;
}

/** One request at a door. */
interface Probe {
  readonly title: string;
  readonly door: string;
  readonly method: string;
  readonly params: Dict;
}

export const HIDDEN = { server: 'files', tool: 'wipe_disk', alias: 'wd', need: 'wipe the whole disk clean' } as const;

/** Tools of ours that take the address of a tool. */
const ADDRESSED = ['tool_execute', 'call_tool', 'tool_info', 'get_tool_schema', 'get_tool_alternatives'];
/** Ways in which agents write the tool, and ways that are nearly it. */
const { server, tool, alias, need } = HIDDEN;
const WRITTEN: readonly Dict[] = [
  { toolKey: `${server}:${tool}` },
  { toolKey: `${server}:${alias}` },
  { toolKey: `${server}.${tool}` },
  { toolKey: `${server}__${tool}` },
  { toolKey: tool },
  { toolKey: alias },
  { server, tool },
  { server, tool: alias },
  { toolKey: `${server}:${tool}s` },
  { server: `${server}s`, tool },
];
const PROGRAMS: readonly string[] = [
  `return await servers.${server}.${tool}({})`,
  `return await servers.${server}.${alias}({})`,
  `return await servers.${server}.wipeDisk({})`,
  `return await call('${server}:${tool}', {})`,
  `return await call('${tool}', {})`,
  `return await search('${need}')`,
  `return await info('${server}:${tool}')`,
  `return await types('${server}:${tool}')`,
  `return await types('${server}')`,
  'return Object.keys(servers)',
  `return Object.keys(servers.${server} ?? {})`,
  `return '${tool}' in (servers.${server} ?? {})`,
];

function onMeta(name: string, args: Dict): Probe {
  return {
    title: `${name} ${JSON.stringify(args)}`,
    door: '/mcp?surface=full',
    method: 'tools/call',
    params: { name, arguments: args },
  };
}

function metaProbes(): Probe[] {
  const looks: [string, Dict][] = [
    ['tool_discovery', { query: need, detailLevel: 'full' }],
    ['tool_discovery', { query: [need, tool], server }],
    ['search_tools', { query: tool, top_k: 100 }],
    ['recommend_tools', { task: need, limit: 20 }],
    ['tool_capabilities', {}],
    ['tool_capabilities', { server }],
    ['list_tools_meta', {}],
    ['list_tools', { server, include_metrics: true }],
    ['list_mcp_servers', {}],
    ['get_tool_metrics', {}],
    ['get_tool_metrics', { server, tool }],
    ['get_tool_metrics', { server }],
    ['get_tool_metrics', { tool }],
    // One that fails, and whose purpose is the same: others are suggested for it.
    ['tool_execute', { toolKey: 'mail:erase_disk', arguments: {} }],
    ['get_tool_alternatives', { toolKey: 'mail:erase_disk' }],
  ];
  return [
    ...looks.map(([name, args]) => onMeta(name, args)),
    ...ADDRESSED.flatMap((name) => WRITTEN.map((address) => onMeta(name, { ...address }))),
    ...PROGRAMS.map((code) => onMeta('call_tool_chain', { code })),
  ];
}

function listProbes(): Probe[] {
  const at = (door: string, method: string): Probe => ({ title: `${method} ${door}`, door, method, params: {} });
  const surfaces = ['search', 'direct', 'code', 'full'].map((surface) => at(`/mcp?surface=${surface}`, 'tools/list'));
  const others = ['resources/list', 'resources/templates/list', 'prompts/list'].map((method) => at('/mcp', method));
  return [...surfaces, ...others];
}

function namedProbes(): Probe[] {
  const names = [`${server}.${tool}`, `${server}.${alias}`, `${server}__${tool}`, tool, `${server}.${tool}s`];
  return names.map((name) => ({
    title: `tools/call ${name}`,
    door: '/mcp?surface=direct',
    method: 'tools/call',
    params: { name, arguments: {} },
  }));
}

function offerProbes(): Probe[] {
  const door = '/mcp';
  const uris = [
    ...['overview', 'servers', 'tools', `server/${server}`, `server/${server}/tools`, `server/${server}/types`],
    ...[`tool/${server}/${tool}`, `tool/${server}/${alias}`, `tool/${server}/${tool}s`, `tool/${server}s/${tool}`],
    `server/${server}/resource/${encodeURIComponent('files://note')}`,
  ].map((path) => `toolcrib://${path}`);
  const reads = [...uris, 'files://note', 'shared://note'].map((uri): Probe => {
    return { title: `read ${uri}`, door, method: 'resources/read', params: { uri } };
  });
  const prompts: [string, Dict][] = [
    ['find_tool', { task: need }],
    ['server_status', { server }],
    ['server_status', {}],
    [`${server}.greet`, { name: 'Ann' }],
  ];
  const gets = prompts.map(([name, args]): Probe => {
    return {
      title: `prompt ${name} ${JSON.stringify(args)}`,
      door,
      method: 'prompts/get',
      params: { name, arguments: args },
    };
  });
  const template = 'toolcrib://tool/{server}/{tool}';
  const completions: [Dict, Dict, Dict?][] = [
    [
      { type: 'ref/resource', uri: template },
      { name: 'tool', value: 'w' },
    ],
    [{ type: 'ref/resource', uri: template }, { name: 'tool', value: '' }, { server }],
    [
      { type: 'ref/resource', uri: template },
      { name: 'server', value: 'fi' },
    ],
    [
      { type: 'ref/prompt', name: 'find_tool' },
      { name: 'task', value: 'W' },
    ],
    [
      { type: 'ref/prompt', name: 'server_status' },
      { name: 'server', value: '' },
    ],
    [
      { type: 'ref/prompt', name: `${server}.greet` },
      { name: 'name', value: '' },
    ],
  ];
  const completes = completions.map(([ref, argument, others]): Probe => {
    const params = { ref, argument, ...(others && { context: { arguments: others } }) };
    return { title: `complete ${JSON.stringify(params)}`, door, method: 'completion/complete', params };
  });
  return [...reads, ...gets, ...completes];
}

/** At the doors of single servers, under public names and under the server's own. */
function serverProbes(): Probe[] {
  return ['', '?names=plain'].flatMap((names) => {
    const door = `/servers/${server}/mcp${names}`;
    const lists = ['tools/list', 'resources/list', 'prompts/list'].map((method): Probe => {
      return { title: `${method} ${door}`, door, method, params: {} };
    });
    const calls = [tool, alias, `${server}.${tool}`, `${tool}s`].map((name): Probe => {
      return { title: `tools/call ${name} ${door}`, door, method: 'tools/call', params: { name, arguments: {} } };
    });
    return [...lists, ...calls];
  });
}

export const probes: readonly Probe[] = [
  ...listProbes(),
  ...metaProbes(),
  ...namedProbes(),
  ...offerProbes(),
  ...serverProbes(),
];

/** The answer of each path, in a form that is equal if nothing differs; by the title of the probe. */
export async function lookEverywhere(
  era: 'modern' | 'legacy',
  { url }: Pick<TestGateway, 'url'>,
  looker: Looker,
  asked: readonly Probe[] = probes,
): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  const sessions = new Map<string, Promise<RawSession | string>>();
  for (const { title, door, method, params } of asked) {
    const at = `${url}${doorOf(door, looker)}`;
    const headers = headersOf(door, looker);
    if (era === 'modern') {
      const { status, message } = await askModern(at, headers, method, params);
      answers.set(title, steady({ status, result: message.result, error: message.error }));
      continue;
    }
    const session = sessions.get(at) ?? RawSession.open(at, headers).catch((error: Error) => error.message);
    sessions.set(at, session);
    const opened = await session;
    if (typeof opened === 'string') answers.set(title, steady(opened));
    else {
      const { status, message } = await opened.request(method, params);
      answers.set(title, steady({ status, result: message.result, error: message.error, hello: opened.opened }));
    }
  }
  return answers;
}

/** The resources that can be subscribed to, of all that may exist. */
export async function watchEverything(
  era: 'modern' | 'legacy',
  { url }: Pick<TestGateway, 'url'>,
  looker: Looker,
): Promise<string[]> {
  const own = [
    'tools',
    `server/${server}`,
    `server/${server}/tools`,
    `tool/${server}/${tool}`,
    `tool/${server}/${tool}s`,
  ];
  const uris = [...own.map((path) => `toolcrib://${path}`), 'files://note', 'shared://note'];
  const at = `${url}${doorOf('/mcp', looker)}`;
  if (era === 'modern') {
    const notifications = { toolsListChanged: true, resourceSubscriptions: uris };
    using stream = await openModernStream(at, headersOf('/mcp', looker), 'subscriptions/listen', { notifications });
    return [steady((await stream.message()).params)];
  }
  const session = await RawSession.open(at, headersOf('/mcp', looker));
  const answers: string[] = [];
  for (const uri of uris) {
    const { message } = await session.request('resources/subscribe', { uri });
    answers.push(steady({ uri, result: message.result, error: message.error }));
  }
  return answers;
}

/** A project has a door of its own for all servers; at the door of one it is named by the header. */
function doorOf(door: string, { project }: Looker): string {
  return project !== undefined && door.startsWith('/mcp') ? `/projects/${project}${door}` : door;
}

function headersOf(door: string, { headers, project }: Looker): Record<string, string> {
  return project !== undefined && !door.startsWith('/mcp') ? { ...headers, 'x-toolcrib-project': project } : headers;
}

/** Without times, durations, ids and what a process is called: these differ from one gateway to the next, and say nothing. */
export function steady(value: unknown): string {
  return JSON.stringify(value, (key, item: unknown) => {
    if (/Ms$|^ms$|latency|duration|requestId/i.test(key)) return '…';
    return typeof item === 'string' ? steadyText(item) : item;
  });
}

function steadyText(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/"(\w*Ms|ms)":(?:[\d.]+|\{[^{}]*\})/g, '"$1":0')
    .replace(/toolcrib:\/\/result\/[\w-]+/g, 'toolcrib://result/ID')
    .replace(/\b\d+(\.\d+)? ms\b/g, 'N ms')
    .replace(/\b(id|requestId)"?: ?"?[\w-]{8,}/g, '$1');
}
