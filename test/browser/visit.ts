/** One browser with nothing remembered, at the dashboard of one gateway; everything that must not happen there is noted. */

import type { Browser, BrowserContextOptions, ConsoleMessage, Dialog, Page } from 'playwright-core';
import type { Clock } from '../../src/base/clock.ts';
import type { TestGateway } from '../kit/gateway.ts';

/** How long a page may take until it is at rest; machines that run tests are busy. */
const restMs = 10_000;

const cutOff = /net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING)$/;

/** A gateway to look at. */
export type Visited = Pick<TestGateway, 'gateway' | 'url'> & { readonly clock?: Clock };

export class Visit implements AsyncDisposable {
  /** Errors on the console, violations of the content security policy, and requests to somebody else. */
  readonly troubles: string[] = [];
  readonly page: Page;
  readonly #visited: Visited;

  private constructor(page: Page, visited: Visited) {
    this.page = page;
    this.#visited = visited;
  }

  /** Before any page, and signed in nowhere. */
  static async begin(browser: Browser, visited: Visited, options: BrowserContextOptions = {}): Promise<Visit> {
    const context = await browser.newContext({ reducedMotion: 'reduce', timezoneId: 'UTC', ...options });
    const { clock } = visited;
    // The page has to agree with its gateway on what time it is.
    if (clock !== undefined) await context.addInitScript(shiftDate, clock.now() - Date.now());
    const visit = new Visit(await context.newPage(), visited);
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

  /** The pages of the menu, as routes. */
  async routes(): Promise<string[]> {
    const links = await this.page.getByRole('navigation', { name: 'Pages' }).getByRole('link').all();
    return Promise.all(links.map(async (link) => ((await link.getAttribute('href')) ?? '').slice(1)));
  }

  /** Pages that the present one leads to, such as those of single servers: the first of each kind, up to `most` of a kind. */
  async details(most = 1): Promise<string[]> {
    const links = await this.page.locator('main a[href^="#/"]').all();
    const found = await Promise.all(links.map(async (link) => ((await link.getAttribute('href')) ?? '').slice(1)));
    const kinds = Map.groupBy(new Set(found), (route) => `${route.split('/')[1]} ${route.split('/').length}`);
    return [...kinds.values()].flatMap((routes) => routes.slice(0, most));
  }

  /** Resolves when the page waits for no answer. */
  async atRest(): Promise<void> {
    // A page asks once it was drawn.
    await this.page.evaluate(untilDrawn);
    await this.page.locator('html[data-state="ready"]').waitFor({ state: 'attached', timeout: restMs });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
  }

  #noteRequest(url: string): void {
    const { protocol, origin } = new URL(url);
    if (protocol !== 'data:' && protocol !== 'blob:' && origin !== this.#visited.url)
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
