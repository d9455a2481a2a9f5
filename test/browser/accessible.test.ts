/** Every page can be used with a screen reader, in light and dark, as far as a program can tell. */

import assert from 'node:assert/strict';
import { browserTest, seriousFindings } from './browser.ts';
import { sharedDay } from './shared-day.ts';

browserTest(
  '[DASH-15] no page has a serious flaw for those who cannot see it as others do, in light and dark',
  async ({ open }) => {
    const visit = await open(await sharedDay(), undefined, { colorScheme: 'light' });
    const { page } = visit;
    const findings: string[] = [];
    await visit.walk(1, async (route) => {
      const inLight = await seriousFindings(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      // Nothing but colours differs.
      const inDark = await seriousFindings(page, ['color-contrast']);
      await page.emulateMedia({ colorScheme: 'light' });
      findings.push(...[...inLight, ...inDark].map((finding) => `${route}: ${finding}`));
    });
    assert.deepEqual(findings, []);
  },
);
