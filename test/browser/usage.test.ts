/** Usage: what is called, after what, and what never is; metrics are reset after a question. */

import assert from 'node:assert/strict';
import { openTestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { openRealSizeHost } from '../kit/real-size.ts';
import { browserTest } from './browser.ts';

browserTest(
  '[DASH-53] usage is shown, also what was never used, and forgotten after a question',
  async ({ open, use }) => {
    const host = use(await openRealSizeHost({ only: ['memory'] }));
    const gateway = use(await openTestGateway({ servers: host.servers }));
    const agent = new ModernAgent(gateway);
    for (const _ of [1, 2]) {
      await agent.call('memory.read_graph');
      await agent.call('memory.search_nodes', { query: 'x' });
    }
    const { page } = await open(gateway, '/usage');
    const used = page.getByRole('table', { name: 'Most used tools' });
    await used.getByRole('row').filter({ hasText: 'memory:read_graph' }).getByText('2', { exact: true }).waitFor();
    await page.getByRole('img', { name: /memory:read_graph, memory:search_nodes/ }).waitFor();
    await page.getByText(/^\d+ of \d+ tools were never called/).waitFor();
    await page.getByRole('button', { name: 'Reset metrics' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reset metrics' });
    await dialog.getByLabel('Server').selectOption('memory');
    await dialog.getByRole('button', { name: 'Delete the metrics of server memory' }).click();
    await page.getByText('Deleted the metrics of server memory: 4 calls.').waitFor();
    await page.getByText('No tool was called yet').waitFor();
    assert.equal((await gateway.gateway.admin.run('metrics.tools', {})).toolCount, 0);
  },
);
