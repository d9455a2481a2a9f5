/** The dashboard by keyboard alone: dialogs take the focus and give it back, and a page that was gone to has it. */

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { openTestGateway } from '../kit/gateway.ts';
import { browserTest } from './browser.ts';

browserTest('[DASH-71] the palette is typed into at once, and leads into the page', async ({ open, use }) => {
  const gateway = use(await openTestGateway());
  const { page } = await open(gateway, '/overview');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('serv');
  // A screen reader hears which hit is chosen, and how many there are.
  const input = page.getByRole('combobox');
  const options = page.getByRole('listbox').getByRole('option');
  const chosen = page.getByRole('option', { selected: true });
  assert.equal(await input.getAttribute('aria-activedescendant'), await options.first().getAttribute('id'));
  await page.keyboard.press('ArrowDown');
  await options.nth(1).and(chosen).waitFor();
  assert.equal(await input.getAttribute('aria-activedescendant'), await options.nth(1).getAttribute('id'));
  await page
    .getByRole('status')
    .filter({ hasText: `${await options.count()} hits` })
    .waitFor();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/servers$/);
  await page.locator('main:focus').waitFor();
  for (const [typed, place] of Object.entries({
    secrets: /#\/access\?tab=secrets$/,
    approvals: /#\/review\?tab=calls$/,
    'waiting calls': /#\/review\?tab=calls$/,
    agents: /#\/access\?tab=agents$/,
    'a token': /#\/access\?create=token$/,
  })) {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Go to' }).waitFor();
    await page.keyboard.type(typed);
    await page.keyboard.press('Enter');
    await page.waitForURL(place);
  }
  await page.getByRole('dialog', { name: 'Create a token' }).waitFor();
});

browserTest(
  '[DASH-71] a form begins at its first input, a question at “Cancel”, and both end where they began',
  async ({ open, use }) => {
    const gateway = use(await openTestGateway());
    const { page } = await open(gateway, '/access');
    await page.getByRole('button', { name: 'Create a token' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await focused(page), 'Create a token');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('ann');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Token ann' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await focused(page), 'Create a token');
    const revoke = page.getByRole('row').filter({ hasText: 'ann' }).getByRole('button', { name: 'Revoke' });
    await revoke.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    assert.equal(await focused(page), 'Cancel');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await focused(page), 'Revoke');
  },
);

/** The text of the control with the focus. */
function focused(page: Page): Promise<string> {
  return page.locator(':focus').innerText();
}
