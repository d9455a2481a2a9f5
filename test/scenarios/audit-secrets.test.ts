/** A secret typed where a name belongs: every operation and every tool of our own is given one in each of its texts, and the audit and the log hold none. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { z } from 'zod';
import { type OutputOf, operations } from '../../src/admin/admin.ts';
import { GatewayError } from '../../src/base/errors.ts';
import { isObject } from '../../src/base/json.ts';
import { CliMachine } from '../kit/cli.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';

type Dict = Record<string, unknown>;

const hex = () => randomBytes(9).toString('hex');
/** One that is set by name and reads like a legal name, one of an unknown shape, and one of a known shape. */
const planted = { known: `vault-${hex()}`, unknown: `p@ss!-${hex()}`, shaped: `sk-live-${hex()}` };

/** A value for each member that a schema asks for, with the text in the place of every text. */
function filled(schema: Dict, text: string): unknown {
  const { type, properties, required = [], enum: choices, anyOf } = schema;
  if (Array.isArray(choices)) return choices[0];
  if (Array.isArray(anyOf)) return filled(anyOf[0] as Dict, text);
  if (type === 'string') return text;
  if (type === 'array') return [filled(isObject(schema.items) ? schema.items : {}, text)];
  if (type === 'object' && !isObject(properties)) return { command: 'false', [text]: text };
  if (type !== 'object') return undefined;
  const members = Object.entries(properties as Record<string, Dict>);
  const given = members.filter(([name, one]) => (required as string[]).includes(name) || holdsText(one));
  return Object.fromEntries(given.map(([name, one]) => [name, filled(one, text)]));
}

function holdsText({ type, anyOf, enum: choices }: Dict): boolean {
  return choices === undefined && (type === 'string' || type === 'array' || Array.isArray(anyOf));
}

async function post(gateway: TestGateway, name: string, input: unknown): Promise<void> {
  const response = await fetch(`${gateway.url}/api/${name.replaceAll('.', '/')}`, {
    method: 'POST',
    headers: { ...gateway.ownerHeaders, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  await response.text();
}

/** Which secrets stand in the audit or the log, and where. */
async function leaksIn({ gateway, logged }: TestGateway): Promise<string[]> {
  const lines = [...logged];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: OutputOf<'audit.export'> = await gateway.admin.run('audit.export', { after, limit: 1_000 });
    lines.push(...page.records.map((record) => JSON.stringify(record)));
    after = page.records.length === 0 ? undefined : page.upto;
  }
  const found = lines.filter((line) => Object.values(planted).some((secret) => line.includes(secret)));
  return found.map((line) => line.slice(0, 500));
}

const plan = hostServers({ one: { toolCount: 1 } });

// Where arguments are kept, an unknown secret among them cannot be told from any other text.
for (const [keepsArguments, secrets] of [
  [false, Object.values(planted)],
  [true, [planted.known, planted.shaped]],
] as const) {
  test(`[AUD-14] no operation and no tool of our own leaves a secret that was typed as a name (arguments ${keepsArguments ? 'kept' : 'left out'})`, {
    timeout: 120_000,
  }, async () => {
    const config = { audit: { arguments: keepsArguments }, optimize: { enabled: true } };
    await using opened = await openTestGateway({ servers: plan.servers, config });
    await opened.gateway.admin.run('secrets.set', { name: 'KEY', value: planted.known });
    const orders = Object.entries(operations).filter(([name]) => name !== 'gateway.stop');
    assert.ok(orders.length > 60);
    for (const [name, { input, audit }] of orders) {
      const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Dict;
      for (const secret of secrets) {
        await post(opened, name, filled(schema, secret));
        // The record of a call says which of its members was wrong.
        const odd = audit === 'execution' ? {} : { [secret]: secret };
        await post(opened, name, { ...(filled(schema, 'name') as Dict), name: secret, ...odd });
      }
    }
    for (const door of ['/gateway/mcp', '/mcp?surface=full']) await callAll(opened, door, secrets);
    assert.deepEqual(await leaksIn(opened), []);
  });
}

async function callAll(opened: TestGateway, door: string, secrets: readonly string[]): Promise<void> {
  const agent = new ModernAgent({ url: opened.url, agentHeaders: opened.ownerHeaders }, door);
  const { tools } = await agent.request('tools/list');
  for (const secret of secrets) {
    for (const { name, inputSchema } of tools as { name: string; inputSchema: Dict }[])
      await agent.ask('tools/call', { name, arguments: filled(inputSchema, secret) });
    await agent.ask('tools/call', { name: secret, arguments: {} });
    await agent.ask('tools/call', { name: 'tool_execute', arguments: { toolKey: secret, arguments: {} } });
    await agent.ask('prompts/get', { name: secret });
    await agent.ask('resources/read', { uri: `file:///${planted.known}` });
  }
}

test('[AUD-14] a secret is refused as the name of anything, and stands nowhere afterwards', {
  timeout: 60_000,
}, async () => {
  await using opened = await openTestGateway({ servers: plan.servers });
  const { admin } = opened.gateway;
  await admin.run('secrets.set', { name: 'KEY', value: planted.known });
  const refused = { code: 'USAGE', message: /reads like a secret, so it was not used/ };
  for (const name of [planted.known, planted.shaped]) {
    await assert.rejects(admin.run('tokens.create', { name }), refused);
    await assert.rejects(admin.run('projects.create', { name }), refused);
    await assert.rejects(admin.run('secrets.set', { name, value: 'x' }), refused);
    await assert.rejects(admin.run('servers.add', { name, spec: { command: 'false' } }), (error) => {
      assert.ok(error instanceof GatewayError);
      return !error.message.includes(name) && refused.message.test(error.message);
    });
  }
  assert.deepEqual(await leaksIn(opened), []);
  // A plain word may be a secret by chance, and its record still says what it was about.
  await admin.run('secrets.set', { name: 'USER', value: 'postgres' });
  await admin.run('servers.add', { name: 'postgres', spec: { command: 'false', enabled: false } });
  const { records } = await admin.run('audit.list', { server: 'postgres' });
  assert.deepEqual(
    records.map(({ action }) => action),
    ['servers.add'],
  );
});

test('[AUD-14] the command line refuses them, too', { timeout: 60_000 }, async () => {
  await using machine = await CliMachine.make();
  for (const secret of [planted.unknown, planted.shaped]) {
    for (const argv of [
      ['secret', 'set', secret],
      ['secret', 'remove', secret],
      ['token', 'create', secret],
      ['project', 'remove', secret],
      ['remove', secret],
    ]) {
      const { code } = await machine.launch(argv, { input: 'x' }).ended;
      assert.notEqual(code, 0, argv.join(' '));
    }
  }
  const { stdout } = await machine.run('audit', '--json');
  assert.ok(stdout.includes('servers.remove'));
  for (const secret of Object.values(planted)) assert.ok(!stdout.includes(secret), stdout);
});
