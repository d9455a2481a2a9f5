/** B02: every route under names that are not the gateway's, and from pages of others; the token is valid, so that nothing else is in the way. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { operations } from '../../src/admin/admin.ts';
import { routeTable } from '../../src/door/door.ts';
import { CliMachine } from '../../test/kit/cli.ts';
import type { Check } from '../check.ts';
import { ERAS } from '../kit/agent-requests.ts';
import { eachOf, type Knock, knock } from '../kit/knock.ts';
import { statePrint } from '../kit/owner.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

type Header = readonly [string, string];

/** A name that the config allows, so that allowing can be seen to work. */
const allowedName = 'crib.example';
const evil = 'evil.example';

interface Case {
  readonly title: string;
  readonly headers: readonly Header[];
  readonly isHostless?: boolean;
}

export const hosts: Check = {
  id: 'B02',
  kind: 'bad inputs',
  title: 'Foreign hosts and origins',
  passes: 'all 403 on every route, without any effect; names of the gateway and loopback pass',
  eras: ERAS,
  open: ['the pages of the dashboard: they are public files'],
  async run(rig) {
    const setup = await rig.open({ servers: { local: {} }, config: { access: { allowedHosts: [allowedName] } } });
    const before = await statePrint(setup, ['local']);
    await rig.part('good ones', () => good(rig, setup));
    await rig.part('foreign ones', () => foreign(rig, setup));
    await rig.part('streams', () => streams(rig, setup));
    rig.expect((await statePrint(setup, ['local'])) === before, 'Something has changed.');
    await rig.part('address', () => onlyLoopback(rig, setup));
    await rig.part('open to all', () => refusesOpen(rig));
  },
};

function badHosts(port: string): Case[] {
  const names = [
    ...[evil, `${evil}:${port}`, `127.0.0.1.${evil}`, `localhost.${evil}`, `127.0.0.1@${evil}`, `${evil}#127.0.0.1`],
    ...[
      `${evil}/127.0.0.1`,
      `127.0.0.1,${evil}`,
      `127.0.0.1 ${evil}`,
      `[::1].${evil}`,
      `[::1]${evil}`,
      `${allowedName}.${evil}`,
    ],
    ...[
      '0.0.0.0',
      `0.0.0.0:${port}`,
      '[::]',
      '169.254.169.254',
      '10.0.0.1',
      '2130706433',
      '0x7f000001',
      '017700000001',
    ],
    ...[
      '127.1',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      'localhost.',
      'localhos',
      'xlocalhost',
      '127.0.0.1.',
      '1.127.0.0.1',
    ],
    ...[
      '',
      'null',
      '*',
      `evil${allowedName}`,
      `${allowedName}:80:80`,
      '127.0.0.1:99999999',
      'localhost%00',
      'ⓛocalhost',
    ],
  ];
  return names.map((name) => ({ title: `Host: ${name}`, headers: [['Host', name]] }));
}

function doubled(own: string): Case[] {
  const two = (name: string, one: string, other: string): Case => ({
    title: `${name} twice: ${one}, ${other}`,
    headers: [...(name === 'Host' ? [] : [['Host', own] as const]), [name, one], [name, other]],
  });
  return [
    two('Host', own, evil),
    two('Host', evil, own),
    two('Host', own, own),
    two('Origin', `http://${own}`, `http://${evil}`),
    two('Origin', `http://${evil}`, `http://${own}`),
    two('Origin', 'null', `http://${own}`),
  ];
}

function badOrigins(own: string, port: string): Case[] {
  const names = [
    ...[`http://${evil}`, `https://${evil}`, `http://${evil}:${port}`, 'null', 'NULL', '', 'file://', 'about:blank'],
    ...[`http://127.0.0.1.${evil}`, `http://localhost.${evil}`, `http://localhost@${evil}`, `http://${own}@${evil}`],
    ...[`http://${own}.${evil}`, `http://${evil}/`, `http://${own} http://${evil}`, `http://${own}, http://${evil}`],
    ...['http://', 'http:///', '//localhost', 'localhost', own, 'javascript:1', 'data:text/html,x', 'ws://localhost'],
    ...['chrome-extension://abcdefghijklmnop', 'moz-extension://1', 'vscode-webview://1', 'app://obsidian.md'],
    ...[
      'http://0.0.0.0',
      'http://[::]',
      'http://169.254.169.254',
      'http://2130706433',
      'http://0x7f.1',
      'http://127.1',
    ],
    ...[`http://evil${allowedName}`, `http://${allowedName}.${evil}`, 'http://[::ffff:127.0.0.1]', 'http://localhost.'],
  ];
  return names.map((name) => ({
    title: `Origin: ${name}`,
    headers: [
      ['Host', own],
      ['Origin', name],
    ],
  }));
}

function goodCases(own: string, port: string): Case[] {
  const named = (name: string): Case => ({ title: `Host: ${name}`, headers: [['Host', name]] });
  const from = (origin: string): Case => ({
    title: `Origin: ${origin}`,
    headers: [
      ['Host', own],
      ['Origin', origin],
    ],
  });
  return [
    ...[
      own,
      `localhost:${port}`,
      'localhost',
      'LOCALHOST',
      `[::1]:${port}`,
      '127.0.0.2',
      allowedName,
      'CRIB.example:443',
    ].map(named),
    ...[`http://${own}`, `http://localhost:${port}`, 'http://[::1]:3000', `https://${allowedName}`].map(from),
    // Only a front end that the owner named is believed.
    {
      title: 'X-Forwarded-Host',
      headers: [
        ['Host', own],
        ['X-Forwarded-Host', evil],
      ],
    },
  ];
}

function auth(setup: Setup): Header {
  return ['Authorization', `Bearer ${setup.gateway.ownerToken}`];
}

async function good(rig: Rig, setup: Setup): Promise<void> {
  const { host, port } = new URL(setup.gateway.url);
  const cases = goodCases(host, port);
  for (const { title, headers } of cases) {
    const answer = await knock(rig.history, setup.gateway.url, {
      ...{ method: 'POST', path: '/api/servers/list', body: '{}' },
      headers: [...headers, auth(setup), ['Content-Type', 'application/json']],
    });
    rig.expect(answer.status === 200, () => `${title} got ${answer.status}.`);
    rig.expect(!answer.head.includes(evil) && !answer.body.includes(evil), `${title} is repeated in the answer.`);
  }
  rig.figure('good cases', cases.length);
}

/** Each with something that would be done, were it let in. */
function requests(): Knock[] {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'local.count', arguments: {} } };
  const pages: Knock[] = routeTable.flatMap(({ pattern, methods }) => {
    if (pattern === '/api/*') return [];
    const path = pattern.replace('{server}', 'local').replace('{project}', 'UNASSIGNED').replace('*', 'mcp');
    const all = [...new Set([...methods, 'OPTIONS'])];
    return all.map((method) => ({ method, path, ...(method === 'POST' && { body: JSON.stringify(call) }) }));
  });
  const changing = {
    'tokens.create': { name: 'stolen', scopes: ['admin'] },
    'servers.add': { name: 'stolen', spec: { command: 'true' } },
    'servers.disable': { name: 'local' },
    'projects.create': { name: 'stolen' },
    'tools.call': { toolKey: 'local:count' },
    'gateway.signInLink': {},
    'servers.list': {},
  } satisfies Partial<Record<keyof typeof operations, unknown>>;
  const orders = Object.entries(changing).map(([name, input]) => {
    return { method: 'POST', path: `/api/${name.replaceAll('.', '/')}`, body: JSON.stringify(input) };
  });
  return [...pages, ...orders, { method: 'GET', path: '/api/openapi.json' }, { method: 'GET', path: '/nowhere' }];
}

async function foreign(rig: Rig, setup: Setup): Promise<void> {
  const { host, port } = new URL(setup.gateway.url);
  const cases: Case[] = [
    ...[...badHosts(port), ...doubled(host), ...badOrigins(host, port)],
    { title: 'no Host', headers: [], isHostless: true },
  ];
  const all = requests();
  await eachOf(cases, async ({ title, headers, isHostless = false }) => {
    for (const request of all) {
      const answer = await knock(rig.history, setup.gateway.url, {
        ...request,
        ...{ isHostless, headers: [...headers, auth(setup), ['Content-Type', 'application/json'], ['Accept', '*/*']] },
      });
      // HTTP itself wants 400 where there is no Host at all.
      const isRefused = answer.status === 403 || (isHostless && answer.status === 400);
      rig.expect(isRefused, () => `${title} at ${request.method} ${request.path} got ${answer.status}.`);
      rig.expect(!/set-cookie|access-control-allow/i.test(answer.head), `${title} at ${request.path} was given more.`);
    }
  });
  rig.figure('foreign cases', cases.length);
  rig.figure('requests', cases.length * all.length);
}

/** A page that rebinds its name does so while a session is there. */
async function streams(rig: Rig, setup: Setup): Promise<void> {
  const { url, ownerToken } = setup.gateway;
  const agent = await setup.agent('legacy', { isOwner: true });
  const session = agent.written({ id: 1, method: 'ping' }).headers['mcp-session-id'] ?? '';
  const own = new URL(url).host;
  for (const more of [
    [['Host', evil]],
    [
      ['Host', own],
      ['Origin', `http://${evil}`],
    ],
    [
      ['Host', own],
      ['Origin', 'null'],
    ],
  ] as const) {
    for (const method of ['GET', 'DELETE', 'POST']) {
      const headers: Header[] = [
        ...more,
        ['Authorization', `Bearer ${ownerToken}`],
        ['Mcp-Session-Id', session],
        ['Accept', 'text/event-stream, application/json'],
        ['Content-Type', 'application/json'],
      ];
      const body = method === 'POST' ? '{"jsonrpc":"2.0","id":7,"method":"ping"}' : '';
      const { status } = await knock(rig.history, url, { method, path: '/mcp?surface=direct', headers, body });
      rig.expect(status === 403, `${method} on a session with ${more.join('; ')} got ${status}.`);
    }
  }
  const { status } = await agent.request({ id: 2, method: 'ping' });
  rig.expect(status === 200, `The session was answered with ${status} afterwards.`);
}

/** By default, nobody on the network can reach it at all. */
async function onlyLoopback(rig: Rig, setup: Setup): Promise<void> {
  const port = Number(new URL(setup.gateway.url).port).toString(16).toUpperCase().padStart(4, '0');
  const tables = ['tcp', 'tcp6']
    .map((name) => `/proc/${setup.gateway.pid}/net/${name}`)
    .filter((file) => existsSync(file));
  const listening = tables
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(`:${port}`) === true && state === '0A')
    .map(([, local]) => local);
  rig.expect(
    listening.join() === `0100007F:${port}`,
    `It listens on ${listening.join(', ') || 'nothing that can be seen'}.`,
  );
}

/** Told to ask for no token, it listens for this machine alone: it does not start elsewhere, or asks all the same. */
async function refusesOpen(rig: Rig): Promise<void> {
  await using machine = await CliMachine.make();
  const file = join(machine.home, 'open.json');
  writeFileSync(file, JSON.stringify({ access: { auth: 'none' }, mcpServers: {} }));
  for (const host of ['0.0.0.0', '::']) {
    const { code, stderr } = await machine.run('start', '--port', '0', '--host', host, '--no-auth', '--json');
    rig.expect(code !== 0 && /loopback/.test(stderr), `Without tokens on ${host} it ended with ${code}: ${stderr}`);
  }
  const { url, stop } = await machine.start('--host', '0.0.0.0', '--config', file);
  const at = `http://127.0.0.1:${new URL(url).port}`;
  const headers: Header[] = [['Content-Type', 'application/json']];
  for (const path of ['/mcp', '/api/servers/list', '/gateway/mcp']) {
    const { status } = await knock(rig.history, at, { method: 'POST', path, headers, body: '{}' });
    rig.expect(status === 401, `On every address, with "none" in the config, ${path} got ${status}.`);
  }
  await stop();
}
