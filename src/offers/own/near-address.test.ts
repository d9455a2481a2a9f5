/** Tests of what is named where an address of ours names nothing: what was probably meant, and only what can be seen. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Principal } from '../../access/access.ts';
import { parseServer } from '../../config/config.ts';
import { nearAddress } from './near-address.ts';
import type { DoorView } from './own-view.ts';

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
