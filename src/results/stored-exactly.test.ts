/** The store keeps exactly what the server sent: nothing is lost, and nothing is taken for something else. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { testSpool } from '../../test/kit/spool.ts';
import { GatewayError } from '../base/errors.ts';
import { silentLog } from '../base/log.ts';
import type { Result } from '../protocol/messages.ts';
import { releaseLong } from './long-value.ts';
import { SpoolMessage } from './spool-message.ts';
import { StoredResults } from './stored-results.ts';

const owner = { principal: 'ann', toolKey: 'shop:list' };
const long = 'z'.repeat(20_000);

function resultsFor(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'exactly-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const settings = { maxResultBytes: 20_000, resultTtlMinutes: 60, resultStoreBytes: 100_000_000 };
  const results = new StoredResults({ folder, clock: new ManualClock(), log: silentLog, settings: () => settings });
  const partsOf = ({ id, parts }: { id: string; parts: readonly unknown[] }) =>
    parts.map((_, at) => readFileSync(join(folder, 'kept', id, `part-${at + 1}`), 'utf8'));
  return { results, partsOf };
}

/** The result as it is after its message went by way of the disk. */
function sent(result: unknown, t: TestContext): Result {
  const message = new SpoolMessage(testSpool());
  message.push(Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result })));
  const { result: read } = message.end(1_000) as { result: Result };
  t.after(() => releaseLong(read));
  return read;
}

test('long values may stand beside each other in every kind of block', async (t) => {
  const { results, partsOf } = resultsFor(t);
  const blocks = [
    { type: 'resource', resource: { uri: 'a:b', text: long }, _meta: { k: long } },
    { type: 'text', text: 'short', resource: { blob: long } },
    { type: 'image', data: 'QUJD', mimeType: 'image/png', resource: { text: long } },
    { type: 'text', text: long, _meta: { k: long } },
  ];
  for (const block of blocks) {
    const kept = await results.keep(sent({ content: [block] }, t), owner);
    assert.deepEqual(JSON.parse(partsOf(kept)[0] ?? ''), [block]);
  }
});

test('a bug is not told as trouble with the disk', async (t) => {
  const { results } = resultsFor(t);
  const bug = {
    get content(): never {
      throw new TypeError('a bug');
    },
  };
  await assert.rejects(results.keep(bug, owner), (error: unknown) => {
    return error instanceof TypeError && !(error instanceof GatewayError);
  });
});

test('a text that only looks like the structured content is kept beside it', async (t) => {
  const { results } = resultsFor(t);
  const count = 10_000;
  const value = Array.from({ length: count }, () => 12);
  const same = JSON.stringify(value, null, 1);
  for (const [text, parts] of [
    [`[${Array.from({ length: count }, () => '1 2').join(',')}]`, 2],
    [`${same}]`, 2],
    [same, 1],
  ] as const) {
    const result = sent({ content: [{ type: 'text', text }], structuredContent: value }, t);
    assert.equal((await results.keep(result, owner)).parts.length, parts, text.slice(0, 20));
  }
});

test('base64 is kept as bytes only where the bytes give the same base64 again', async (t) => {
  const { results, partsOf } = resultsFor(t);
  const longer = Buffer.from(Array.from({ length: 50_000 }, (_, at) => (at * 7) % 256)).toString('base64');
  for (const [data, kind] of [
    ['QUI=', 'binary'],
    ['', 'binary'],
    [longer, 'binary'],
    ['QUI', 'text'],
    ['QR==', 'text'],
    ['QUI=QUI=', 'text'],
    ['  QUI=\n', 'text'],
    [`${longer}\n`, 'text'],
    [`QUI=${longer}`, 'text'],
  ] as const) {
    for (const result of [{ content: [{ type: 'image', data }] }, sent({ content: [{ type: 'image', data }] }, t)]) {
      const kept = await results.keep(result, owner);
      assert.equal(kept.parts[0]?.kind, kind, data.slice(0, 20));
      if (kind === 'text') assert.deepEqual(partsOf(kept), [data]);
      else if (data.length < 10) assert.equal((await results.read(kept.id, 'ann', { part: 1 })).blob?.data, data);
    }
  }
});

test('half characters survive, as JSON writes them', async (t) => {
  const { results, partsOf } = resultsFor(t);
  const broken = `\ufeffA\ud800B\u0000C\r\n\udc00${'x'.repeat(70_000)}\ud83d`;
  for (const result of [
    { content: [{ type: 'text', text: broken }] },
    sent({ content: [{ type: 'text', text: broken }] }, t),
  ]) {
    const kept = await results.keep(result, owner);
    assert.equal(JSON.parse(partsOf(kept)[0] ?? ''), broken);
    const { text } = await results.read(kept.id, 'ann', { page: 1 });
    assert.ok(text.split('\n')[1]?.startsWith('"\ufeffA\\ud800B\\u0000C\\r\\n\\udc00xxx'), text.slice(0, 200));
  }
  const small = [
    { type: 'text', text: 'a\ud800' },
    { type: 'text', text: 'whole' },
  ];
  const kept = await results.keep({ content: small }, owner);
  assert.equal(JSON.parse(partsOf(kept)[0] ?? ''), small[0]?.text);
  assert.equal(partsOf(kept)[1], 'whole');
});
