/** Tests of own addresses: each is read as it is written, and one that names nothing is answered with what was probably meant. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Principal } from '../../access/access.ts';
import { parseServer } from '../../config/config.ts';
import { nearAddress, type OwnAddress, ownUri, readOwnAddress, withCursor } from './own-address.ts';
import type { DoorView } from './own-view.ts';

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

const agent: Principal = { id: 'agent', name: 'agent', scopes: new Set(['use']), mark: '' };

function near(uri: string): string | undefined {
  const servers = { math: ['calculate', 'convert/units'], hidden: ['secret_tool'] };
  const toolOf = (server: string, name: string) => ({ key: `${server}:${name}`, server, name, serverName: name });
  const entries = Object.entries(servers).map(([name, tools]) => {
    const spec = parseServer(name, { command: 'serve', enabled: name !== 'hidden' }, {}, 'file');
    return [name, { spec, tools: tools.map((tool) => toolOf(name, tool)) }] as const;
  });
  const tools = new Map(entries.flatMap(([, entry]) => entry.tools.map((tool) => [tool.key, tool])));
  // Only these members are used.
  const door = { layers: { catalog: { snapshot: { servers: new Map(entries), tools } } } } as unknown as DoorView;
  return nearAddress({ door, principal: agent }, uri);
}

test('an address that names nothing leads to the one that was meant', () => {
  const meant = {
    'toolcrib://servers/math': 'toolcrib://server/math',
    'toolcrib://server/mth': 'toolcrib://server/math',
    'toolcrib://server/math/tool': 'toolcrib://server/math/tools',
    'toolcrib://server/math/type': 'toolcrib://server/math/types',
    'toolcrib://tool/math:calculate': 'toolcrib://tool/math/calculate',
    'toolcrib://tools/math/calculat': 'toolcrib://tool/math/calculate',
    'toolcrib://tool/math/convert_units': 'toolcrib://tool/math/convert%2Funits',
    'toolcrib://tool/math/zzz': 'toolcrib://server/math/tools',
    'toolcrib://tool/math': 'toolcrib://server/math/tools',
    'toolcrib://overvew': 'toolcrib://overview',
    'toolcrib://math': 'toolcrib://server/math',
  };
  for (const [written, expected] of Object.entries(meant)) assert.equal(near(written), expected, written);
});

test('nothing is guessed where nothing is near, and nothing that is not to be seen', () => {
  for (const uri of [
    'toolcrib://',
    'toolcrib://zzzzzz',
    'toolcrib://server/hidden',
    'toolcrib://tool/hidden/secret_tool',
    'file:///math',
    'toolcrib://server/%',
  ])
    assert.equal(near(uri), undefined, uri);
});
