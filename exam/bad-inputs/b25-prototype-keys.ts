/** B25: the names of inherited members wherever a name can stand; they are data, and nothing is changed by them. */

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../test/kit/processes.ts';
import type { Check } from '../check.ts';
import type { ExamAgent } from '../kit/agent.ts';
import { ERAS, envelope } from '../kit/agent-requests.ts';
import type { Rig } from '../kit/rig.ts';
import type { Setup } from '../kit/setup.ts';

const inherited = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
];
/** Written out, because an object literal would not hold the first key as a member. */
const poison =
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":"t","hasOwnProperty":1,"deep":{"__proto__":{"polluted":1},"list":[{"__proto__":null}]}}';

export const prototypeKeys: Check = {
  id: 'B25',
  kind: 'bad inputs',
  title: 'Prototype keys everywhere',
  passes: 'passed on to the letter or refused, unknown ones not found, and no prototype has gained a member',
  eras: ERAS,
  async run(rig) {
    const tools = [...inherited, 'mirror'].map((name) => ({ name, inputSchema: { type: 'object' } }));
    const modes = { journalRaw: true };
    const setup = await rig.open({
      isAlone: true,
      servers: { local: { tools, modes }, remote: { transport: 'http', era: 'modern', tools, modes }, plain: {} },
      configText: poisonConfig,
    });
    for (const era of ERAS) {
      const agent = await setup.agent(era);
      await rig.part(`arguments, ${era}`, () => argumentKeys(rig, setup, agent));
      await rig.part(`metadata, ${era}`, () => metadataKeys(rig, setup, agent));
      await rig.part(`tool names, ${era}`, () => toolNames(rig, setup, agent));
      await rig.part(`ids, ${era}`, () => ids(rig, agent));
      await rig.part(`headers, ${era}`, () => headers(rig, agent));
    }
    await rig.part('config', () => refusedConfig(rig, setup));
    await rig.part('servers', () => serverNames(rig, setup));
    await rig.part('conscience', () => conscience(rig, setup));
  },
};

/** Servers with such names beside the real ones. The first name is refused anywhere in the file, which is tried later. */
function poisonConfig(config: unknown): string {
  const text = JSON.stringify(config);
  const entry =
    '{"command":"no-such-command-at-all","env":{"constructor":"polluted","toString":"polluted"},"enabled":false}';
  const servers = inherited
    .slice(1)
    .map((name) => `${JSON.stringify(name)}:${entry}`)
    .join(',');
  return text.replace('"mcpServers":{', `"mcpServers":{${servers},`);
}

function callBody(agent: ExamAgent, id: string, name: string, argumentsText: string, metaText?: string): string {
  const own = agent.era === 'modern' ? JSON.stringify(envelope()).slice(1, -1) : '';
  const meta = [own, metaText ?? ''].filter((part) => part !== '').join(',');
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${argumentsText},"_meta":{${meta}}}}`;
}

async function send(
  agent: ExamAgent,
  id: unknown,
  name: string,
  argumentsText: string,
  metaText?: string,
): Promise<string> {
  const body = callBody(agent, JSON.stringify(id), name, argumentsText, metaText);
  return (await agent.request({ id, method: 'tools/call', params: { name }, body })).text;
}

/** The last thing that a server was sent. */
function lastRaw(setup: Setup, server: string): string {
  const raw = setup
    .server(server)
    .noted('raw')
    .map(({ text }) => String(text));
  return raw.findLast((text) => text.includes('tools/call')) ?? '';
}

async function argumentKeys(rig: Rig, setup: Setup, agent: ExamAgent): Promise<void> {
  for (const server of ['local', 'remote']) {
    const reply = await send(agent, 1, `${server}.mirror`, poison);
    const came = lastRaw(setup, server);
    rig.expect(
      came.includes(`"arguments":${poison}`),
      () => `${server} was sent ${came.slice(0, 600)}; the agent got ${reply.slice(0, 200)}`,
    );
  }
  const search = await setup.agent(agent.era, { door: '/mcp?surface=search' });
  await send(search, 1, 'tool_execute', `{"toolKey":"local:mirror","arguments":${poison}}`);
  const came = lastRaw(setup, 'local');
  rig.expect(came.includes(`"arguments":${poison}`), () => `Through tool_execute it was sent ${came.slice(0, 600)}`);
}

async function metadataKeys(rig: Rig, setup: Setup, agent: ExamAgent): Promise<void> {
  const keys = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"example.com/kept":1';
  for (const server of ['local', 'remote']) {
    const reply = await send(agent, 1, `${server}.mirror`, '{}', keys);
    const came = lastRaw(setup, server);
    const isRefused = reply.includes('"error"');
    rig.expect(
      isRefused || keys.split(',"').every((part) => came.includes(part)),
      () => `${server} was sent ${came.slice(0, 600)}; the agent got ${reply.slice(0, 200)}`,
    );
  }
}

async function toolNames(rig: Rig, setup: Setup, agent: ExamAgent): Promise<void> {
  const listed = await agent.tools();
  for (const name of inherited) {
    rig.expect(listed.includes(`local.${name}`), `local.${name} is not listed.`);
    const before = setup.server('local').noted('tool').length;
    const { isError, text } = await agent.call(`local.${name}`, {});
    const came = setup.server('local').noted('tool').slice(before);
    rig.expect(
      !isError && came.length === 1 && came[0]?.name === name,
      () => `local.${name} got ${text.slice(0, 300)}`,
    );
    for (const unknown of [name, `plain.${name}`, `${name}.echo`]) {
      const reply = await agent.call(unknown, {});
      const isUnknown = reply.errorType === 'TOOL_NOT_FOUND' || reply.errorType === 'SERVER_NOT_FOUND';
      rig.expect(isUnknown, () => `${unknown} got ${reply.text.slice(0, 300)}`);
    }
  }
}

/** All at once, so that they stand beside each other among the requests in flight. */
async function ids(rig: Rig, agent: ExamAgent): Promise<void> {
  const replies = await Promise.all(
    inherited.map((id) =>
      agent.request({
        id,
        method: 'tools/call',
        params: { name: 'plain.nonce', arguments: { value: id, delayMs: 50 } },
      }),
    ),
  );
  for (const [at, { message, text }] of replies.entries()) {
    const id = inherited[at];
    rig.expect(message?.id === id && text.includes(`"text":"${id}"`), () => `The id ${id} got ${text.slice(0, 300)}`);
  }
}

async function headers(rig: Rig, agent: ExamAgent): Promise<void> {
  for (const name of inherited) {
    const more = { [`x-${name}`]: 'x', [`mcp-param-${name}`]: 'x', ...Object.fromEntries([[name.toLowerCase(), 'x']]) };
    const params = { name: 'plain.echo', arguments: { text: 'headers' } };
    const { status, text } = await agent.request({ id: agent.nextId(), method: 'tools/call', params, headers: more });
    const isFine = text.includes('"text":"headers"') || (status >= 400 && status < 500);
    rig.expect(isFine, () => `The header ${name} got ${status} ${text.slice(0, 300)}`);
  }
}

/** While it runs, a file with the worst of keys in the worst of places changes nothing. */
async function refusedConfig(rig: Rig, setup: Setup): Promise<void> {
  const file = join(setup.dataDir, 'toolcrib.json');
  const good = readFileSync(file, 'utf8');
  for (const bad of [
    '"__proto__":{"polluted":true},',
    '"limits":{"__proto__":{"bodyBytes":1}},',
    '"constructor":{"prototype":{"polluted":true}},',
  ]) {
    writeFileSync(file, good.replace('{', `{${bad}`));
    await pause(500);
  }
  const agent = await setup.agent('modern');
  const { said } = await agent.call('plain.echo', { text: 'unchanged' });
  rig.expect(said === 'unchanged', `After a poisoned config it said ${said.slice(0, 300)}`);
  writeFileSync(file, good);
}

/** Those of the config have legal names of their own, and their raw names lead nowhere. */
async function serverNames(rig: Rig, setup: Setup): Promise<void> {
  const owner = await setup.agent('modern', { door: '/gateway/mcp', isOwner: true });
  const { text, isError } = await owner.call('list_servers', {});
  rig.expect(
    !isError && text.includes('plain') && !text.includes('"polluted":'),
    () => `list_servers said ${text.slice(0, 500)}`,
  );
  for (const name of ['__proto__', '__defineGetter__']) {
    const agent = await setup.agent('modern', { door: `/servers/${name}/mcp` });
    const { status } = await agent.request({ id: 1, method: 'tools/list' });
    rig.expect(status >= 400 && status < 500, `The door of "${name}" said ${status}.`);
  }
}

/** Asks inside the process, which nobody can from outside. */
async function conscience(rig: Rig, setup: Setup): Promise<void> {
  const file = join(setup.dataDir, 'conscience.json');
  rmSync(file, { force: true });
  process.kill(setup.gateway.pid, 'SIGUSR2');
  const text = await eventually('it has looked', () => {
    const written = existsSync(file) ? readFileSync(file, 'utf8') : '';
    return written === '' ? undefined : written;
  });
  rig.expect(text === '{"polluted":null,"members":[]}', `A prototype has gained a member: ${text}`);
}
