/** Definitions that wait, sorted for a decision. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DefinitionChange, ServerUpgrade } from '../../admin/admin.ts';
import { changeKey, changesInUpgrade, countStates, decisionOrders, sortChanges } from './sort-changes.ts';

function change(key: string, state: DefinitionChange['state'], since = '2026-01-02T00:00:00.000Z'): DefinitionChange {
  const [server = '', name = ''] = key.split(':');
  return { server, kind: 'tool', name, key, state, since, fingerprint: `of ${key}` } as DefinitionChange;
}

const changes = [change('b:one', 'approved'), change('a:one', 'rejected'), change('c:one', 'held')];

test('servers with something that waits come first, those with nothing to decide last', () => {
  const servers = sortChanges({ changes, groups: [], upgrades: [] }).map(({ server }) => server);
  assert.deepEqual(servers, ['c', 'b', 'a']);
  assert.equal(countStates(changes), '1 withheld, 1 worth a look, 1 rejected');
});

test('an upgrade holds what it brought: nothing older, and nothing that was rejected', () => {
  const upgrade = { server: 'c', since: '2026-01-02T00:00:00.000Z' } as ServerUpgrade;
  const older = change('c:old', 'held', '2026-01-01T00:00:00.000Z');
  const all = [...changes, older, change('c:no', 'rejected')];
  const [own] = sortChanges({ changes: all, groups: [], upgrades: [upgrade] });
  assert.deepEqual(own && changesInUpgrade(own).map(({ key }) => key), ['c:one']);
});

test('a definition that was selected or opened is another one with another wording', () => {
  const read = change('a:one', 'held');
  assert.equal(changeKey(read), changeKey({ ...read, state: 'changed' }));
  assert.notEqual(changeKey(read), changeKey({ ...read, fingerprint: 'of another wording' }));
});

test('a decision about several servers is one order each, about exactly what was shown', () => {
  assert.deepEqual(decisionOrders([change('a:one', 'held'), change('b:one', 'held'), change('a:two', 'held')]), [
    {
      server: 'a',
      only: [
        { kind: 'tool', name: 'one' },
        { kind: 'tool', name: 'two' },
      ],
      fingerprints: ['of a:one', 'of a:two'],
    },
    { server: 'b', only: [{ kind: 'tool', name: 'one' }], fingerprints: ['of b:one'] },
  ]);
});
