/** Large results as resources and by tool: the same text, for the same principal, in the protocol's words. */

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { madeAgent } from '../../../test/kit/made-call.ts';
import { ManualClock } from '../../../test/kit/manual-clock.ts';
import { everybody, type Principal } from '../../access/access.ts';
import { GatewayError } from '../../base/errors.ts';
import { silentLog } from '../../base/log.ts';
import { type MetaToolRequest, readResult } from '../../meta-tools/meta-tools.ts';
import { RpcError } from '../../protocol/messages.ts';
import { StoredResults } from '../../results/results.ts';
import type { EndpointRequest } from '../../tools/tools.ts';
import { OwnResults, readOwnResult } from './own-results.ts';

const bob: Principal = { ...everybody, id: 'bob' };

async function setup(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'own-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const settings = () => ({ maxResultBytes: 20_000, resultTtlMinutes: 60, resultStoreBytes: 10_000_000 });
  const results = new StoredResults({ folder, clock: new ManualClock(), log: silentLog, settings });
  const owner = { principal: everybody.id, toolKey: 'shop:list' };
  const keep = (content: unknown[]) => results.keep({ content }, owner);
  const text = Array.from({ length: 4_000 }, (_, at) => `line ${at + 1}`).join('\n');
  const call = (args: Record<string, unknown>, principal = everybody) =>
    readResult.run({ layers: { results }, principal, agent: madeAgent(), args } as unknown as MetaToolRequest);
  return { results, kept: await keep([{ type: 'text', text }]), keep, call };
}

test('a resource and the tool give the same', async (t) => {
  const { results, kept, call } = await setup(t);
  for (const [query, args] of [
    ['', {}],
    ['?page=2', { page: 2 }],
    ['?lines=10-12', { lines: '10-12' }],
    ['?find=line%2077', { find: 'line 77' }],
  ] as const) {
    const uri = `${kept.uri}${query}`;
    const { contents } = await readOwnResult({ results }, uri, everybody, madeAgent());
    const [content] = contents as { text: string }[];
    assert.deepEqual(content, { uri, mimeType: 'text/plain', text: content?.text });
    for (const given of [{ id: kept.id, ...args }, { uri }]) {
      const [block] = (await call(given)).content as { text: string; annotations: { priority: number } }[];
      assert.equal(block?.text, content?.text);
      assert.equal(block?.annotations.priority, (block?.text.length ?? 0) > 2_000 ? 0.3 : 0.7);
    }
  }
  const both = (await call({ uri: `${kept.uri}?find=line`, page: 2 })).content as { text: string }[];
  assert.match(both[0]?.text ?? '', /^Matches \d+-\d+ of 4000 for "line"/);
});

test('bytes come as a blob beside the text that describes them', async (t) => {
  const { results, keep, call } = await setup(t);
  const data = Buffer.alloc(40_000, 5).toString('base64');
  const { uri, id } = await keep([{ type: 'image', data, mimeType: 'image/png' }]);
  const { contents } = await readOwnResult({ results }, `${uri}?page=1`, everybody, madeAgent());
  const [head, bytes] = contents as { text: string; blob: string; mimeType: string }[];
  assert.match(head?.text ?? '', /^Page 1 of \d+ of part 1 \(image\/png\): bytes 1-\d+ of 40000, as base64\. Next: /);
  assert.equal(bytes?.mimeType, 'image/png');
  assert.ok(data.startsWith(bytes?.blob ?? '?'));
  const blocks = (await call({ id, page: 1 })).content as { type: string; resource: { blob: string } }[];
  assert.deepEqual([blocks[1]?.type, blocks[1]?.resource.blob], ['resource', bytes?.blob]);
});

test('an unknown or foreign result is the resource-not-found of the era; mistakes are named', async (t) => {
  const { results, kept, call } = await setup(t);
  const failure = (uri: string, principal: Principal, era: 'legacy' | 'modern') =>
    readOwnResult({ results }, uri, principal, madeAgent({ era })).then(
      () => assert.fail('read'),
      (error: unknown) => error,
    );
  for (const [era, code] of [
    ['legacy', -32002],
    ['modern', -32602],
  ] as const) {
    for (const [uri, who] of [
      [kept.uri, bob],
      [`toolcrib://result/${'A'.repeat(22)}`, everybody],
      ['toolcrib://result/', everybody],
      [`toolcrib://result/${'x'.repeat(1_500)}`, everybody],
    ] as const) {
      const error = await failure(uri, who, era);
      assert.ok(error instanceof RpcError);
      assert.deepEqual([error.code, error.message], [code, `Resource not found: ${uri}`]);
    }
    const mistake = await failure(`${kept.uri}?page=99`, everybody, era);
    assert.ok(mistake instanceof RpcError && mistake.code === -32602);
    assert.match(mistake.message, /no page 99: part 1 has \d+ pages\. Allowed are page=2/);
  }
  for (const args of [{ id: kept.id }, { uri: kept.uri }]) await assert.rejects(call(args, bob), /There is no result/);
  for (const args of [{}, { id: 5 }, { uri: 'file:///x' }, { id: kept.id, pages: 2 }, { id: kept.id, page: -1 }]) {
    await assert.rejects(
      call(args),
      (error: unknown) => error instanceof GatewayError && error.code === 'ARGUMENTS_INVALID',
    );
  }
});

test('the door of one server has their template, reads them, and nothing else of ours', async (t) => {
  const { results, kept } = await setup(t);
  const own = new OwnResults({ results });
  assert.deepEqual(
    own.list('resourceTemplates').map(({ definition }) => definition.uriTemplate),
    ['toolcrib://result/{id}{?part,page,lines,find,path}'],
  );
  assert.deepEqual([own.list('resources'), own.list('prompts')], [[], []]);
  const request = { principal: everybody, agent: madeAgent() } as EndpointRequest;
  assert.ok(await own.read(kept.uri, request));
  for (const uri of ['file:///x', 'toolcrib://overview', 'toolcrib://servers'])
    assert.equal(own.read(uri, request), undefined);
  const complete = (uri: string, name: string, principal = everybody) =>
    own.complete({ params: { ref: { type: 'ref/resource', uri }, argument: { name, value: '' } }, principal } as never);
  const template = 'toolcrib://result/{id}{?part,page,lines,find,path}';
  const none = { values: [], total: 0, hasMore: false };
  assert.deepEqual(await complete(template, 'id'), { completion: { values: [kept.id], total: 1, hasMore: false } });
  assert.deepEqual(await complete(template, 'id', bob), { completion: none });
  assert.deepEqual(await complete(template, 'page'), { completion: none });
  await assert.rejects(complete(template, 'server') ?? Promise.resolve(), /There is no argument "server"/);
  assert.equal(complete('toolcrib://server/{name}', 'name'), undefined);
});
