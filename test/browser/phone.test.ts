/** Tables on a phone: fewer columns, with the others in a second line. */

import assert from 'node:assert/strict';
import { browserTest } from './browser.ts';
import { sharedDay } from './shared-day.ts';

/** The members of an element that are read here: they exist only in the page. */
interface Measured {
  readonly scrollWidth: number;
  readonly clientWidth: number;
  readonly scrollHeight: number;
  readonly clientHeight: number;
  readonly textContent: string;
}

browserTest('[DASH-72] on a phone, a row has what matters within its width', async ({ open }) => {
  const visit = await open(await sharedDay(), '/audit?outcome=refused', { viewport: { width: 360, height: 740 } });
  const { page } = visit;
  const rows = page.locator('.rows');
  const overflow = () => rows.evaluate(({ scrollWidth, clientWidth }: Measured) => scrollWidth - clientWidth);
  // Other tests on the same gateway, and time that goes by, add records of their own.
  const refused = page
    .getByRole('row')
    .filter({ hasText: /refused.*tools\.call/s })
    .first();
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
  const cut = await tools.evaluateAll((names: readonly Measured[]) =>
    names.flatMap(({ scrollHeight, clientHeight, textContent }) => (scrollHeight > clientHeight ? [textContent] : [])),
  );
  assert.deepEqual(cut, []);
});

browserTest('[DASH-72] on a phone, long names and wide tables do not widen the page', async ({ open }) => {
  const visit = await open(await sharedDay(), undefined, { viewport: { width: 360, height: 740 } });
  const wide: string[] = [];
  for (const route of [
    '/tools/calendar:calendar.events.insert',
    '/optimizer/toolbox',
    '/optimizer/toolbox/days_between',
  ]) {
    await visit.goTo(route);
    const { scrollWidth, clientWidth } = await visit.page.locator('html').evaluate(widthsOf);
    if (scrollWidth > clientWidth) wide.push(route);
  }
  assert.deepEqual(wide, []);
});

/** Runs in the page. */
function widthsOf({ scrollWidth, clientWidth }: Measured): Pick<Measured, 'scrollWidth' | 'clientWidth'> {
  return { scrollWidth, clientWidth };
}
