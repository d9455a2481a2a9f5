/** Tests of what one endpoint tells: with a real catalog, servers that only answer, and a clock that the test moves. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangeDesk } from '../../test/kit/change-desk.ts';
import { everybody, projectFrom } from '../access/access.ts';
import { parseProject } from '../config/config.ts';

test('a server that is added and then listed came once, when it was listed', async () => {
  const desk = await new ChangeDesk().open({ a: {} });
  desk.setServers({ a: {}, b: {} });
  assert.deepEqual(await desk.later(), []);
  await desk.list('b', ['look']);
  assert.deepEqual(await desk.later(249), []);
  assert.deepEqual(await desk.later(1), ['tools', 'resources']);
});

test('servers that come within a quarter of a second, and a refresh of all, are told as one', async () => {
  const names = Array.from({ length: 50 }, (_, at) => `s${at}`);
  const entries = Object.fromEntries(names.map((name) => [name, {}]));
  const desk = await new ChangeDesk().open({});
  desk.setServers(entries);
  for (const name of names) {
    await desk.list(name, ['look']);
    await desk.clock.advance(4);
  }
  assert.deepEqual(await desk.later(), ['tools', 'resources']);
  await Promise.all(names.map((name) => desk.list(name, ['look', 'find'])));
  assert.deepEqual(await desk.later(), ['tools', 'resources']);
  await Promise.all(names.map((name) => desk.list(name, ['look', 'find'])));
  assert.deepEqual(await desk.later(), []);
});

test('what came and went in one moment is no news', async () => {
  const desk = await new ChangeDesk().open({ a: {} });
  await desk.list('a', ['look', 'find']);
  await desk.list('a', ['look']);
  desk.become('a', 'failed');
  desk.become('a', 'connected');
  assert.deepEqual(await desk.later(), []);
});

test('a server that fails is told once, however often it is tried, and its return once', async () => {
  const desk = await new ChangeDesk().open({ a: {} });
  for (const state of ['failed', 'connecting', 'failed', 'connecting', 'failed'] as const) {
    desk.become('a', state);
    await desk.clock.advance(8_000);
  }
  assert.deepEqual(await desk.later(), ['resources']);
  desk.become('a', 'connected');
  assert.deepEqual(await desk.later(), ['resources']);
  for (const state of ['configured', 'connecting', 'connected'] as const) {
    desk.become('a', state);
    await desk.clock.advance(1_000);
  }
  assert.deepEqual(await desk.later(), [], 'closed when idle and opened again');
});

test('a server that cannot even be listed is told when it fails', async () => {
  const desk = await new ChangeDesk().open({ a: {} });
  desk.setServers({ a: {}, b: {} });
  desk.become('b', 'connecting');
  assert.deepEqual(await desk.later(), []);
  desk.become('b', 'failed');
  assert.deepEqual(await desk.later(), ['resources']);
  desk.setServers({ a: {} });
  assert.deepEqual(await desk.later(), ['resources'], 'and when it goes');
});

test('news of a server that became another one waits until it is listed, but not for ever', async () => {
  const desk = await new ChangeDesk().open({ a: {} });
  desk.setServers({ a: { args: ['edited'] } });
  await desk.clock.advance(1_000);
  await desk.list('a', ['look']);
  assert.deepEqual(await desk.later(), [], 'it offers what the last one did');
  desk.setServers({ a: { args: ['again'] } });
  assert.deepEqual(await desk.later(1_499), []);
  assert.deepEqual(await desk.later(1), ['tools', 'resources']);
});

test('where the size decides, a new server changes the surface only if its list takes too long', async () => {
  const desk = await new ChangeDesk({ surface: 'nothing' }).open({ a: {} });
  desk.setServers({ a: {}, b: {} });
  assert.deepEqual(await desk.later(1_000), []);
  await desk.list('b', ['look']);
  assert.deepEqual(await desk.later(), ['tools', 'resources'], 'direct before and after');
  desk.setServers({ a: {}, b: {}, c: {} });
  assert.deepEqual(await desk.later(1_499), []);
  assert.deepEqual(await desk.later(1), ['tools'], 'search, until it is listed');
  await desk.list('c', ['look']);
  assert.deepEqual(await desk.later(), ['tools', 'resources'], 'direct again');
});

test('who does not see a server hears nothing of it', async () => {
  const desk = await new ChangeDesk({ project: 'shop' }).open({
    a: { projects: ['shop'] },
    b: { projects: ['school'] },
  });
  await desk.list('b', ['find']);
  desk.become('b', 'failed');
  assert.deepEqual(await desk.later(), []);
  desk.setServers({ a: { projects: ['shop'] }, b: { projects: ['school', 'shop'] } });
  assert.deepEqual(await desk.later(), ['tools', 'resources']);
});

test('who comes after a change has read it already; who came before hears of it', async () => {
  const desk = await new ChangeDesk().open({ a: {}, b: {} });
  await desk.list('a', ['find']);
  const late: string[] = [];
  desk.listen('late ', late);
  assert.deepEqual([await desk.later(), late], [['tools', 'resources'], []]);
  await desk.list('a', ['look']);
  assert.deepEqual(
    [await desk.later(), late],
    [
      ['tools', 'resources'],
      ['late tools', 'late resources'],
    ],
  );
});

test('news of one server does not wait for another one that is being listed anew', async () => {
  const desk = await new ChangeDesk().open({ a: {}, b: {} });
  desk.setServers({ a: { env: { EDITED: 'yes' } }, b: {} });
  await desk.list('b', ['look', 'find']);
  assert.deepEqual(await desk.later(250), ['tools', 'resources'], 'b has another tool');
  await desk.list('a', ['look']);
  assert.deepEqual(await desk.later(), [], 'a offers what it did');
});

test('each surface is told of the settings by which its own list reads differently, and of no others', async () => {
  const { tokens, projects } = { tokens: new Map([['nobody', 'full'] as const]), projects: new Map() };
  const acts: readonly (readonly [string, (desk: ChangeDesk) => void, readonly string[]])[] = [
    ['programs off', (desk) => desk.set({ chains: { enabled: false } }), ['search', 'code', 'full']],
    ['other names', (desk) => desk.set({ names: { separator: '__' } }), ['direct']],
    ['fewer results', (desk) => desk.set({ search: { maxResults: 5 } }), ['search', 'code', 'full']],
    ['the surface of somebody else', (desk) => desk.set({ surfaces: { tokens, projects } }), []],
    ['a category', (desk) => desk.setServers({ a: { category: 'email' } }), ['search', 'direct', 'code', 'full']],
    ['a title', (desk) => desk.setServers({ a: { title: 'All about boats' } }), ['direct']],
    ['a longer timeout', (desk) => desk.setServers({ a: { timeoutMs: 5_000 } }), []],
  ];
  for (const surface of ['search', 'direct', 'code', 'full'] as const) {
    for (const [what, act, told] of acts) {
      const desk = await new ChangeDesk({ surface }).open({ a: {} });
      act(desk);
      assert.deepEqual(await desk.later(), told.includes(surface) ? ['tools'] : [], `${what} on ${surface}`);
    }
  }
});

test('a token that gets another surface hears of it, and others at the same door do not', async () => {
  const desk = await new ChangeDesk({ surface: 'nothing' }).open({ a: {} });
  const others: string[] = [];
  desk.listen('', others, { ...everybody, id: 'other', name: 'other' });
  desk.set({ surfaces: { tokens: new Map([['everybody', 'code']]), projects: new Map() } });
  assert.deepEqual([await desk.later(), others], [['tools'], []]);
});

test('servers that fail are told as long as the list names them, and not one by one', async () => {
  const names = Array.from({ length: 200 }, (_, at) => `server-${String(at).padStart(3, '0')}`);
  const desk = await new ChangeDesk().open({});
  desk.setServers(Object.fromEntries(names.map((name) => [name, {}])));
  for (const name of names) {
    desk.become(name, 'failed');
    await desk.clock.advance(300);
  }
  const told = await desk.later();
  assert.deepEqual(new Set(told), new Set(['resources']));
  assert.ok(told.length < 25, `told ${told.length} times, though its 200 characters were full long before`);
});

test('a principal that may do other things hears of what reads differently, and of nothing else', async () => {
  const desk = await new ChangeDesk().open({ a: {}, b: {} });
  const token = { ...everybody, id: 'token:1', mark: '1' };
  const heard: string[] = [];
  desk.listen('', heard, token);
  const hears = async (act: () => void) => {
    act();
    await desk.later();
    return heard.splice(0);
  };
  assert.deepEqual(await hears(() => desk.grant('token:1', { ...token, mark: '2', servers: ['a'] })), [
    'tools',
    'resources',
  ]);
  assert.deepEqual(await hears(() => desk.grant('token:1', { ...token, mark: '3', servers: ['a*'] })), []);
  const project = projectFrom(
    'shop',
    'store',
    parseProject('shop', { servers: ['*'], permissions: { 'a:look': 'deny' } }),
  );
  assert.deepEqual(await hears(() => desk.grant('token:1', { ...token, mark: '3', project })), ['tools', 'resources']);
  assert.deepEqual(desk.heard.splice(0), [], 'nobody else hears of it');
  assert.deepEqual(
    await hears(() => desk.grant('token:1', undefined)),
    [],
    'who may not come in any more hears nothing',
  );
  await desk.list('b', ['look', 'find']);
  assert.deepEqual(await hears(() => {}), []);
});

test('what changes back within a moment is no news, and what a change of rights hides is told within a second', async () => {
  const desk = await new ChangeDesk().open({ a: {}, b: {} });
  const token = { ...everybody, id: 'token:1', mark: '1' };
  const heard: string[] = [];
  desk.listen('', heard, token);
  desk.grant('token:1', { ...token, mark: '2', servers: [] });
  desk.grant('token:1', token);
  await desk.clock.advance(1_000);
  assert.deepEqual(heard.splice(0), []);
  desk.grant('token:1', { ...token, mark: '2', servers: [] });
  await desk.clock.advance(999);
  assert.deepEqual(heard.splice(0), ['tools', 'resources']);
});
