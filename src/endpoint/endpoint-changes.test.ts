/** Tests of what one endpoint tells: with a real catalog, servers that only answer, and a clock that the test moves. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangeHarness } from '../../test/kit/change-harness.ts';
import { everybody, projectFrom } from '../access/access.ts';
import { type Rewordings, wordingFingerprint } from '../catalog/catalog.ts';
import { parseProject } from '../config/config.ts';

test('a server that is added and then listed came once, when it was listed', async () => {
  const harness = await new ChangeHarness().open({ a: {} });
  harness.setServers({ a: {}, b: {} });
  assert.deepEqual(await harness.later(), []);
  await harness.list('b', ['look']);
  assert.deepEqual(await harness.later(249), []);
  assert.deepEqual(await harness.later(1), ['tools', 'resources']);
});

test('servers that come within a quarter of a second, and a refresh of all, are told as one', async () => {
  const names = Array.from({ length: 50 }, (_, at) => `s${at}`);
  const entries = Object.fromEntries(names.map((name) => [name, {}]));
  const harness = await new ChangeHarness().open({});
  harness.setServers(entries);
  for (const name of names) {
    await harness.list(name, ['look']);
    await harness.clock.advance(4);
  }
  assert.deepEqual(await harness.later(), ['tools', 'resources']);
  await Promise.all(names.map((name) => harness.list(name, ['look', 'find'])));
  assert.deepEqual(await harness.later(), ['tools', 'resources']);
  await Promise.all(names.map((name) => harness.list(name, ['look', 'find'])));
  assert.deepEqual(await harness.later(), []);
});

for (const surface of ['search', 'direct'] as const)
  test(`a promotion and its end are each told once to ${surface}, and one that is suspended not at all`, async () => {
    const harness = await new ChangeHarness({ surface }).open({ a: {}, b: {} });
    const fingerprint = wordingFingerprint(harness.catalog.snapshot.tools.get('a:look')?.definition ?? {});
    const promoted: Rewordings = new Map([['a', new Map([['look', { description: 'Shows it.', fingerprint }]])]]);
    harness.catalog.reword(promoted);
    assert.deepEqual(await harness.later(249), []);
    assert.deepEqual(await harness.later(1), ['tools', 'resources']);
    harness.catalog.reword(new Map([...promoted]));
    assert.deepEqual(await harness.later(), []);
    harness.catalog.reword(new Map());
    assert.deepEqual(await harness.later(), ['tools', 'resources']);
    const other = new Map([['look', { description: 'Shows it.', fingerprint: 'of another' }]]);
    harness.catalog.reword(new Map([['a', other]]));
    assert.deepEqual(await harness.later(), []);
  });

test('a change that is undone at once is no news', async () => {
  const harness = await new ChangeHarness().open({ a: {} });
  await harness.list('a', ['look', 'find']);
  await harness.list('a', ['look']);
  harness.become('a', 'failed');
  harness.become('a', 'connected');
  assert.deepEqual(await harness.later(), []);
});

test('a server that fails is told once, however often it is tried, and its return once', async () => {
  const harness = await new ChangeHarness().open({ a: {} });
  for (const state of ['failed', 'connecting', 'failed', 'connecting', 'failed'] as const) {
    harness.become('a', state);
    await harness.clock.advance(8_000);
  }
  assert.deepEqual(await harness.later(), ['resources']);
  harness.become('a', 'connected');
  assert.deepEqual(await harness.later(), ['resources']);
  for (const state of ['configured', 'connecting', 'connected'] as const) {
    harness.become('a', state);
    await harness.clock.advance(1_000);
  }
  assert.deepEqual(await harness.later(), [], 'closed when idle and opened again');
});

test('a server that cannot even be listed is told when it fails', async () => {
  const harness = await new ChangeHarness().open({ a: {} });
  harness.setServers({ a: {}, b: {} });
  harness.become('b', 'connecting');
  assert.deepEqual(await harness.later(), []);
  harness.become('b', 'failed');
  assert.deepEqual(await harness.later(), ['resources']);
  harness.setServers({ a: {} });
  assert.deepEqual(await harness.later(), ['resources'], 'and when it goes');
});

test('news of a server that became another one waits until it is listed, but not for ever', async () => {
  const harness = await new ChangeHarness().open({ a: {} });
  harness.setServers({ a: { args: ['edited'] } });
  await harness.clock.advance(1_000);
  await harness.list('a', ['look']);
  assert.deepEqual(await harness.later(), [], 'it offers what the last one did');
  harness.setServers({ a: { args: ['again'] } });
  assert.deepEqual(await harness.later(1_499), []);
  assert.deepEqual(await harness.later(1), ['tools', 'resources']);
});

test('where the size decides, a new server changes the surface only if its list takes too long', async () => {
  const harness = await new ChangeHarness({ surface: 'nothing' }).open({ a: {} });
  harness.setServers({ a: {}, b: {} });
  assert.deepEqual(await harness.later(1_000), []);
  await harness.list('b', ['look']);
  assert.deepEqual(await harness.later(), ['tools', 'resources'], 'direct before and after');
  harness.setServers({ a: {}, b: {}, c: {} });
  assert.deepEqual(await harness.later(1_499), []);
  assert.deepEqual(await harness.later(1), ['tools'], 'search, until it is listed');
  await harness.list('c', ['look']);
  assert.deepEqual(await harness.later(), ['tools', 'resources'], 'direct again');
});

test('an agent that does not see a server hears nothing of it', async () => {
  const harness = await new ChangeHarness({ project: 'shop' }).open({
    a: { projects: ['shop'] },
    b: { projects: ['school'] },
  });
  await harness.list('b', ['find']);
  harness.become('b', 'failed');
  assert.deepEqual(await harness.later(), []);
  harness.setServers({ a: { projects: ['shop'] }, b: { projects: ['school', 'shop'] } });
  assert.deepEqual(await harness.later(), ['tools', 'resources']);
});

test('agents that connect after a change already know it; earlier ones hear of it', async () => {
  const harness = await new ChangeHarness().open({ a: {}, b: {} });
  await harness.list('a', ['find']);
  const late: string[] = [];
  harness.listen('late ', late);
  assert.deepEqual([await harness.later(), late], [['tools', 'resources'], []]);
  await harness.list('a', ['look']);
  assert.deepEqual(
    [await harness.later(), late],
    [
      ['tools', 'resources'],
      ['late tools', 'late resources'],
    ],
  );
});

test('news of one server does not wait for another one that is being listed anew', async () => {
  const harness = await new ChangeHarness().open({ a: {}, b: {} });
  harness.setServers({ a: { env: { EDITED: 'yes' } }, b: {} });
  await harness.list('b', ['look', 'find']);
  assert.deepEqual(await harness.later(250), ['tools', 'resources'], 'b has another tool');
  await harness.list('a', ['look']);
  assert.deepEqual(await harness.later(), [], 'a offers what it did');
});

test('each surface is told of the settings by which its own list reads differently, and of no others', async () => {
  const { tokens, projects } = { tokens: new Map([['nobody', 'full'] as const]), projects: new Map() };
  const acts: readonly (readonly [string, (harness: ChangeHarness) => void, readonly string[]])[] = [
    ['programs off', (harness) => harness.set({ chains: { enabled: false } }), ['search', 'code', 'full']],
    ['other names', (harness) => harness.set({ names: { separator: '__' } }), ['direct']],
    ['fewer results', (harness) => harness.set({ search: { maxResults: 5 } }), ['search', 'code', 'full']],
    ['the surface of somebody else', (harness) => harness.set({ surfaces: { tokens, projects } }), []],
    ['a category', (harness) => harness.setServers({ a: { category: 'email' } }), ['search', 'direct', 'code', 'full']],
    ['a title', (harness) => harness.setServers({ a: { title: 'All about boats' } }), ['direct']],
    ['a longer timeout', (harness) => harness.setServers({ a: { timeoutMs: 5_000 } }), []],
  ];
  for (const surface of ['search', 'direct', 'code', 'full'] as const) {
    for (const [what, act, told] of acts) {
      const harness = await new ChangeHarness({ surface }).open({ a: {} });
      act(harness);
      assert.deepEqual(await harness.later(), told.includes(surface) ? ['tools'] : [], `${what} on ${surface}`);
    }
  }
});

test('a token that gets another surface hears of it, and others at the same door do not', async () => {
  const harness = await new ChangeHarness({ surface: 'nothing' }).open({ a: {} });
  const others: string[] = [];
  harness.listen('', others, { ...everybody, id: 'other', name: 'other' });
  harness.set({ surfaces: { tokens: new Map([['everybody', 'code']]), projects: new Map() } });
  assert.deepEqual([await harness.later(), others], [['tools'], []]);
});

test('servers that fail are told as long as the list names them, and not one by one', async () => {
  const names = Array.from({ length: 200 }, (_, at) => `server-${String(at).padStart(3, '0')}`);
  const harness = await new ChangeHarness().open({});
  harness.setServers(Object.fromEntries(names.map((name) => [name, {}])));
  for (const name of names) {
    harness.become(name, 'failed');
    await harness.clock.advance(300);
  }
  const told = await harness.later();
  assert.deepEqual(new Set(told), new Set(['resources']));
  assert.ok(told.length < 25, `told ${told.length} times, though its 200 characters were full long before`);
});

test('a principal that may do other things hears of what reads differently, and of nothing else', async () => {
  const harness = await new ChangeHarness().open({ a: {}, b: {} });
  const token = { ...everybody, id: 'token:1', mark: '1' };
  const heard: string[] = [];
  harness.listen('', heard, token);
  const hears = async (act: () => void) => {
    act();
    await harness.later();
    return heard.splice(0);
  };
  assert.deepEqual(await hears(() => harness.grant('token:1', { ...token, mark: '2', servers: ['a'] })), [
    'tools',
    'resources',
  ]);
  assert.deepEqual(await hears(() => harness.grant('token:1', { ...token, mark: '3', servers: ['a*'] })), []);
  const project = projectFrom(
    'shop',
    'store',
    parseProject('shop', { servers: ['*'], permissions: { 'a:look': 'deny' } }),
  );
  assert.deepEqual(await hears(() => harness.grant('token:1', { ...token, mark: '3', project })), [
    'tools',
    'resources',
  ]);
  assert.deepEqual(harness.heard.splice(0), [], 'nobody else hears of it');
  assert.deepEqual(
    await hears(() => harness.grant('token:1', undefined)),
    [],
    'who may not come in any more hears nothing',
  );
  await harness.list('b', ['look', 'find']);
  assert.deepEqual(await hears(() => {}), []);
});

test('a change that is undone at once is no news, and tools hidden by a change of rights are announced within a second', async () => {
  const harness = await new ChangeHarness().open({ a: {}, b: {} });
  const token = { ...everybody, id: 'token:1', mark: '1' };
  const heard: string[] = [];
  harness.listen('', heard, token);
  harness.grant('token:1', { ...token, mark: '2', servers: [] });
  harness.grant('token:1', token);
  await harness.clock.advance(1_000);
  assert.deepEqual(heard.splice(0), []);
  harness.grant('token:1', { ...token, mark: '2', servers: [] });
  await harness.clock.advance(999);
  assert.deepEqual(heard.splice(0), ['tools', 'resources']);
});
