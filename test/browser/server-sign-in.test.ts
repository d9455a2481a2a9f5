/** A server that wants a sign-in: from its page, through a real issuer, and back to a server that works. */

import assert from 'node:assert/strict';
import { openOAuthSetup } from '../kit/oauth-setup.ts';
import { browserTest } from './browser.ts';

browserTest(
  '[DASH-47] a person signs in to a server from its page, in another tab, and finds its tools',
  async ({ open, use }) => {
    const setup = use(await openOAuthSetup());
    const { admin } = setup.test.gateway;
    await admin.run('servers.refresh', { name: 'far', once: true });
    const elsewhere = new RegExp(`^request: ${setup.issuer.url}/`);
    const { page } = await open(setup.test, '/servers', { expects: elsewhere });
    await page.getByRole('link', { name: 'far' }).click();
    await page.getByText('This server needs a sign-in.').waitFor();
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    const opened = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Open the sign-in page' }).click();
    const tab = await opened;
    // The issuer's only user agrees by itself, and the tab ends at the gateway.
    await tab.waitForURL(`${setup.test.url}/oauth/callback**`);
    await page.getByText('You are signed in to this server.').waitFor();
    await page.getByRole('heading', { name: 'far connected' }).waitFor();
    await page.getByRole('table', { name: 'Tools of far' }).getByRole('row').nth(1).waitFor();
    assert.equal(await setup.state(), 'signed-in');
    await page.getByRole('region', { name: 'Server far' }).getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('This server needs a sign-in.').waitFor();
    assert.equal(await setup.state(), 'needed');
  },
);
