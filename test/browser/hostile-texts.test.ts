/** Whatever servers, tools and agents say is shown as text: nothing of it runs, leaves, or hides. */

import assert from 'node:assert/strict';
import { browserTest } from './browser.ts';
import { payloads } from './payloads.ts';
import { openPoisonedGateway } from './poisoned-gateway.ts';
import type { Visit } from './visit.ts';

const isFull = process.env.TOOLCRIB_TEST_FULL === '1';
const texts = isFull ? payloads : payloads.slice(0, 10);
/** Lists draw what can be seen of them: here all. */
const viewport = { width: 1280, height: 5_000 };

browserTest(`[DASH-14] ${texts.length} hostile texts run nowhere and hide nothing`, async ({ open, use }) => {
  const gateway = use(await openPoisonedGateway(texts));
  const visit = await open(gateway, undefined, { viewport });
  const harm: string[] = [];
  const look = async (route: string) => {
    harm.push(...(await visit.page.evaluate(findHarm)).map((found) => `${route}: ${found}`));
  };
  await (isFull ? lookEverywhere(visit, look) : lookAtLists(visit, look));
  assert.deepEqual(harm, []);
});

/** Three pages that show something of every text. */
async function lookAtLists(visit: Visit, look: (route: string) => Promise<void>): Promise<void> {
  for (const route of ['/servers', '/calls', '/review']) {
    await visit.goTo(route);
    await look(route);
  }
}

/** Every page, and for each text those below it and a search. */
async function lookEverywhere(visit: Visit, look: (route: string) => Promise<void>): Promise<void> {
  await visit.walk(texts.length, look);
  for (const [at, text] of texts.entries())
    for (const route of [
      `/servers/evil-${at}`,
      `/tools/evil-${at}%3Asay`,
      `/tools/evil-${at}%3Asay?tab=try`,
      `/optimizer/evil-${at}/say`,
      `/search?q=${encodeURIComponent(text.slice(0, 500).toWellFormed())}`,
    ]) {
      await visit.goTo(route);
      await look(route);
    }
}

/** Runs in the page. */
function findHarm(): string[] {
  const { document: page, location, pwned } = globalThis as unknown as HarmedPage;
  const hidden =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff]|\u034f|[\ufe00-\ufe0e]|[\u{e0000}-\u{e01ef}]/u;
  const harm = pwned === undefined ? [] : ['a script ran'];
  const lookAt = (text: string, where: string) => {
    const found = hidden.exec(text)?.index;
    if (found !== undefined)
      harm.push(`a hidden character in ${where}: ${JSON.stringify(text.slice(Math.max(0, found - 40), found + 40))}`);
  };
  lookAt(page.title, 'the title of the page');
  lookAt(page.body.innerText, 'its text');
  // Of texts that people type, the value is no attribute.
  for (const element of page.querySelectorAll('*'))
    for (const { name, value } of element.attributes) {
      lookAt(value, `${element.localName} ${name}`);
      if (/^\W*javascript:/i.test(value) && /^(href|src|action|formaction|xlink:href|data)$/.test(name))
        harm.push(element.outerHTML);
    }
  for (const element of page.querySelectorAll('[data-pwned], iframe, object, embed')) harm.push(element.outerHTML);
  for (const link of page.querySelectorAll('[href], [src], [action]'))
    if (!(link.href ?? link.src ?? link.action ?? '').startsWith(location.origin)) harm.push(link.outerHTML);
  return harm;
}

interface HarmedPage {
  readonly pwned?: unknown;
  readonly location: { readonly origin: string };
  readonly document: {
    readonly title: string;
    readonly body: { readonly innerText: string };
    querySelectorAll(selector: string): Iterable<HarmedElement>;
  };
}

interface HarmedElement {
  readonly localName: string;
  readonly outerHTML: string;
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
  readonly href?: string;
  readonly src?: string;
  readonly action?: string;
}
