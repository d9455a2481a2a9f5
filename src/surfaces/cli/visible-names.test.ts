/** Names of strangers in what the owner reads: they forge no row, pass for no other name, and can be typed back. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WaitingCall } from '../../admin/admin.ts';
import { typed, visibleLine } from '../../base/visible.ts';
import { readDefinitionKey } from './definition-key.ts';
import { renderWaiting } from './render-approvals.ts';
import { styleFor } from './style.ts';
import { table } from './table.ts';

const style = styleFor({ write() {} }, {});
const forged = 'one:read\nfiles:read  connected\u001b[2K\r';

test('[EDGE-12] no cell of a table begins a row or hides a character, in any column', () => {
  const rows = [
    { name: forged, more: forged },
    { name: 'one:erase ', more: 'two\nlines' },
  ];
  const text = table(
    rows,
    [
      { title: 'NAME', cell: (row) => row.name },
      { title: 'MORE', cell: (row) => row.more },
      { title: 'SAID', cell: (row) => row.more, isProse: true },
    ],
    { style },
  );
  const lines = text.split('\n');
  assert.equal(lines.length, 3);
  assert.doesNotMatch(text.replaceAll('\n', ''), /\p{C}/u);
  assert.equal(lines[1]?.split('\\u000afiles:read').length, 3);
  assert.match(lines[2] ?? '', /^one:erase\\u0020 .*two\\u000alines +two lines$/);
});

test('[EDGE-12] different names are printed differently, and plain names of every language stay as they are', () => {
  for (const name of ['safe\0', ' safe', 'safe ', 'sa\u200bfe', 'safe\n', 'sa\u00a0fe', '\u202esafe'])
    assert.notEqual(visibleLine(name).trim(), 'safe', JSON.stringify(name));
  for (const name of ['größe', '検索', 'get file', '🙂', 'поиск']) assert.equal(visibleLine(name), name);
});

test('[EDGE-12] a name is printed as it can be typed, and read back as it is', () => {
  assert.equal(typed('one:read_file'), 'one:read_file');
  for (const name of [
    'safe\0',
    'erase ',
    'a\nb',
    "it's",
    'two words',
    '\u{e0041}x',
    '$(reboot)',
    '検索',
    '\ud800',
    'a\\u0041',
  ]) {
    const text = typed(`one:${name}`);
    const atShell = text.replace(/^'(.*)'$/, '$1');
    assert.ok(text === atShell || !atShell.includes("'"), text);
    assert.deepEqual(readDefinitionKey(atShell, undefined), { server: 'one', name, kind: undefined });
  }
});

test('[EDGE-12] a call that waits is shown with names that are what they are', () => {
  const call: WaitingCall = {
    id: 'call_1',
    toolKey: 'one:erase ',
    principal: 'agent\nowner',
    client: forged,
    project: null,
    arguments: '{}',
    characters: 2,
    isCut: false,
    beside: null,
    asked: 'owner',
    askedAt: '2026-01-01T00:00:00.000Z',
    expiresAt: '2026-01-01T00:01:00.000Z',
  } as unknown as WaitingCall;
  const [first = ''] = renderWaiting([call], style, 0).split('\n');
  const shown = 'one:erase\\u0020  for agent\\u000aowner (the program says it is one:read\\u000afiles';
  assert.ok(first.includes(shown), first);
});
