/** Names of tools as one viewer has them: found at once, and with the nearest of those that he can see. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Principal } from '../access/access.ts';
import type { Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { parseServer } from '../config/config.ts';
import { toolNames } from './tool-names.ts';

const ann: Principal = { id: 'ann', name: 'ann', scopes: new Set(['use']), mark: '' };

function snapshotOf(tools: Readonly<Record<string, readonly string[]>>, entry: object = {}): Snapshot {
  const entries = Object.entries(tools).flatMap(([server, names]) =>
    names.map((name): Entry => {
      const definition = { name, inputSchema: { type: 'object' } };
      return { key: `${server}:${name}`, server, name, serverName: name, definition, fingerprint: 'f' };
    }),
  );
  const servers = Object.keys(tools).map((name) => {
    const spec = parseServer(name, { command: 'serve', ...entry }, {}, 'file');
    return [name, { spec, tools: [], listedAt: 1, hiddenTools: new Set() } as unknown as ServerEntry] as const;
  });
  // Only these members are used.
  return { servers: new Map(servers), tools: new Map(entries.map((tool) => [tool.key, tool])) } as unknown as Snapshot;
}

test('the nearest names come first, of one server or of all', () => {
  const names = toolNames(
    snapshotOf({ shop: ['list_orders', 'list_offers', 'pay'], mail: ['list_orders', 'send'] }),
    ann,
  );
  assert.deepEqual(names.nearest('list_ofers', 'shop'), ['shop:list_offers', 'shop:list_orders']);
  assert.deepEqual(names.nearest('list_order', undefined), [
    'shop:list_orders',
    'mail:list_orders',
    'shop:list_offers',
  ]);
  assert.deepEqual(names.nearest('quantum', 'shop'), []);
  assert.deepEqual(names.nearest('send', 'nowhere'), []);
});

test('a tool is found by its name alone and by the names that are joined', () => {
  const names = toolNames(snapshotOf({ shop: ['list'], mail: ['list', 'send'] }), ann);
  const keys = (tools: readonly Entry[]) => tools.map(({ key }) => key);
  assert.deepEqual(keys(names.named('list')), ['shop:list', 'mail:list']);
  assert.deepEqual(keys(names.joined('mail.send')), ['mail:send']);
  assert.deepEqual(keys(names.joined('mail__list')), ['mail:list']);
  assert.deepEqual(keys(names.ofServer('mail')), ['mail:list', 'mail:send']);
});

test('what a viewer may not see is nowhere among them', () => {
  const snapshot = snapshotOf({ shop: ['list', 'listen'] }, { permissions: { listen: 'deny' } });
  const names = toolNames(snapshot, ann);
  assert.deepEqual(names.nearest('listenn', 'shop'), ['shop:list']);
  assert.deepEqual(names.named('listen'), []);
  assert.equal(toolNames(snapshot, ann), names, 'they are made once');
});
