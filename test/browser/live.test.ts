/** The page is kept up to date as things happen, and across a restart of its gateway. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { emptySchema, skipsPostgres } from '../kit/postgres.ts';
import { eventually } from '../kit/processes.ts';
import { openRealSizeHost } from '../kit/real-size.ts';
import { openReplica } from '../kit/replicas.ts';
import { browserTest } from './browser.ts';

browserTest('[DASH-13] a server that is switched off is shown so without a further look', async ({ open, use }) => {
  const host = use(await openRealSizeHost({ only: ['memory', 'toolbox'] }));
  const gateway = use(await openTestGateway({ servers: host.servers }));
  const { page } = await open(gateway, '/servers');
  const row = page.getByRole('row').filter({ hasText: 'memory' });
  await row.waitFor();
  await gateway.gateway.admin.run('servers.disable', { name: 'memory' });
  await row.getByText('disabled').waitFor();
});

browserTest('[DASH-13] a call is shown once it is made, without a request of the page', async ({ open, use }) => {
  const host = use(await openRealSizeHost({ only: ['memory'] }));
  const gateway = use(await openTestGateway({ servers: host.servers }));
  const { page } = await open(gateway, '/calls');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await new ModernAgent(gateway).call('memory.read_graph');
  await page.getByRole('row').filter({ hasText: 'memory:read_graph' }).waitFor();
  assert.deepEqual(asked, []);
  await page.locator('.rows').press('ArrowDown');
  const focused = await page.locator(':focus').getAttribute('href');
  assert.match(focused ?? '', /^#\/calls\/\d+$/, 'a table that began empty is moved in by keys too');
});

browserTest('[DASH-12] a page says that its gateway is gone, and goes on after its restart', async ({ open, use }) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-restart-'));
  const host = use(await openRealSizeHost({ only: ['memory'] }));
  const first = await openTestGateway({ dataDir, servers: host.servers });
  // A gateway that stops refuses what still comes.
  const { page } = await open(first, '/servers', { expects: /status of 503/ });
  await first.close();
  const notice = page.getByText('The gateway does not answer');
  await notice.waitFor();
  const port = Number(new URL(first.url).port);
  // Another program may have taken it for a moment, for a connection of its own.
  await using second = await eventually('the port is free again', () =>
    openTestGateway({ dataDir, port, servers: host.servers }).catch(unlessTaken),
  );
  await notice.waitFor({ state: 'detached' });
  await second.gateway.admin.run('servers.disable', { name: 'memory' });
  await page.getByRole('row').filter({ hasText: 'memory' }).getByText('disabled').waitFor();
  await second.close();
  await rm(dataDir, { recursive: true, maxRetries: 3 });
});

function unlessTaken(error: { readonly code?: string }): undefined {
  if (error.code !== 'PORT_TAKEN') throw error;
}

browserTest(
  '[DASH-13] the overview says that nothing waits only once the gateway has said so',
  async ({ open, use }) => {
    const gateway = use(await openTestGateway({ servers: {} }));
    const { page } = await open(gateway, '/servers');
    let isAnswered = false;
    await page.route('**/api/approvals/list', (route) =>
      isAnswered ? route.continue() : route.abort('connectionreset'),
    );
    await page.getByRole('link', { name: 'Overview' }).click();
    const panel = page.getByRole('region', { name: 'Waiting for you' });
    const nothing = panel.getByText('Nothing is waiting for you.');
    await panel.getByRole('alert').waitFor();
    assert.equal(await nothing.count(), 0);
    isAnswered = true;
    await panel.getByRole('button', { name: 'Try again' }).click();
    await nothing.waitFor();
  },
);

browserTest(
  '[REP-30] the overview lists the replicas, and a call that waits at another one is answered here',
  async ({ open, use }) => {
    const { url } = await emptySchema();
    const { servers } = hostServers({ shop: { entry: { permissions: { echo: 'ask' } } } });
    const options = { servers, config: { access: { askBy: ['owner'] } } };
    const other = use(await openReplica(url, options));
    const gateway = use(await openReplica(url, options));
    const visit = await open(gateway, '/overview');
    const replicas = visit.page.getByRole('region', { name: 'Replicas' });
    await replicas.getByText('2 replicas on this store').waitFor();
    await replicas.getByRole('listitem').filter({ hasText: gateway.url }).getByText('this one').waitFor();
    assert.equal(await replicas.getByRole('listitem').filter({ hasText: other.url }).getByText('this one').count(), 0);
    const agent = new ModernAgent(other);
    assert.equal((await agent.call('shop.echo', { text: 'elsewhere' })).errorType, 'APPROVAL_NEEDED');
    await visit.goTo('/review');
    await visit.page.getByText('"elsewhere"').waitFor();
    await visit.page.getByRole('button', { name: 'Approve once' }).click();
    await visit.page.getByText('No call waits for approval').waitFor();
    assert.equal(await agent.say('shop.echo', { text: 'elsewhere' }), 'elsewhere');
  },
  skipsPostgres,
);
