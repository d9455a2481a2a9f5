/** B09: agents send credentials in every header and place they can; no server may see one, nor that of another server. */

import { readFileSync } from 'node:fs';
import { isAlive } from '../../test/kit/processes.ts';
import { connectStdio, toolcribStdio } from '../../test/kit/stdio-agent.ts';
import type { Check } from '../check.ts';
import type { ExamAgent } from '../kit/agent.ts';
import { type Dict, ERAS } from '../kit/agent-requests.ts';
import { makeToken } from '../kit/owner.ts';
import type { Random } from '../kit/random.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

/** Headers that other gateways have passed on, each with a word of its own. */
const sentHeaders = [
  ...['cookie', 'proxy-authorization', 'x-api-key', 'x-mcp-auth', 'x-auth-token', 'x-access-token', 'api-key'],
  ...['x-forwarded-for', 'x-forwarded-user', 'x-real-ip', 'forwarded', 'via', 'referer', 'user-agent', 'baggage'],
  ...['x-amz-security-token', 'x-goog-iap-jwt-assertion', 'x-github-token', 'x-toolcrib-token', 'x-custom-anything'],
  ...['www-authenticate', 'set-cookie', 'authentication-info', 'x-upstream-authorization', 'from', 'accept-language'],
];
/** Variables of the gateway's environment that no server may get. */
const environment = [
  'AWS_SECRET_ACCESS_KEY',
  'GITHUB_TOKEN',
  'OPENAI_API_KEY',
  'TOOLCRIB_TOKEN_X',
  'NODE_OPTIONS_X',
  'SSH_AUTH_SOCK',
];
const servers = ['local', 'second', 'remote', 'session', 'old'] as const;

interface Canary {
  readonly word: string;
  readonly where: string;
  /** The only server that may know it. */
  readonly owner?: string;
}

export const nothingCrosses: Check = {
  id: 'B09',
  kind: 'bad inputs',
  title: 'No header or credential crosses',
  passes:
    'no word of a header, token or cookie of an agent at any server, and each secret of a server at its own alone',
  eras: ERAS,
  async run(rig) {
    const random = rig.draw('canaries');
    const own = Object.fromEntries(servers.map((name) => [name, random.word(`own-${name}`)]));
    const env = Object.fromEntries(environment.map((name) => [name, random.word('environment')]));
    const setup = await rig.open({ servers: plans(own), env });
    const canaries = [
      ...Object.entries(own).map(([name, word]): Canary => ({ word, where: `the secret of ${name}`, owner: name })),
      ...Object.entries(env).map(([name, word]): Canary => ({ word, where: `the variable ${name}` })),
    ];
    const token = await makeToken(setup, 'sender');
    canaries.push({ word: token, where: 'the token of the agent' });
    for (const era of ERAS) {
      for (const door of doors) {
        await rig.part(`${era} ${door}`, () => speak(rig, setup, { era, door, token, random, canaries }));
      }
    }
    await rig.part('bridges', () => bridges(setup, token));
    await rig.part('environments', () => environments(rig, setup, canaries));
    canaries.push({ word: setup.gateway.ownerToken, where: 'the token of the owner' });
    canaries.push({ word: setup.gateway.agentToken, where: 'the first token of agents' });
    look(rig, setup, canaries, own);
  },
};

function plans(own: Readonly<Record<string, string>>) {
  const bearer = (name: string) => ({ headers: { authorization: `Bearer ${own[name]}`, 'x-own': own[name] ?? '' } });
  const modes = { journalRaw: true };
  return {
    local: { modes, entry: { env: { OWN_SECRET: own.local } } },
    second: { modes, era: 'modern', entry: { env: { OWN_SECRET: own.second } } },
    remote: { transport: 'http', era: 'modern', modes, entry: bearer('remote') },
    session: { transport: 'http', era: 'legacy', modes, responses: 'sse', entry: bearer('session') },
    old: { transport: 'sse', entry: { type: 'sse', ...bearer('old') } },
  } as const;
}

const doors = ['/mcp?surface=direct', '/mcp?surface=full', '/servers/NAME/mcp'];

interface Speech {
  readonly era: (typeof ERAS)[number];
  readonly door: string;
  readonly token: string;
  readonly random: Random;
  readonly canaries: Canary[];
}

async function speak(rig: Rig, setup: Setup, { era, door, token, random, canaries }: Speech): Promise<void> {
  for (const name of servers) {
    const agent = await setup.agent(era, { token, door: door.replace('NAME', name) });
    const { 'mcp-session-id': session } = agent.written({ id: 1, method: 'ping' }).headers;
    if (session !== undefined) canaries.push({ word: session, where: 'the session id of an agent' });
    for (const [method, params] of requestsTo(name, door)) {
      const marked = mark(agent, random, canaries);
      const id = agent.nextId();
      const { status, message } = await agent.request({
        id,
        method,
        params: { ...params, _meta: marked.meta },
        headers: marked.headers,
      });
      const isAnswered = status === 200 && message?.result !== undefined;
      rig.expect(
        isAnswered,
        () => `${era} ${door} ${method} at ${name} got ${status} ${JSON.stringify(message?.error)}`,
      );
    }
  }
}

/** A word of its own for every header and every member that is meant for the gateway. */
function mark(agent: ExamAgent, random: Random, canaries: Canary[]): { headers: Record<string, string>; meta: Dict } {
  const made = (where: string) => {
    const word = random.word('canary');
    canaries.push({ word, where });
    return word;
  };
  const headers = Object.fromEntries(sentHeaders.map((name) => [name, made(`the header ${name}`)]));
  return {
    headers,
    meta: agent.era === 'modern' ? { token: made('_meta.token') } : { token: made('_meta.token'), projectId: '' },
  };
}

function requestsTo(name: string, door: string): (readonly [string, Dict])[] {
  const uri = `test://${name}/live`;
  if (door.includes('full')) {
    const code = `return await servers.${name}.echo({ text: 'chained ${name}' })`;
    return [
      [
        'tools/call',
        { name: 'tool_execute', arguments: { toolKey: `${name}:echo`, arguments: { text: `said ${name}` } } },
      ],
      ['tools/call', { name: 'call_tool_chain', arguments: { code } }],
      ['tools/call', { name: 'tool_discovery', arguments: { query: 'echo' } }],
      ['resources/read', { uri }],
      ['prompts/list', {}],
    ];
  }
  return [
    ['tools/call', { name: `${name}.echo`, arguments: { text: `said ${name}` } }],
    ['tools/list', {}],
    ['resources/read', { uri }],
    ['resources/list', {}],
    ['prompts/get', { name: `${name}.greeting`, arguments: {} }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: `${name}.translate` }, argument: { name: 'language', value: '' } },
    ],
  ];
}

async function bridges(setup: Setup, token: string): Promise<void> {
  for (const kind of ['v2 legacy', 'v2 modern'] as const) {
    await using agent = await connectStdio(kind, toolcribStdio(setup.dataDir, { TOOLCRIB_TOKEN: token }));
    for (const name of servers) await agent.say(`${name}.echo`, { text: 'by a bridge' });
  }
}

/** As the system has them, not as a server tells. */
async function environments(rig: Rig, setup: Setup, canaries: readonly Canary[]): Promise<void> {
  const { serverSecret } = setup.canaries;
  for (const name of ['local', 'second', 'sibling']) {
    for (const pid of setup.server(name).pids().filter(isAlive)) {
      const text = ['environ', 'cmdline'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8')).join('\0');
      const variables = text.split('\0').map((line) => line.split('=')[0] ?? '');
      rig.figure('variables of a child', variables.filter((line) => /^[A-Z_]+$/.test(line)).length);
      const isOwn =
        name === 'sibling'
          ? text.includes(serverSecret)
          : canaries.some(({ word, owner }) => owner === name && text.includes(word));
      rig.expect(isOwn, `"${name}" does not have its own secret, so that nothing can be said of others.`);
      const foreign = canaries.find(({ word, owner }) => owner !== name && text.includes(word));
      rig.expect(foreign === undefined, `"${name}" has ${foreign?.where} in its environment.`);
      const more = ['EXAM_CONSCIENCE', 'TOOLCRIB_TOKEN', 'TOOLCRIB_SECRET_KEY'].find((one) => variables.includes(one));
      rig.expect(more === undefined, `"${name}" was given the variable ${more}.`);
    }
  }
}

/** Everything that every server ever saw. */
function look(rig: Rig, setup: Setup, canaries: readonly Canary[], own: Readonly<Record<string, string>>): void {
  rig.figure('canaries', canaries.length);
  for (const name of [...servers, 'sibling']) {
    const server = setup.server(name);
    const text = readFileSync(server.journalPath, 'utf8');
    rig.figure(`bytes seen by ${name}`, text.length);
    if (name !== 'sibling') {
      const isSeen = text.includes(`said ${name}`) && text.includes(`chained ${name}`) && text.includes('by a bridge');
      rig.expect(isSeen, `The calls of "${name}" are not in its journal.`);
      rig.expect(server.isStdio || text.includes(own[name] ?? ''), `"${name}" did not get its own credential.`);
    }
    for (const { word, where, owner } of canaries) {
      if (owner !== name && text.includes(word)) rig.fault(`"${name}" saw ${where}.`);
    }
  }
}
