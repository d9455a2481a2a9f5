/**
 * Tests of the dashboard in a real browser. A page's test reads like this:
 *
 *     browserTest('[DASH-7] a server that fails shows its last words', async ({ open }) => {
 *       const { page } = await open(await sharedDay(), '/servers/tickets');
 *       await page.getByText('TICKETS_URL is not set').waitFor();
 *     });
 *
 * - `browserTest(title, act)` is a test with `open`; it fails for every error on the console, violation of the content security
 *   policy and request to somebody else, and is skipped where there is no Chromium (or fails, with TOOLCRIB_TEST_ALL=1).
 * - `open(gateway, route?, options?)` signs in by a real link, in a tab that remembers nothing, and gives a `Visit`. Tabs that are
 *   open at once share nothing. Size and colours belong in the options: a tab with options is used once.
 * - `visit.page` is Playwright's page; `visit.goTo(route)` goes to another one, `visit.atRest()` waits until nothing is asked.
 * - `sharedDay()` is a gateway with a day behind it, for tests that only look. One that changes something opens its own:
 *   `openTestGateway` of `../kit/gateway.ts`, handed to `use`, so that it is closed after the pages.
 * - `seriousFindings(page, rules?)` lists what axe finds serious or critical; no page may have any.
 */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import axe, { type RunOptions } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { chromiumAdvice, findChromium, startChromium } from './chromium.ts';
import { buildIfOlder } from './fresh-build.ts';
import { declareLooking } from './shared-day.ts';
import { Visit, type Visited } from './visit.ts';

interface VisitOptions extends BrowserContextOptions {
  /** Troubles that belong to the test, such as the refusal that it provokes. */
  readonly expects?: RegExp;
  /** False: no link is used, and the page is whatever a stranger gets. */
  readonly signsIn?: boolean;
}

interface BrowserTest {
  /** Something that pages of the test need, such as its gateway: closed after them, so that none is left asking. */
  use<T extends AsyncDisposable>(needed: T): T;
  /** The page is at rest. Closed with the test. */
  open(visited: Visited, route?: string, options?: VisitOptions): Promise<Visit>;
}

const chromium = findChromium();
const isRequired = process.env.TOOLCRIB_TEST_ALL === '1';
if (chromium === undefined)
  console.error(`Tests of the dashboard ${isRequired ? 'fail' : 'are skipped'}: ${chromiumAdvice}`);

/** Tests whose files have not ended. With the last one goes the browser, or the process would stay. */
let declared = 0;
let browser: Promise<Browser> | undefined;

/** `missing`: why it is skipped, where it needs something else. */
export function browserTest(
  title: string,
  act: (given: BrowserTest) => Promise<void>,
  missing: string | false = false,
): void {
  declared += 1;
  after(async () => {
    declared -= 1;
    if (declared > 0) return;
    const opened = browser;
    browser = undefined;
    await (await opened)?.close();
  });
  declareLooking();
  const skip = missing || (chromium === undefined && !isRequired && chromiumAdvice);
  test(title, { skip }, async (t) => {
    assert.ok(chromium, chromiumAdvice);
    browser ??= start(chromium);
    const started = await browser;
    await using stack = new AsyncDisposableStack();
    const checks: (() => void)[] = [];
    const visits: Visit[] = [];
    const open: BrowserTest['open'] = async (visited, route, { expects, signsIn = true, ...options } = {}) => {
      const visit = stack.use(await Visit.begin(started, visited, options));
      visits.push(visit);
      const unexpected = () => visit.troubles.filter((trouble) => expects === undefined || !expects.test(trouble));
      checks.push(() => assert.deepEqual(unexpected(), []));
      if (signsIn) await visit.signIn();
      if (route !== undefined) await visit.goTo(route);
      return visit;
    };
    try {
      await act({ open, use: (needed) => stack.use(needed) });
    } catch (error) {
      // A page that is gone has nothing to say.
      for (const visit of visits) t.diagnostic(await visit.described().catch(String));
      throw error;
    }
    for (const check of checks) check();
  });
}

/** Each as one line: the rule, how grave it is, and the first element that breaks it. `rules`: only these. */
export async function seriousFindings(page: Page, rules?: string[]): Promise<string[]> {
  // It stays while the page goes from route to route.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const options: RunOptions = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const { violations } = await page.evaluate((given) => axe.run(given), options);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, impact, nodes }) => `${id} (${impact}, ${nodes.length}): ${nodes[0]?.html}`);
}

function start(path: string): Promise<Browser> {
  buildIfOlder();
  return startChromium(path);
}
