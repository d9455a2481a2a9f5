/** Tests of the names that stand for somebody of the gateway itself. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readsAsOwn } from './own-names.ts';

test('a name that reads like one of the gateway itself is one, however it is written', () => {
  for (const name of [
    'owner',
    'agent',
    'everybody',
    'nobody',
    'gateway',
    'Owner',
    'GATEWAY',
    ' owner ',
    'ow\u200bner',
    'owner\u{e0061}',
    'o w n e r',
    'owner.',
    'оwner',
    'ΟWNER',
    'ＯＷＮＥＲ',
    'öwnér',
    '0wn3r',
    'ovvner',
    'ᴏᴡɴᴇʀ',
    '𝐨𝐰𝐧𝐞𝐫',
    'аgеnт',
  ])
    assert.ok(readsAsOwn(name), name);
});

test('other names are free', () => {
  for (const name of ['', 'anna', 'owner2', 'agents', 'my-agent', 'agent-1', 'gateway-ci', 'Анна', 'constructor'])
    assert.ok(!readsAsOwn(name), name);
});
