/** Every page can be used with a screen reader, in light and dark, as far as a program can tell. */

import assert from 'node:assert/strict';
import { browserTest, seriousFindings, sharedDay } from './browser.ts';

for (const colorScheme of ['light', 'dark'] as const)
  browserTest(
    `[DASH-15] no page has a serious flaw for those who cannot see it as others do, in ${colorScheme}`,
    async ({ open }) => {
      const visit = await open(await sharedDay(), undefined, { colorScheme });
      const findings: Record<string, string[]> = {};
      await visit.walk(1, async (route) => {
        findings[route] = await seriousFindings(visit.page);
      });
      assert.deepEqual(findings, Object.fromEntries(Object.keys(findings).map((route) => [route, []])));
    },
  );
