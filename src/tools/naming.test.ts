/** Tests of names: public ones are legal, short and unambiguous, keys expire, and lookups know only what a viewer can see. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import type { Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { parseServer } from '../config/config.ts';
import { expirationOf, type NamedEntry, NameTable, publicName, readKey, stampKey, toolNames } from './naming.ts';

const named = (server: string, name: string): NamedEntry => ({ key: `${server}:${name}`, server, name });

const serverName = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,20}$/);
const toolName = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_.-]{1,90}$/),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 90 }),
  fc.constantFrom('a__b', 'b', 'c', 'a.b', 'constructor', '__proto__', 'toString'),
);
const plain = fc.uniqueArray(fc.tuple(serverName, toolName), { maxLength: 30, selector: ([a, b]) => `${a}:${b}` });
const separator = fc.constantFrom('.', '__', '-');

/** Entries, and beside them tools that bear the public names of others. */
function withImpostors(pairs: readonly (readonly [string, string])[], between: string): NamedEntry[] {
  const honest = pairs.map(([server, name]) => named(server, name));
  const impostors = honest.flatMap((entry) => {
    const rest = publicName(entry, between).slice(entry.server.length + between.length);
    return rest === '' ? [] : [named(entry.server, rest)];
  });
  return [...new Map([...impostors, ...honest].map((entry) => [entry.key, entry])).values()];
}

test('every entry has one legal name of at most 64 characters, and every name one entry', () => {
  fc.assert(
    fc.property(plain, separator, (pairs, between) => {
      const entries = withImpostors(pairs, between);
      const table = new NameTable(entries, between);
      const names = entries.map((entry) => table.nameOf(entry));
      assert.equal(new Set(names).size, entries.length);
      for (const [at, name] of names.entries()) {
        assert.match(name, /^[A-Za-z0-9_.-]{1,64}$/);
        assert.equal(table.find(name), entries[at]);
      }
      assert.deepEqual([...table.names()].sort(), names.toSorted());
    }),
    { numRuns: 300 },
  );
});

test('a short legal name is the server, the separator and the name', () => {
  assert.equal(publicName(named('github', 'create_issue'), '.'), 'github.create_issue');
  assert.equal(publicName(named('github', 'create_issue'), '__'), 'github__create_issue');
});

test('a long or illegal name is shortened in a stable way that keeps its start', () => {
  const long = publicName(named('github', 'x'.repeat(100)), '.');
  assert.equal(long.length, 64);
  assert.match(long, /^github\.x{48}_[0-9a-f]{8}$/);
  assert.equal(publicName(named('github', 'x'.repeat(100)), '.'), long);
  assert.notEqual(publicName(named('github', `${'x'.repeat(100)}y`), '.'), long);
  assert.match(
    publicName(named('files', 'lire à côté'), '.'),
    /^files\.lire_c_t_[0-9a-f]{8}$|^files\.lire_[\w.-]+_[0-9a-f]{8}$/,
  );
});

test('of two that want one name, the first keeps it', () => {
  const [first, second] = [named('a', 'b__c'), named('a__b', 'c')];
  const table = new NameTable([first, second], '__');
  assert.equal(table.nameOf(first), 'a__b__c');
  assert.match(table.nameOf(second), /^a__b__c_[0-9a-f]{8}$/);
  assert.equal(table.find('a__b__c'), first);
  assert.equal(table.find('nothing'), undefined);
});

const now = Date.parse('2026-08-31T12:00:30Z');
const never = () => false;

test('without a time to live keys carry nothing and end never', () => {
  const forEver = { ttlMinutes: 0, now };
  assert.equal(stampKey('a:b', forEver), 'a:b');
  assert.equal(expirationOf(forEver), undefined);
  const old = stampKey('a:b', { ttlMinutes: 5, now: 0 });
  assert.equal(readKey(old, forEver, never), 'a:b');
});

test('a stamped key is understood until its time is over, its bare form always', () => {
  const key = stampKey('github:create~issue', { ttlMinutes: 5, now });
  assert.match(key, /^github:create~issue~[0-9a-z]{7}$/);
  const at = (later: number) => ({ ttlMinutes: 5, now: now + later });
  assert.equal(readKey(key, at(4 * 60_000), never), 'github:create~issue');
  assert.throws(
    () => readKey(key, at(5 * 60_000), never),
    (error) => error instanceof GatewayError && error.code === 'TOOLKEY_EXPIRED',
  );
  assert.equal(readKey('github:create~issue', at(3_600_000), never), 'github:create~issue');
});

test('it is told until when, and that is when it ends', () => {
  const told = expirationOf({ ttlMinutes: 5, now });
  assert.deepEqual(told, { expiresAt: '2026-08-31T12:05:30.000Z', expiresInSeconds: 300, ttlMinutes: 5 });
  const key = stampKey('a:b', { ttlMinutes: 5, now });
  const last = Date.parse(told?.expiresAt ?? '') - 1;
  assert.equal(readKey(key, { ttlMinutes: 5, now: last }, never), 'a:b');
  assert.throws(() => readKey(key, { ttlMinutes: 5, now: last + 1 }, never));
});

test('a tool that is called like a stamped key goes first', () => {
  const odd = 'a:b~0000001';
  assert.equal(
    readKey(odd, { ttlMinutes: 5, now }, (key) => key === odd),
    odd,
  );
});

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
    return [name, { spec, tools: [], listedAt: 1, hiddenTools: new Map() } as unknown as ServerEntry] as const;
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

test('invisible tools are nowhere among them', () => {
  const snapshot = snapshotOf({ shop: ['list', 'listen'] }, { permissions: { listen: 'deny' } });
  const names = toolNames(snapshot, ann);
  assert.deepEqual(names.nearest('listenn', 'shop'), ['shop:list']);
  assert.deepEqual(names.named('listen'), []);
  assert.equal(toolNames(snapshot, ann), names, 'they are made once');
});
