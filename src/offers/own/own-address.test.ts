/** Own addresses: each is read as it is written, whatever the names in it, and nothing else is taken for one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type OwnAddress, ownUri, readOwnAddress, withCursor } from './own-address.ts';

const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => text.isWellFormed());

test('every address is read as it is written', () => {
  const addresses: fc.Arbitrary<OwnAddress> = fc.oneof(
    fc.constantFrom<OwnAddress>({ kind: 'overview' }, { kind: 'servers' }),
    fc
      .constantFrom('server' as const, 'server-types' as const)
      .chain((kind) => name.map((server) => ({ kind, server }))),
    fc.tuple(name, name).map(([server, tool]) => ({ kind: 'tool' as const, server, tool })),
  );
  fc.assert(fc.property(addresses, (address) => assert.deepEqual(readOwnAddress(ownUri(address)), address)));
  fc.assert(
    fc.property(name, name, (server, cursor) => {
      const address = { kind: 'server-tools', server, cursor } as const;
      assert.deepEqual(readOwnAddress(withCursor(address, cursor)), address);
      assert.deepEqual(readOwnAddress(withCursor({ kind: 'tools' }, cursor)), { kind: 'tools', cursor });
    }),
  );
});

test('the same in another spelling is the same address, written in one way', () => {
  for (const [spelling, uri] of [
    ['toolcrib://tool/files/read%5Ffile', 'toolcrib://tool/files/read_file'],
    ['toolcrib://tool/files/a/b c', 'toolcrib://tool/files/a%2Fb%20c'],
    ['toolcrib://%73erver/files', 'toolcrib://server/files'],
    ['toolcrib://tools?cursor=abc', 'toolcrib://tools'],
  ] as const) {
    const address = readOwnAddress(spelling);
    assert.ok(address, spelling);
    assert.equal(ownUri(address), uri);
  }
});

test('anything else is no address', () => {
  for (const uri of [
    ...['', 'toolcrib:', 'toolcrib://', 'toolcrib:///', 'toolcrib://tool', 'toolcrib://tool/', 'toolcrib://tool/a'],
    ...['toolcrib://tool/a/', 'toolcrib://tool//b', 'toolcrib://tool/a/%', 'toolcrib://tool/a/b?x=1'],
    ...['toolcrib://tools/', 'toolcrib://tools?', 'toolcrib://tools?page=2', 'toolcrib://servers?cursor=x'],
    ...[
      'toolcrib://server',
      'toolcrib://server/a/b',
      'toolcrib://server/a/tools/b',
      'toolcrib://server/a/types?cursor=x',
    ],
    ...['toolcrib://overview/', 'toolcrib://overviews', 'TOOLCRIB://overview', 'file:///x', ' toolcrib://overview'],
    ...['toolcrib://result/AAAAAAAAAAAAAAAAAAAAAA', 'toolcrib://server/a/resource/b'],
  ])
    assert.equal(readOwnAddress(uri), undefined, uri);
});
