/** B08: modern requests whose headers do not say what their body says; a gateway that believed either alone could be led past its rules. */

import { META, MODERN_VERSION } from '../../test/servers/rpc.ts';
import type { Check } from '../check.ts';
import { type Dict, ERAS } from '../kit/agent-requests.ts';
import { knock } from '../kit/knock.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

type Header = readonly [string, string];

const mismatch = -32020;
const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;
const wideUri = 'test://odd/käse';

/** A request that is right, of which a case spoils one thing. */
interface Subject {
  readonly title: string;
  readonly method: string;
  readonly params: Dict;
  readonly name?: string;
  readonly more?: readonly Header[];
}

const echo: Subject = {
  title: 'a tool',
  method: 'tools/call',
  params: { name: 'local.echo', arguments: { text: 'x' } },
  name: 'local.echo',
};
const region: Subject = {
  ...{ title: 'a tool with a header', method: 'tools/call', name: 'local.regional' },
  params: { name: 'local.regional', arguments: { region: 'north' } },
  more: [['Mcp-Param-Region', 'north']],
};
const subjects: readonly Subject[] = [
  echo,
  { title: 'a resource', method: 'resources/read', params: { uri: 'test://local/live' }, name: 'test://local/live' },
  { title: 'a wide resource', method: 'resources/read', params: { uri: wideUri }, name: wideUri },
  {
    title: 'a prompt',
    method: 'prompts/get',
    params: { name: 'local.greeting', arguments: {} },
    name: 'local.greeting',
  },
  { title: 'a list', method: 'tools/list', params: {} },
  region,
];

interface Case {
  readonly title: string;
  readonly subject: Subject;
  /** Replaces headers of the same name; an empty list leaves one out. */
  readonly spoil: Readonly<Record<string, readonly string[]>>;
  readonly meta?: Dict;
}

export const headerMismatch: Check = {
  id: 'B08',
  kind: 'bad inputs',
  title: 'Headers against bodies',
  passes: 'every mismatch 400 with -32020 and nothing is executed; every right spelling passes',
  eras: ERAS,
  async run(rig) {
    const odd = { resources: [{ uri: wideUri, name: 'cheese', text: 'cheese' }] };
    const setup = await rig.open({ servers: { local: {}, odd } });
    const bad = [...subjects.flatMap(badCases), ...parameterCases()];
    const good = subjects.flatMap(goodCases);
    for (const door of ['/mcp?surface=direct', '/servers/local/mcp']) {
      const isAt = ({ subject }: Case) => door.startsWith('/mcp') || !JSON.stringify(subject.params).includes('odd');
      await rig.part(`wrong at ${door}`, () => refuseAll(rig, setup, door, bad.filter(isAt)));
      await rig.part(`right at ${door}`, () => passAll(rig, setup, door, good.filter(isAt)));
    }
    await rig.part('versions', () => versions(rig, setup));
    rig.figure('wrong cases', bad.length);
    rig.figure('right cases', good.length);
  },
};

function badCases(subject: Subject): Case[] {
  const { method, name, title } = subject;
  const one = (what: string, spoil: Case['spoil'], meta?: Dict): Case => ({
    title: `${title}, ${what}`,
    subject,
    spoil,
    ...(meta && { meta }),
  });
  const shared = [
    one('no method', { 'Mcp-Method': [] }),
    one('another method', { 'Mcp-Method': [method === 'tools/list' ? 'tools/call' : 'tools/list'] }),
    one('an empty method', { 'Mcp-Method': [''] }),
    one('a method in capitals', { 'Mcp-Method': [method.toUpperCase()] }),
    one('a method and more', { 'Mcp-Method': [`${method}, tools/list`] }),
    one('a method twice', { 'Mcp-Method': [method, 'ping'] }),
    one('a method in base64', { 'Mcp-Method': [base64(method)] }),
    one('no version', { 'MCP-Protocol-Version': [] }),
    one('another version', { 'MCP-Protocol-Version': ['2025-11-25'] }),
    one('a later version', { 'MCP-Protocol-Version': ['2027-01-01'] }),
    one('a version twice', { 'MCP-Protocol-Version': [MODERN_VERSION, '2025-11-25'] }),
  ];
  if (name === undefined) return shared;
  const padded = Buffer.from(`${name}xy`.slice(0, name.length + 2)).toString('base64');
  return [
    ...shared,
    one('no name', { 'Mcp-Name': [] }),
    one('an empty name', { 'Mcp-Name': [''] }),
    one('another name', { 'Mcp-Name': ['local.count'] }),
    one('a name in capitals', { 'Mcp-Name': [base64(name.toUpperCase())] }),
    one('a name and more', { 'Mcp-Name': [base64(`${name} `)] }),
    one('a name cut', { 'Mcp-Name': [base64(name.slice(0, -1))] }),
    one('another name in base64', { 'Mcp-Name': [base64('local.count')] }),
    one('base64 without padding', { 'Mcp-Name': [base64(`${name}`).replace(/=*\?=$/, 'A?=')] }),
    one('base64 with too much padding', { 'Mcp-Name': [base64(name).replace(/\?=$/, '=?=')] }),
    one('base64 with strange characters', { 'Mcp-Name': [`=?base64?${'*'.repeat(8)}?=`] }),
    one('base64 with a space', { 'Mcp-Name': [base64(name).replace(/^(=\?base64\?.)/, '$1 ')] }),
    one('base64 of no text', { 'Mcp-Name': ['=?base64?/////w==?='] }),
    one('base64 of another text', { 'Mcp-Name': [`=?base64?${padded}?=`] }),
    one('nothing in base64', { 'Mcp-Name': ['=?base64??='] }),
    one('base64 in base64', { 'Mcp-Name': [base64(base64(name))] }),
    one('another code', { 'Mcp-Name': [`=?utf-8?Q?${name.replaceAll(/[^ -~]/g, '_')}?=`] }),
    one('an encoded address', { 'Mcp-Name': [encodeURIComponent(`${name}/`)] }),
    one('a name twice', { 'Mcp-Name': [base64(name), 'local.count'] }),
  ];
}

/** A parameter that its tool wants in a header. */
function parameterCases(): Case[] {
  const one = (title: string, values: readonly string[]): Case => ({
    title: `a parameter, ${title}`,
    subject: region,
    spoil: { 'Mcp-Param-Region': values },
  });
  return [
    one('missing', []),
    one('another', ['south']),
    one('empty', ['']),
    one('in capitals', ['NORTH']),
    one('twice', ['north', 'south']),
    one('another in base64', [base64('south')]),
    one('bad base64', ['=?base64?bm9ydGg?=']),
    one('no base64', ['=?base64?****?=']),
  ];
}

function goodCases(subject: Subject): Case[] {
  const { name, title, more = [] } = subject;
  const one = (what: string, spoil: Case['spoil']): Case => ({ title: `${title}, ${what}`, subject, spoil });
  return [
    one('as it should be', {}),
    one('with spaces around', { 'Mcp-Method': [`  ${subject.method}  `] }),
    ...(name === undefined ? [] : [one('in base64', { 'Mcp-Name': [base64(name)] })]),
    ...(more.length > 0 ? [one('a parameter in base64', { 'Mcp-Param-Region': [base64('north')] })] : []),
    one('with headers that nobody knows', { 'Mcp-Param-Unknown': ['x'], 'Mcp-Other': ['y'] }),
  ];
}

function headersOf(setup: Setup, { subject, spoil }: Case): Header[] {
  const { method, name, more = [] } = subject;
  const usual: Header[] = [
    ['Content-Type', 'application/json'],
    ['Accept', 'application/json, text/event-stream'],
    ['Authorization', `Bearer ${setup.gateway.agentToken}`],
    ['MCP-Protocol-Version', MODERN_VERSION],
    ['Mcp-Method', method],
    ...(name === undefined ? [] : [['Mcp-Name', /^[\x21-\x7e]+$/.test(name) ? name : base64(name)] as const]),
    ...more,
  ];
  const kept = usual.filter(([key]) => !Object.hasOwn(spoil, key));
  return [...kept, ...Object.entries(spoil).flatMap(([key, values]) => values.map((value) => [key, value] as const))];
}

async function send(
  rig: Rig,
  setup: Setup,
  door: string,
  one: Case,
): Promise<{ status: number; code: number | undefined; text: string }> {
  const { method, params } = one.subject;
  const _meta = { [META.protocolVersion]: MODERN_VERSION, [META.clientCapabilities]: {}, ...one.meta };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } });
  const { status, body: text } = await knock(rig.history, setup.gateway.url, {
    method: 'POST',
    path: door,
    headers: headersOf(setup, one),
    body,
  });
  return { status, code: Number(/"code":(-?\d+)/.exec(text)?.[1] ?? Number.NaN), text };
}

function calls(setup: Setup): number {
  return ['local', 'odd'].flatMap((name) => setup.server(name).noted('tool')).length;
}

async function refuseAll(rig: Rig, setup: Setup, door: string, cases: readonly Case[]): Promise<void> {
  const before = calls(setup);
  for (const one of cases) {
    const { status, code, text } = await send(rig, setup, door, one);
    rig.expect(status === 400 && code === mismatch, () => `${one.title} at ${door}: ${status} ${text.slice(0, 200)}`);
  }
  rig.expect(calls(setup) === before, `${calls(setup) - before} tools were run at ${door}.`);
}

async function passAll(rig: Rig, setup: Setup, door: string, cases: readonly Case[]): Promise<void> {
  const before = calls(setup);
  for (const one of cases) {
    const { status, text } = await send(rig, setup, door, one);
    rig.expect(
      status === 200 && text.includes('"result"') && !text.includes('"isError":true'),
      () => `${one.title} at ${door}: ${status} ${text.slice(0, 200)}`,
    );
  }
  const wanted = cases.filter(({ subject }) => subject.method === 'tools/call').length;
  rig.expect(calls(setup) - before === wanted, `${calls(setup) - before} of ${wanted} tools were run at ${door}.`);
}

/** A version that nobody speaks has a code of its own, where header and body agree; the old era has but the version to check. */
async function versions(rig: Rig, setup: Setup): Promise<void> {
  const future = '2027-01-01';
  const one = {
    title: 'a later version',
    subject: echo,
    spoil: { 'MCP-Protocol-Version': [future] },
    meta: { [META.protocolVersion]: future },
  };
  const { status, code, text } = await send(rig, setup, '/mcp?surface=direct', one);
  rig.expect(
    status === 400 && code === -32022 && text.includes(MODERN_VERSION),
    () => `${status} ${text.slice(0, 300)}`,
  );
  const agent = await setup.agent('legacy');
  const params = { name: 'local.echo', arguments: { text: 'old' } };
  const good = await agent.request({ id: 1, method: 'tools/call', params });
  rig.expect(good.status === 200, `A call of the old era got ${good.status}.`);
  for (const version of ['1999-01-01', 'x', `2025-11-25, ${MODERN_VERSION}`]) {
    const bad = await agent.request({
      id: 2,
      method: 'tools/call',
      params,
      headers: { 'mcp-protocol-version': version },
    });
    rig.expect(bad.status === 400, `In a session, the version "${version}" got ${bad.status}.`);
  }
}
