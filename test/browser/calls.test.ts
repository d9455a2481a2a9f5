/** Overview and Calls: what waits is decided there, calls come by themselves, and one server can be recorded. */

import assert from 'node:assert/strict';
import { openTestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { openRealSizeHost } from '../kit/real-size.ts';
import { browserTest } from './browser.ts';

async function openShop() {
  const host = await openRealSizeHost({ only: ['billing', 'memory'] });
  const billing = { ...host.servers.billing, permissions: { create_refund: 'ask', create_price: 'deny' } };
  const gateway = await openTestGateway({ servers: { ...host.servers, billing } });
  return {
    gateway,
    agent: new ModernAgent(gateway),
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      await host[Symbol.asyncDispose]();
    },
  };
}

browserTest(
  '[DASH-50] a call that waits is allowed where it is shown, and nothing waits then',
  async ({ open, use }) => {
    const shop = use(await openShop());
    const { page } = await open(shop.gateway, '/overview');
    await page.getByText('Nothing is waiting for you').waitFor();
    const refund = { payment_intent: 'pi_1', amount: 100 };
    assert.equal((await shop.agent.call('billing.create_refund', refund)).errorType, 'APPROVAL_NEEDED');
    const waiting = page.getByRole('listitem').filter({ hasText: 'billing:create_refund' });
    await waiting.getByText('"pi_1"').waitFor();
    await waiting.getByRole('button', { name: 'Approve once' }).click();
    await page.getByText('Nothing is waiting for you').waitFor();
    assert.equal((await shop.agent.call('billing.create_refund', refund)).isError, false);
    const lastHour = page.getByRole('region', { name: 'Last hour' });
    const refused = lastHour.locator('.figure').filter({ hasText: 'refused or wrong arguments' });
    await refused.getByText('1', { exact: true }).waitFor();
    await lastHour.getByText('0 %', { exact: true }).waitFor();
    // Nothing is approved there of which only the beginning is shown.
    await shop.agent.call('billing.create_refund', { ...refund, payment_intent: `pi_${'2'.repeat(200)}` });
    await waiting.getByRole('link', { name: 'Review all of it' }).waitFor();
    assert.equal(await waiting.getByRole('button', { name: 'Approve once' }).count(), 0);
  },
);

browserTest(
  '[DASH-51] calls come by themselves, through the filter, and stand still while paused',
  async ({ open, use }) => {
    const shop = use(await openShop());
    const visit = await open(shop.gateway, '/calls?server=memory');
    const { page } = visit;
    await page.getByText('No call matches this filter').waitFor();
    const tool = page.getByLabel('Tool', { exact: true });
    await tool.fill('half a na');
    await shop.agent.call('billing.list_customers');
    await shop.agent.call('memory.read_graph');
    const rows = page.getByRole('table', { name: 'Calls' }).getByRole('row').filter({ hasText: ':' });
    await rows.filter({ hasText: 'memory:read_graph' }).waitFor();
    assert.equal(await rows.count(), 1);
    assert.equal(await tool.inputValue(), 'half a na', 'what is being typed stays');
    await tool.fill('');
    await page.getByRole('button', { name: 'Pause' }).click();
    await shop.agent.call('memory.search_nodes', { wrong: 1 });
    await page.getByRole('button', { name: '1 new' }).waitFor();
    assert.equal(await rows.count(), 1);
    await page.getByRole('button', { name: '1 new' }).click();
    await rows.filter({ hasText: 'wrong arguments' }).getByRole('link').click();
    await page.getByText('The arguments do not match the tool’s schema.').waitFor();
    await page.getByRole('link', { name: 'Calls of this tool' }).click();
    await page.waitForURL(/#\/calls\?server=memory&tool=search_nodes$/);
    await page.getByLabel('Outcome').waitFor();
    await visit.goTo('/calls?tab=charts');
    await page.getByLabel('Server').waitFor();
    assert.equal(await page.getByLabel('Outcome').count(), 0, 'only filters that count over time');
  },
);

browserTest('[DASH-54] a refused call names what was asked for, and tells the owner why', async ({ open, use }) => {
  const shop = use(await openShop());
  const visit = await open(shop.gateway, '/calls');
  const { page } = visit;
  assert.equal((await shop.agent.call('billing.create_price')).isError, true);
  const row = page.getByRole('row').filter({ hasText: 'billing.create_price' });
  await row.getByText('refused').waitFor();
  await row.getByRole('link').click();
  await page.getByText('its permission is "deny"').waitFor();
  await new ModernAgent(shop.gateway, '/mcp?surface=code').call('call_tool_chain', { code: 'return search("price")' });
  await visit.goTo('/calls');
  await page.getByRole('row').filter({ hasText: 'call_tool_chain' }).getByRole('link').click();
  const search = page.getByRole('row').filter({ hasText: 'chain.search' }).getByRole('link');
  assert.match((await search.getAttribute('href')) ?? '', /#\/audit\/\d+$/, 'a record that is no call');
});

browserTest(
  '[DASH-52] a recording is seen on every page, shows what was sent, and is stopped',
  async ({ open, use }) => {
    const shop = use(await openShop());
    const visit = await open(shop.gateway, '/calls?tab=recording');
    const { page } = visit;
    await page.getByLabel('Server').selectOption('memory');
    await page.getByRole('button', { name: 'Start recording' }).click();
    await page.getByText('Recording memory, 5 min left').waitFor();
    await shop.agent.call('memory.search_nodes', { query: 'what is <b>kept</b>' });
    await page.getByText('search_nodes').click();
    await page.getByLabel('Arguments').getByText('what is <b>kept</b>').waitFor();
    await visit.goTo('/servers');
    const mark = page.getByRole('region', { name: 'Recording' });
    await mark.getByRole('button', { name: 'Stop' }).click();
    await mark.waitFor({ state: 'detached' });
  },
);
