/** Whatever servers, tools and agents say is shown as text: nothing of it runs, leaves, or hides. */

import assert from 'node:assert/strict';
import { browserTest } from './browser.ts';
import { payloads } from './payloads.ts';
import { openPoisonedGateway } from './poisoned-gateway.ts';

const isFull = process.env.TOOLCRIB_TEST_FULL === '1';
const texts = isFull ? payloads : payloads.slice(0, 10);
/** Of each kind of page. */
const mostPages = isFull ? texts.length : 2;
/** Lists draw what can be seen of them: here all. */
const viewport = { width: 1280, height: 5_000 };

browserTest(`[DASH-14] ${texts.length} hostile texts run nowhere, on any page`, async ({ open, use }) => {
  const gateway = use(await openPoisonedGateway(texts));
  const visit = await open(gateway, undefined, { viewport });
  const look = async (route: string) => assert.deepEqual(await visit.page.evaluate(findHarm), [], route);
  await visit.walk(mostPages, look);
  for (const text of texts) {
    const route = `/search?q=${encodeURIComponent(text.slice(0, 500).toWellFormed())}`;
    await visit.goTo(route);
    await look(route);
  }
});

/** Runs in the page. */
function findHarm(): string[] {
  const { document: page, location, pwned } = globalThis as unknown as HarmedPage;
  const hidden =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;
  const harm = pwned === undefined ? [] : ['a script ran'];
  for (const element of page.querySelectorAll('[data-pwned], iframe, object, embed')) harm.push(element.outerHTML);
  for (const link of page.querySelectorAll('[href], [src], [action]'))
    if (!(link.href ?? link.src ?? link.action ?? '').startsWith(location.origin)) harm.push(link.outerHTML);
  const found = hidden.exec(page.body.innerText)?.index;
  if (found !== undefined)
    harm.push(
      `a hidden character in: ${JSON.stringify(page.body.innerText.slice(Math.max(0, found - 40), found + 40))}`,
    );
  return harm;
}

interface HarmedPage {
  readonly pwned?: unknown;
  readonly location: { readonly origin: string };
  readonly document: {
    readonly body: { readonly innerText: string };
    querySelectorAll(selector: string): Iterable<{
      readonly outerHTML: string;
      readonly href?: string;
      readonly src?: string;
      readonly action?: string;
    }>;
  };
}
