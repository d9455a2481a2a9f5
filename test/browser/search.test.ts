/** The search page: what agents get, each score taken apart, as somebody else sees it, and two modes side by side. */

import assert from 'node:assert/strict';
import { browserTest, seriousFindings } from './browser.ts';
import { sharedDay } from './shared-day.ts';

browserTest('[DASH-30] a need is searched while it is typed, and each score is taken apart', async ({ open }) => {
  const day = await sharedDay();
  const { page } = await open(day, '/search');
  await page.getByLabel('What an agent needs').pressSequentially('send an e-mail');
  const first = page.locator('.hit').first();
  await first.getByRole('link', { name: /^mail-\w+:sendMessage$/ }).waitFor();
  assert.match(await first.innerText(), /words \d\.\d\d, meaning \d\.\d\d/);
  for (const part of ['words', 'meaning']) assert.ok(await first.locator(`[title^="${part}:"]`).isVisible(), part);
  await first.locator('summary').click();
  await first.getByRole('row', { name: /send .*name/ }).waitFor();
  assert.match(page.url(), /q=send\+an\+e-mail/);
  assert.deepEqual(await seriousFindings(page), []);
});

browserTest('[DASH-30] a search as somebody else names what they lack', async ({ open }) => {
  const { page } = await open(await sharedDay(), '/search?q=send+an+e-mail');
  await page.getByRole('combobox', { name: 'As token' }).selectOption('ben');
  await page.getByText('ben sees 69 of').waitFor();
  const leftOut = page.getByRole('table', { name: 'Left out' });
  await leftOut.getByRole('row', { name: /mail-work:sendMessage The token has no access to its server/ }).waitFor();
});

browserTest('[DASH-30] two modes stand side by side, with how ranks change', async ({ open }) => {
  const { page } = await open(await sharedDay(), '/search?q=delete+a+file&mode=bm25');
  await page.getByRole('combobox', { name: 'Compare with' }).selectOption('hybrid');
  const right = page.getByRole('region', { name: 'hybrid' });
  await right
    .getByText(/^↑ \d$/)
    .first()
    .waitFor();
  await page.getByRole('region', { name: 'bm25' }).waitFor();
  assert.ok((await page.locator('.compared line').count()) > 3);
  assert.deepEqual(await seriousFindings(page), []);
});
