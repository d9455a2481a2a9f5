/** The page "Audit": filtered by its address, followed, and exported. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { openTestGateway } from '../kit/gateway.ts';
import { browserTest, seriousFindings } from './browser.ts';

browserTest('[DASH-62] the audit keeps its filter, follows what happens and exports it', async ({ open, use }) => {
  const gateway = use(await openTestGateway());
  const { admin } = gateway.gateway;
  const visit = await open(gateway, '/audit?kind=administration');
  const { page } = visit;
  await page.getByLabel('Action').fill('tokens.');
  await admin.run('tokens.create', { name: 'ann' });
  const rows = page.getByRole('row').filter({ has: page.getByRole('cell') });
  await rows.filter({ hasText: 'tokens.create' }).waitFor();
  assert.equal(await page.getByLabel('Action').inputValue(), 'tokens.', 'what is being typed stays');
  await page.getByLabel('Action').press('Enter');
  await page.waitForURL(/action=tokens\./);
  await rows.filter({ hasText: 'tokens.create' }).waitFor();
  assert.equal(await rows.count(), 1);
  // It comes by itself, but moves no row under the pointer.
  await rows.first().hover();
  await admin.run('tokens.revoke', { name: 'ann' });
  const fresh = page.getByRole('button', { name: '1 new' });
  await fresh.waitFor();
  assert.equal(await rows.count(), 1);
  await fresh.hover();
  await rows.filter({ hasText: 'tokens.revoke' }).waitFor();
  // Nor under the focus.
  await rows.first().getByRole('link').focus();
  await admin.run('tokens.create', { name: 'ben' });
  await fresh.click();
  await rows.filter({ hasText: 'tokens.create' }).nth(1).waitFor();
  assert.deepEqual(await seriousFindings(page), []);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const download = await downloading;
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
  assert.deepEqual(
    lines.map((line) => line.split(',')[3]),
    ['action', 'tokens.create', 'tokens.revoke', 'tokens.create'],
  );
  await rows.last().getByRole('link').click();
  await page.getByText('"name": "ann"').waitFor();
});
