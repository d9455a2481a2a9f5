/** The page "Access": a token for a colleague, a project, and secrets by name. */

import assert from 'node:assert/strict';
import { openTestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { bearer } from '../kit/tokens.ts';
import { browserTest, seriousFindings } from './browser.ts';

browserTest(
  '[DASH-63] a token is made with the rights that were picked, shown once, and revoked',
  async ({ open, use }) => {
    const gateway = use(await openTestGateway());
    const { admin } = gateway.gateway;
    const { page } = await open(gateway, '/access');
    await page.getByRole('button', { name: 'Create a token' }).click();
    await page.getByLabel(/^Name/).fill('ann');
    await page.getByLabel(/^Servers/).fill('mial');
    await page.getByText('No server has this name now: mial').waitFor();
    await page.getByLabel(/^Expires/).selectOption('In 30 days');
    assert.deepEqual(await seriousFindings(page), []);
    // The click right after the last key sends what was typed.
    await page.getByLabel(/^Servers/).fill('mail-*');
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = await page.getByRole('dialog').locator('pre').first().innerText();
    const made = (await admin.run('tokens.list', {})).find(({ name }) => name === 'ann');
    assert.deepEqual([made?.scopes, made?.servers], [['use'], ['mail-*']]);
    assert.ok(Date.parse(made?.expiresAt ?? '') > Date.now());
    const ann = new ModernAgent({ url: gateway.url, agentHeaders: bearer(token.trim()) });
    await ann.tools();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('row').filter({ hasText: 'ann' }).getByText('no session').waitFor();
    await page.getByRole('link', { name: 'Tokens' }).click();
    const row = page.getByRole('row').filter({ hasText: 'ann' });
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    await assert.rejects(ann.tools());
  },
);

browserTest(
  '[DASH-64] [DASH-66] a project is made and changed, and a secret is set without being shown again',
  async ({ open, use }) => {
    const gateway = use(await openTestGateway());
    const { admin } = gateway.gateway;
    const visit = await open(gateway, '/access?tab=projects');
    const { page } = visit;
    await page.getByRole('button', { name: 'Create a project' }).click();
    await page.getByLabel(/^Name/).fill('shop');
    await page.getByRole('button', { name: 'Add a permission' }).click();
    await page.getByLabel('Tools', { exact: true }).fill('till:refund');
    await page.getByRole('button', { name: 'Create project' }).click();
    await page.locator('summary').filter({ hasText: 'shop' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByText('On: agents find tools.').click();
    await page.getByRole('button', { name: 'Remove till:refund' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('summary').filter({ hasText: 'discovery off' }).waitFor();
    const [shop] = await admin.run('projects.list', {});
    assert.deepEqual([shop?.name, shop?.search, shop?.permissions], ['shop', null, {}]);
    // Somebody else changes it while the form is open: nothing of theirs is undone unseen, nothing typed is lost.
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel(/^Purpose/).fill('For the till');
    await admin.run('projects.set', { name: 'shop', servers: ['stock'] });
    await page.getByText('This project changed since you opened this form.').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled());
    await page.getByRole('button', { name: 'Replace the newer version' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.locator('summary').filter({ hasText: 'For the till' }).waitFor();
    const seen = { description: null, servers: ['stock'], search: null, surface: null, permissions: {} };
    await assert.rejects(admin.run('projects.set', { name: 'shop', seen }), /"shop" changed since you opened it/);
    await visit.goTo('/access?tab=secrets');
    await page.getByRole('button', { name: 'Set a secret' }).click();
    await page.getByLabel(/^Name/).fill('MAIL_KEY');
    await page.getByLabel(/^Value/).fill('swordfish-12345');
    await page.getByRole('button', { name: 'Set secret' }).click();
    await page.getByRole('row').filter({ hasText: 'MAIL_KEY' }).getByText('set').first().waitFor();
    assert.ok(!(await page.content()).includes('swordfish'));
    assert.deepEqual(
      (await admin.run('secrets.list', {})).map(({ name, state }) => [name, state]),
      [['MAIL_KEY', 'set']],
    );
  },
);
