/** Tests of the settings that the page of a server sends. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exposureAfter, permissionAfter } from './server-settings.ts';

test('a tool that is switched leaves the others as they are, and an alias counts once', () => {
  const tools = [
    { serverName: 'read', absence: null },
    { serverName: 'write', absence: 'denied' },
    { serverName: 'wipe', absence: 'hidden' },
    { serverName: 'read', absence: null },
  ] as const;
  assert.deepEqual(exposureAfter(tools, 'write', false), ['read']);
  assert.deepEqual(exposureAfter(tools, 'wipe', true), ['read', 'write', 'wipe']);
});

test('a permission that is the default again is taken out, unless a pattern could say otherwise', () => {
  assert.deepEqual(permissionAfter({ read: 'deny' }, 'read', 'allow'), { read: null });
  assert.deepEqual(permissionAfter({ 'r*': 'deny' }, 'read', 'allow'), { read: 'allow' });
  assert.deepEqual(permissionAfter({}, 'read', 'ask'), { read: 'ask' });
  assert.deepEqual(permissionAfter({}, 'read', 'allow'), { read: 'allow' });
});
