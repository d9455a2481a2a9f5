/** One tab with nothing remembered, at the dashboard of one gateway; everything that must not happen there is noted. */

import assert from 'node:assert/strict';
import type { Browser, BrowserContextOptions, ConsoleMessage, Dialog, Page } from 'playwright-core';
import type { Clock } from '../../src/base/clock.ts';
import { pages } from '../../src/surfaces/web/pages.ts';
import type { TestGateway } from '../kit/gateway.ts';
import { HANG_MS } from '../kit/processes.ts';

const emptyPage = 'about:blank';
const cutOff = /net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING)$/;

/** A gateway to look at. */
export type Visited = Pick<TestGateway, 'gateway' | 'url'> & { readonly clock?: Clock };

export class Visit implements AsyncDisposable {
  /** Errors on the console, violations of the content security policy, and requests to somebody else. */
  readonly troubles: string[] = [];
  readonly page: Page;
  readonly #visited: Visited;
  readonly #end: () => Promise<void>;
  #ended: Promise<void> | undefined;

  private constructor(page: Page, visited: Visited, end: () => Promise<void>) {
    this.page = page;
    this.#visited = visited;
    this.#end = end;
  }

  /** Before any page, and signed in nowhere. */
  static async begin(browser: Browser, visited: Visited, options: BrowserContextOptions = {}): Promise<Visit> {
    const isUsual = Object.keys(options).length === 0;
    const page = (isUsual ? freeTabs.get(browser)?.pop() : undefined) ?? (await openTab(browser, options));
    const context = page.context();
    const { clock } = visited;
    // The page has to agree with its gateway on what time it is.
    const script = clock === undefined ? undefined : await context.addInitScript(shiftDate, clock.now() - Date.now());
    const visit = new Visit(page, visited, async () => {
      if (!isUsual) return context.close();
      await script?.dispose();
      await leaveTab(browser, page);
    });
    context.on('request', (request) => visit.#noteRequest(request.url()));
    context.on('console', (message) => visit.#noteMessage(message));
    context.on('dialog', (dialog) => visit.#noteDialog(dialog));
    context.on('weberror', (error) => visit.troubles.push(`error: ${error.error().message}`));
    return visit;
  }

  /** By a link that works once, as an owner does. */
  async signIn(): Promise<void> {
    const { url } = await this.#visited.gateway.admin.run('gateway.signInLink', {});
    await this.page.goto(url);
    await this.atRest();
  }

  /** Goes to a page such as `/servers` and waits until it is at rest. */
  async goTo(route: string): Promise<void> {
    await this.page.goto(`${this.#visited.url}/#${route}`);
    await this.atRest();
  }

  /**
   * Goes to every page of the menu and to those they lead to, up to `most` of each kind, and lets `look` look at each. Fails if
   * one of the dashboard's addresses was not come to.
   */
  async walk(most: number, look: (route: string) => Promise<void>): Promise<void> {
    const waiting = await this.#linksIn('nav[aria-label="Pages"]');
    const seen = new Set<string>();
    const counts = new Map<string, number>();
    for (const route of waiting) {
      const kind = kindOf(route);
      const count = counts.get(kind) ?? 0;
      if (seen.has(route) || count >= most) continue;
      seen.add(route);
      counts.set(kind, count + 1);
      await this.goTo(route);
      await look(route);
      // The loop goes on with what is added here.
      waiting.push(...(await this.#linksIn('main')));
    }
    assert.deepEqual(
      kinds.filter((kind) => !counts.has(kind)),
      [],
    );
  }

  /** Routes. */
  #linksIn(part: string): Promise<string[]> {
    const hrefs = (links: readonly { getAttribute(name: string): string | null }[]) =>
      links.map((link) => link.getAttribute('href') ?? '');
    return this.page
      .locator(`${part} a[href^="#/"]`)
      .evaluateAll(hrefs)
      .then((found) => found.map((href) => href.slice(1)));
  }

  /** Resolves when the page waits for no answer. */
  async atRest(): Promise<void> {
    // A page asks once it was drawn.
    await this.page.evaluate(untilDrawn);
    await this.page.locator('html[data-state="ready"]').waitFor({ state: 'attached' });
  }

  /** The address and the text of the page, for a test that failed. */
  async described(): Promise<string> {
    const text = await this.page.locator('body').innerText({ timeout: 5_000 });
    return `${this.page.url()} shows:\n${text.slice(0, 2_000)}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended ??= this.#end();
    await this.#ended;
  }

  #noteRequest(url: string): void {
    const { protocol, origin } = new URL(url);
    if (protocol !== 'data:' && protocol !== 'blob:' && origin !== new URL(this.#visited.url).origin)
      this.troubles.push(`request: ${url}`);
  }

  #noteDialog(dialog: Dialog): void {
    this.troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  }

  /** A violation of the policy is an error on the console too. That the gateway has ended is no fault of the page. */
  #noteMessage(message: ConsoleMessage): void {
    if (message.type() !== 'error' || cutOff.test(message.text())) return;
    this.troubles.push(`console: ${message.text()} (${message.location().url})`);
  }
}

/** Empty tabs with the usual settings: to make another, with its processes, costs as much as the visit itself. */
const freeTabs = new WeakMap<Browser, Page[]>();

async function openTab(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: 'reduce', timezoneId: 'UTC', ...options });
  // Machines that run tests are busy.
  context.setDefaultTimeout(HANG_MS);
  return context.newPage();
}

/** For the next visit, as if nobody had been there; a tab that cannot be cleared is closed. */
async function leaveTab(browser: Browser, page: Page): Promise<void> {
  try {
    await clearTab(page);
    freeTabs.set(browser, [...(freeTabs.get(browser) ?? []), page]);
  } catch {
    await page.context().close();
  }
}

async function clearTab(page: Page): Promise<void> {
  const context = page.context();
  for (const event of ['request', 'console', 'dialog', 'weberror']) {
    context.removeAllListeners(event);
    page.removeAllListeners(event);
  }
  await page.unrouteAll();
  for (const other of context.pages()) if (other !== page) await other.close();
  if (page.url() !== emptyPage) await page.evaluate(forgetAll);
  await page.goto(emptyPage);
  await context.clearCookies();
  // Away from what will be shown where it was.
  await page.mouse.move(0, 0);
}

/** Every address of the dashboard, such as `/servers`, `/servers/{server}` and `/tools/{tool}?tab=try`. */
const kinds: readonly string[] = pages.flatMap(({ path, tabs, below = [] }) =>
  [{ tabs }, ...below].flatMap(({ tabs: views = {} }, level) => {
    const address = addressOf(path, level);
    return [address, ...Object.keys(views).map((view) => `${address}?tab=${view}`)];
  }),
);

/**
 * Pages of one kind show different things in the same way, such as `/servers/git` and `/servers/mail`. A view of a page is one
 * kind, however it is filtered.
 */
function kindOf(route: string): string {
  const [path = '', query = ''] = route.split('?');
  const [, page = '', ...parts] = path.split('/');
  const asked = new URLSearchParams(query);
  const names = asked.has('tab') ? `tab=${asked.get('tab')}` : [...asked.keys()].sort().join('&');
  return `${addressOf(page, parts.length)}${names === '' ? '' : `?${names}`}`;
}

function addressOf(page: string, level: number): string {
  const below = pages.find(({ path }) => path === page)?.below ?? [];
  return [`/${page}`, ...below.slice(0, level).map(({ names }) => `{${names}}`)].join('/');
}

/** Runs in the page. */
function forgetAll(): void {
  sessionStorage.clear();
  localStorage.clear();
}

/** Runs in the page, before its own scripts. */
function shiftDate(shiftMs: number): void {
  const Own = Date;
  globalThis.Date = new Proxy(Own, {
    construct: (target, given) => Reflect.construct(target, given.length === 0 ? [Own.now() + shiftMs] : given),
    get: (target, key) => (key === 'now' ? () => Own.now() + shiftMs : Reflect.get(target, key)),
  });
}

/** Runs in the page. Effects come with the turn after a frame. */
function untilDrawn(): Promise<void> {
  const frame = () => new Promise((resolve) => (globalThis as unknown as Frames).requestAnimationFrame(resolve));
  return frame()
    .then(frame)
    .then(() => new Promise((resolve) => setTimeout(resolve)));
}

interface Frames {
  requestAnimationFrame(act: (value: unknown) => void): void;
}
