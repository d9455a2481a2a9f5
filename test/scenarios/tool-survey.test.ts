/** The owner asks of all tools which of them agents have and why not the others, and reads on in a large result. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestGateway } from '../kit/gateway.ts';
import { RenewedServer } from '../kit/renewed-server.ts';

const inputSchema = { type: 'object', properties: {} };
const long = Array.from({ length: 5_000 }, (_, at) => `line ${at + 1}`).join('\n');

async function openShop() {
  const server = await RenewedServer.open({
    name: 'shop',
    tools: [
      {
        name: 'list_orders',
        description: 'Lists orders.',
        inputSchema,
        respond: { content: [{ type: 'text', text: long }] },
      },
      { name: 'refund', description: 'Refunds an order.', inputSchema },
      { name: 'wipe', description: 'Deletes every order.', inputSchema },
      { name: 'audit', description: 'Shows who did what.', inputSchema },
    ],
  });
  const entry = {
    ...server.entry,
    tools: ['list_orders', 'refund', 'wipe'],
    permissions: { refund: 'ask', wipe: 'deny' },
  };
  const config = { projects: { office: { servers: ['mail'] } } };
  const gateway = await openTestGateway({
    servers: { shop: entry, old: { command: 'false', enabled: false } },
    config,
  });
  return {
    admin: gateway.gateway.admin,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

test('[DASH-41] the survey lists every tool of a server, with why agents do not have it; a token or a project narrows it', async () => {
  await using shop = await openShop();
  const { admin } = shop;
  const states = async (seen: { token?: string; project?: string } = {}) =>
    Object.fromEntries(
      (await admin.run('tools.survey', seen)).map(({ name, permission, absence }) => [name, [permission, absence]]),
    );
  assert.deepEqual(await states(), {
    list_orders: ['allow', null],
    refund: ['ask', null],
    wipe: ['deny', 'denied'],
    audit: ['allow', 'hidden'],
  });
  const hidden = (await admin.run('tools.survey', {})).find(({ absence }) => absence === 'hidden');
  assert.equal(hidden?.description, 'Shows who did what.', 'the owner can choose it by what it does');
  await admin.run('tokens.create', { name: 'ann', servers: ['mail*'] });
  assert.deepEqual((await states({ token: 'ann' })).refund, ['ask', 'server']);
  assert.deepEqual((await states({ project: 'office' })).refund, ['ask', 'project']);
  await assert.rejects(states({ token: 'anne' }), { code: 'USAGE', hint: 'Did you mean "ann"?' });
  const why = async (name: string) => (await admin.run('tools.why', { name })).answers.map(({ message }) => message);
  assert.deepEqual(await why('wipe'), ['Agents do not see "shop:wipe": its permission is "deny".']);
  assert.deepEqual(await why('old'), ['Agents do not see server "old": server "old" is switched off.']);
  assert.deepEqual(await why('shop:list_order'), ['There is no tool "shop:list_order".']);
});

test('[DASH-42] a call with "shape" stores a large result, which results.read gives page by page', async () => {
  await using shop = await openShop();
  const call = { toolKey: 'shop:list_orders', shape: true };
  const { _meta: meta } = await shop.admin.run('tools.call', call);
  const { id } = (meta as Record<string, { readonly id: string }>)['toolcrib/result'] ?? { id: '' };
  const first = await shop.admin.run('results.read', { id, part: 1, page: 1 });
  assert.ok(first.text.includes('line 1\n'), first.text.slice(0, 200));
  const count = first.pages?.count ?? 0;
  assert.ok(count > 1);
  const last = await shop.admin.run('results.read', { id, part: 1, page: count });
  assert.ok(last.text.endsWith('line 5000'), last.text.slice(-200));
  const whole = await shop.admin.run('tools.call', { ...call, shape: false });
  assert.equal(JSON.stringify(whole).includes('line 5000'), true);
});
