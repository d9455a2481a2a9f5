/** Tools that come with a question: all can be found, however many and long they are, and others have their turn meanwhile. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { type GivenQuery, type GivenTool, searchGivenTools } from './search-given-tools.ts';

/** Time passes by so much whenever somebody looks. */
class TickingClock extends ManualClock {
  readonly #tickMs: number;
  #ticked = 0;

  constructor(tickMs: number) {
    super();
    this.#tickMs = tickMs;
  }

  override elapsed(): number {
    this.#ticked += this.#tickMs;
    return this.#ticked;
  }
}

function toolsOf(count: number, description: (at: number) => string = (at) => `Does thing number ${at}`): GivenTool[] {
  return Array.from({ length: count }, (_, at) => ({
    toolKey: `s:tool_${at}`,
    name: `tool_${at}`,
    server: 's',
    description: description(at),
  }));
}

function ask(tools: readonly GivenTool[], query: string, more: Partial<GivenQuery> = {}) {
  const { signal } = new AbortController();
  return searchGivenTools(tools, { queries: [query], limit: 3, mode: 'bm25', synonyms: new Map(), signal, ...more });
}

/** How often others had their turn until it was done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work.finally(() => {
    isDone = true;
  });
  return turns;
}

test('others have their turn by the time that was spent, not by the number of tools', async () => {
  const tools = toolsOf(120);
  const quick = await turnsDuring(ask(tools, 'thing', { clock: new ManualClock() }));
  assert.ok(quick <= 1, `${quick}`);
  const slow = await turnsDuring(ask(tools, 'thing', { clock: new TickingClock(10) }));
  assert.ok(slow >= 200, `${slow}`);
  const some = await turnsDuring(ask(tools, 'thing', { clock: new TickingClock(2) }));
  assert.ok(some >= 30 && some <= 80, `${some}`);
});

test('a question that nobody waits for any more is given up in the middle', async () => {
  const sender = new AbortController();
  const reason = new Error('gone');
  const clock = new TickingClock(10);
  const looked = clock.elapsed.bind(clock);
  let looks = 0;
  clock.elapsed = () => {
    looks += 1;
    if (looks === 30) sender.abort(reason);
    return looked();
  };
  await assert.rejects(ask(toolsOf(500), 'thing', { signal: sender.signal, clock }), reason);
  assert.ok(looks < 40, `${looks}`);
  await assert.rejects(ask(toolsOf(1), 'thing', { signal: sender.signal }), reason);
});

test('texts that are not too long together count to their end', async () => {
  const tools = toolsOf(200, (at) => `${'filler '.repeat(1_000)} ending${at}`);
  assert.equal((await ask(tools, 'ending150'))[0]?.key, 's:tool_150');
});

test('of texts that are too long together each tool has an equal share, and none is left out', async () => {
  const tools = toolsOf(500, (at) => `beginning${at} ${'filler '.repeat(1_000)} ending${at}`);
  const short = { toolKey: 's:short', name: 'short', server: 's', description: 'A brief remark at the close' };
  const all = [...tools, short];
  assert.equal((await ask(all, 'beginning499'))[0]?.key, 's:tool_499');
  assert.equal((await ask(all, 'remark close'))[0]?.key, 's:short');
  assert.deepEqual(await ask(all, 'ending499'), []);
});

test('parameters count within the share too, the first ones first', async () => {
  const description = 'long '.repeat(200);
  const properties = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`parameter${at}x`, { description }]));
  const tools = toolsOf(400).map((tool) => ({ ...tool, inputSchema: { properties } }));
  const one = { ...tools[0], toolKey: 's:one', name: 'one', server: 's', description: 'Stands alone' };
  assert.ok((await ask([one], 'parameter59x')).length > 0);
  assert.ok((await ask(tools, 'parameter0x')).length > 0);
  assert.deepEqual(await ask(tools, 'parameter59x'), []);
});
