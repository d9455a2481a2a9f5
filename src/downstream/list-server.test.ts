/** Listings without measure: too many items, too much text, too many mistakes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { limits } from '../config/config.ts';
import { RpcError } from '../protocol/messages.ts';
import type { Link } from './link.ts';
import { listServer } from './list-server.ts';

type Page = { readonly tools: readonly unknown[]; readonly nextCursor?: string };

/** As much of a link as a listing uses; `pageAt` makes the tools of one page. */
function linkWith(pageAt: (page: number, cursor: unknown) => Page): Link {
  let page = -1;
  const request = async ({ params }: { readonly params: { readonly cursor?: string } }) => {
    page += 1;
    return pageAt(page, params.cursor);
  };
  const agreement = { serverInfo: null, capabilities: {}, instructions: null };
  const offers = (capability: string) => capability === 'tools';
  return { server: 'far', era: 'legacy', transport: { kind: 'stdio' }, agreement, offers, request } as unknown as Link;
}

test('one page with more items than are kept is refused', async () => {
  const page = (count: number) => ({ tools: Array.from({ length: count }, (_, at) => ({ name: `t${at}` })) });
  const { tools } = await listServer(
    linkWith(() => page(limits.maxItemsPerList)),
    new ManualClock(),
  );
  assert.equal(tools.length, limits.maxItemsPerList);
  const tooMany = listServer(
    linkWith(() => page(limits.maxItemsPerList + 1)),
    new ManualClock(),
  );
  await assert.rejects(tooMany, { message: /no end to its tools\/list/, data: { reason: 'endless-list' } });
});

test('pages that are large together are refused before they fill the memory', async () => {
  const description = 'x'.repeat(8 * 1_024 * 1_024);
  let pages = 0;
  const large = linkWith((page) => {
    pages = page + 1;
    return { tools: [{ name: `t${page}`, description }], nextCursor: `c${page}` };
  });
  await assert.rejects(listServer(large, new ManualClock()), { code: 'TOO_LARGE', message: /"far" lists too much/ });
  assert.equal(pages, 8);
});

test('of many mistakes only the first are kept', async () => {
  const tools = [...Array.from({ length: 5_000 }, () => ({})), { name: 'good' }];
  const offer = await listServer(
    linkWith(() => ({ tools })),
    new ManualClock(),
  );
  assert.deepEqual([offer.tools.length, offer.warnings.length], [1, limits.maxListWarnings]);
});

test('an empty cursor is a cursor: the list goes on, and ends however the server ends it', async () => {
  const asked: unknown[] = [];
  const listed = async (last: Page | Error) => {
    asked.length = 0;
    const link = linkWith((page, cursor) => {
      asked.push(cursor);
      if (page === 0) return { tools: [{ name: 'first' }], nextCursor: '' };
      if (last instanceof Error) throw last;
      return last;
    });
    const { tools, warnings } = await listServer(link, new ManualClock());
    assert.deepEqual(asked, [undefined, '']);
    return { names: tools.map(({ name }) => name), warnings };
  };
  assert.deepEqual(await listed({ tools: [{ name: 'second' }] }), { names: ['first', 'second'], warnings: [] });
  const again = await listed({ tools: [{ name: 'first' }], nextCursor: '' });
  assert.deepEqual([again.names, again.warnings.length], [['first'], 1]);
  assert.deepEqual((await listed(new RpcError(-32602, 'No such cursor.'))).names, ['first']);
  await assert.rejects(listed(new RpcError(-32603, 'It broke.')), { message: 'It broke.' });
});

test('a list whose cursors are all new is given up after so many pages', async () => {
  let pages = 0;
  const endless = linkWith((page) => {
    pages = page + 1;
    return { tools: [], nextCursor: 'x'.repeat(page) };
  });
  await assert.rejects(listServer(endless, new ManualClock()), { data: { reason: 'endless-list' } });
  assert.equal(pages, limits.maxPages);
});
