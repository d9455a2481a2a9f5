/** Tables on a phone: fewer columns, with the others in a second line. */

import assert from 'node:assert/strict';
import { browserTest, sharedDay } from './browser.ts';

browserTest('[DASH-72] on a phone, a row has what matters within its width', async ({ open }) => {
  const visit = await open(await sharedDay(), '/audit?outcome=refused', { viewport: { width: 360, height: 740 } });
  const { page } = visit;
  const rows = page.locator('.rows');
  const overflow = () => rows.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  // Other tests on the same gateway add records of their own.
  const refused = page.getByRole('row').filter({ hasText: 'refused' }).first();
  assert.match((await refused.innerText()).replace(/\s+/g, ' '), /refused tools\.call \w+:\w+ · ann/);
  assert.equal(await overflow(), 0);
  await visit.goTo('/access');
  const agent = page.getByRole('row').filter({ hasText: 'agent' }).first();
  await agent.getByText('use · all servers').waitFor();
  assert.equal(await overflow(), 0);
  await visit.goTo('/calls');
  assert.equal(await overflow(), 0);
  const tools = page.locator('.wraps');
  await tools.first().waitFor();
  const cut = await tools.evaluateAll((names) =>
    names.flatMap(({ scrollHeight, clientHeight, textContent }) => (scrollHeight > clientHeight ? [textContent] : [])),
  );
  assert.deepEqual(cut, []);
});
