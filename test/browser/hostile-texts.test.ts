/** Whatever servers, tools and agents say is shown as text: nothing of it runs, leaves, or hides. */

import assert from 'node:assert/strict';
import { browserTest } from './browser.ts';
import { payloads } from './payloads.ts';
import { openPoisonedGateway } from './poisoned-gateway.ts';
import type { Visit } from './visit.ts';

const isFull = process.env.TOOLCRIB_TEST_FULL === '1';
const texts = isFull ? payloads : payloads.slice(0, 10);
/** Of each kind of page below one of the menu. */
const detailPages = isFull ? texts.length : 2;

browserTest(`[DASH-14] ${texts.length} hostile texts run nowhere, on any page`, async ({ open }) => {
  await using gateway = await openPoisonedGateway(texts);
  const visit = await open(gateway);
  const seen = new Set<string>();
  for (const route of await visit.routes()) {
    await look(visit, route, seen);
    for (const detail of await visit.details(detailPages)) await look(visit, detail, seen);
  }
  assert.ok(seen.size >= 2, 'pages and details were seen');
});

async function look(visit: Visit, route: string, seen: Set<string>): Promise<void> {
  if (seen.has(route)) return;
  seen.add(route);
  await visit.goTo(route);
  assert.deepEqual(await visit.page.evaluate(findHarm), [], route);
}

/** Runs in the page. */
function findHarm(): string[] {
  const { document: page, pwned } = globalThis as unknown as HarmedPage;
  const hidden =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;
  const harm = pwned === undefined ? [] : ['a script ran'];
  for (const element of page.querySelectorAll('[data-pwned], iframe, object, embed')) harm.push(element.outerHTML);
  for (const link of page.querySelectorAll('[href], [src], [action]'))
    if (/^(javascript|data):|pwned\.invalid/i.test(link.href ?? link.src ?? link.action ?? ''))
      harm.push(link.outerHTML);
  const found = hidden.exec(page.body.innerText)?.index;
  if (found !== undefined)
    harm.push(
      `a hidden character in: ${JSON.stringify(page.body.innerText.slice(Math.max(0, found - 40), found + 40))}`,
    );
  return harm;
}

interface HarmedPage {
  readonly pwned?: unknown;
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
