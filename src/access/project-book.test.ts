/** Tests of which projects there are: of the file, made at run time, named by servers, and gone from the file. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import type { JsonObject } from '../base/json.ts';
import { silentLog } from '../base/log.ts';
import { type ProjectSettings, parseProject, parseServer, type ServerSpec } from '../config/config.ts';
import type { Store, StoredProject } from '../store/store.ts';
import { authorize, serverRefusalOf } from './authorize.ts';
import { everybody } from './principal.ts';
import { projectOf } from './project.ts';
import { ProjectBook } from './project-book.ts';

class Desk {
  readonly stored = new Map<string, StoredProject>();
  readonly remembered = new Set<string>();
  readonly warnings: string[] = [];
  file = new Map<string, ProjectSettings>();
  specs: ServerSpec[] = [];
  fails = false;
  changes = 0;

  async open(): Promise<ProjectBook> {
    const written = async (act: () => unknown) => {
      if (this.fails) throw new Error('The disk is full.');
      act();
    };
    // Only these members are used.
    const store = {
      listProjects: async () => [...this.stored.values()],
      saveProject: (project: StoredProject) => written(() => this.stored.set(project.name, project)),
      removeProject: (name: string) => written(() => this.stored.delete(name)).then(() => true),
      listFileProjects: async () => [...this.remembered],
      addFileProject: (name: string) => written(() => this.remembered.add(name)),
      removeFileProject: (name: string) => written(() => this.remembered.delete(name)),
    } as unknown as Store;
    const config = () => ({ projects: this.file });
    const log = { ...silentLog, warn: (event: string) => void this.warnings.push(event) };
    const book = new ProjectBook({ store, clock: new ManualClock(), log, config, specs: () => this.specs });
    await book.open();
    book.changed.on(() => {
      this.changes += 1;
    });
    return book;
  }

  write(name: string, settings: JsonObject): void {
    this.file = new Map([...this.file, [name, parseProject(name, settings)]]);
  }

  serve(name: string, ...projects: string[]): void {
    this.specs = [...this.specs, parseServer(name, { command: 'serve', projects }, {}, 'file')];
  }
}

test('the file goes before what was made at run time, and that before what servers name', async () => {
  const desk = new Desk();
  desk.serve('till', 'shop', 'school');
  const book = await desk.open();
  assert.deepEqual(
    book.list().map(({ name, origin }) => [name, origin]),
    [
      ['school', 'servers'],
      ['shop', 'servers'],
    ],
  );
  await book.create('shop', { search: 'bm25' });
  assert.equal(book.find('shop')?.search, 'bm25');
  desk.write('shop', { search: null });
  assert.deepEqual([book.find('shop')?.origin, book.find('shop')?.search], ['file', null]);
  assert.equal(book.find('nobody'), undefined);
});

test('a project is the same object with the same mark until something of it changes', async () => {
  const desk = new Desk();
  desk.write('office', { servers: ['a'] });
  desk.serve('till', 'school');
  const book = await desk.open();
  const shop = await book.create('shop', {});
  for (const name of ['office', 'school', 'shop']) assert.equal(book.find(name), book.find(name));
  const before = book.find('office')?.mark;
  desk.write('office', { servers: ['a'], description: 'said anew' });
  assert.equal(book.find('office')?.mark, before, 'a description decides nothing');
  desk.write('office', { servers: ['b'] });
  assert.notEqual(book.find('office')?.mark, before);
  const set = await book.set('shop', ({ servers }) => ({ servers: [...servers, 'till'] }));
  assert.notEqual(set.mark, shop.mark);
  assert.equal(desk.changes, 2);
});

test('what was made is kept, and read again at the next start', async () => {
  const desk = new Desk();
  const book = await desk.open();
  await book.create('shop', { servers: ['My Till'], permissions: { 'My Till:*': 'ask' }, description: 'For sale.' });
  await book.set('shop', ({ permissions }) => ({
    permissions: { ...Object.fromEntries(permissions), '*:wipe': 'deny' },
  }));
  const again = await desk.open();
  assert.deepEqual(again.find('shop'), book.find('shop'));
  assert.deepEqual(
    [...(again.find('shop')?.permissions ?? [])],
    [
      ['my-till:*', 'ask'],
      ['*:wipe', 'deny'],
    ],
  );
  await again.remove('shop');
  assert.equal((await desk.open()).find('shop'), undefined);
});

test('what cannot be done is refused with what to do', async () => {
  const desk = new Desk();
  desk.write('office', {});
  desk.serve('till', 'school');
  const book = await desk.open();
  await book.create('shop', {});
  const refused = (act: Promise<unknown>, code: string, words: RegExp) =>
    assert.rejects(act, (error: Error & { code?: string; hint?: string }) => {
      assert.equal(error.code, code);
      assert.match(`${error.message} ${error.hint}`, words);
      return true;
    });
  await refused(book.create('shop', {}), 'NAME_TAKEN', /toolcrib project set shop/);
  await refused(book.create('office', {}), 'NAME_TAKEN', /config file/);
  await refused(
    book.set('office', () => ({})),
    'USAGE',
    /comes from the config file/,
  );
  await refused(book.remove('office'), 'USAGE', /comes from the config file/);
  await refused(book.remove('school'), 'USAGE', /"projects" of: till/);
  await refused(
    book.set('shpo', () => ({})),
    'USAGE',
    /Did you mean "shop"\?/,
  );
  await refused(book.create('UNASSIGNED', {}), 'CONFIG_INVALID', /stands for no project/);
  await refused(book.create('yard', { permissions: { till: 'deny' } }), 'CONFIG_INVALID', /names no tool/);
  assert.deepEqual(
    book.list().map(({ name }) => name),
    ['office', 'school', 'shop'],
  );
});

/** A server that names the project `shop`, in which the file denies one tool; what may be done with that tool there. */
async function fileShop() {
  const desk = new Desk();
  desk.serve('till', 'shop');
  desk.write('shop', { permissions: { 'till:wipe': 'deny' } });
  const [till] = desk.specs;
  assert.ok(till);
  const book = await desk.open();
  const may = (tool: string, now = book) => authorize({ ...everybody, project: now.get('shop') }, till, tool);
  assert.deepEqual([may('wipe'), may('look')], ['deny', 'allow']);
  return { desk, book, till, may };
}

test('a project that goes from the file is closed where servers name it, now and after a restart', async () => {
  const { desk, book, may } = await fileShop();
  desk.serve('desk', 'school');
  desk.file = new Map();
  assert.equal(may('wipe'), 'deny', 'also before it is told that there is another config');
  book.configChanged();
  const again = await desk.open();
  for (const now of [book, again]) {
    assert.deepEqual([now.get('shop').origin, now.get('shop').isClosed], ['gone', true]);
    assert.deepEqual([may('wipe', now), may('look', now)], ['deny', 'deny']);
    assert.equal(now.get('school').origin, 'servers', 'what the file never had stays as it is');
  }
  assert.equal(book.find('shop'), book.find('shop'));
  assert.equal(desk.warnings.length, 2);
  assert.match(desk.warnings[0] ?? '', /"shop" is closed: it is gone from the config file/);
  desk.write('shop', {});
  assert.deepEqual([may('wipe'), book.get('shop').origin], ['allow', 'file'], 'the owner said so');
});

test('one that came to the file and went while the gateway runs is closed as well', async () => {
  const desk = new Desk();
  desk.serve('till', 'shop');
  const book = await desk.open();
  assert.equal(book.get('shop').origin, 'servers');
  desk.write('shop', { search: null });
  book.configChanged();
  desk.file = new Map();
  book.configChanged();
  assert.equal(book.get('shop').origin, 'gone');
  await book.reload();
  assert.equal((await desk.open()).get('shop').origin, 'gone');
});

test('one that went from the file opens with the settings that it is made anew with', async () => {
  const { desk, book, may } = await fileShop();
  desk.file = new Map();
  book.configChanged();
  await assert.rejects(
    book.set('shop', () => ({})),
    { code: 'USAGE', hint: /toolcrib project create shop/ },
  );
  await assert.rejects(book.remove('shop'), { code: 'USAGE', hint: 'Take it out of "projects" of: till' });
  assert.equal(may('look'), 'deny');
  await book.create('shop', { permissions: { 'till:look': 'ask' } });
  assert.deepEqual([may('wipe'), may('look')], ['allow', 'ask']);
  assert.equal((await desk.open()).get('shop').origin, 'store');
});

test('one that went from the file does not become what was made under its name before', async () => {
  const desk = new Desk();
  const book = await desk.open();
  await book.create('shop', { servers: ['*'] });
  desk.write('shop', { servers: ['*'], permissions: { '*': 'ask' } });
  book.configChanged();
  desk.file = new Map();
  assert.equal(book.get('shop').origin, 'gone');
  await book.remove('shop');
  assert.equal(book.find('shop'), undefined);
  desk.serve('till', 'shop');
  assert.equal(book.get('shop').origin, 'servers', 'its owner has removed it');
});

test('one that went from the file and is named by nobody is not there, and closed once somebody names it', async () => {
  const desk = new Desk();
  desk.write('shop', { servers: ['till'], permissions: { '*': 'ask' } });
  const book = await desk.open();
  desk.file = new Map();
  assert.deepEqual([book.find('shop'), book.list()], [undefined, []]);
  desk.serve('till', 'shop');
  assert.equal(book.get('shop').origin, 'gone');
});

test('that the file has a project counts where it cannot be written down, and is written down later', async () => {
  const desk = new Desk();
  desk.serve('till', 'shop');
  desk.write('shop', { permissions: { '*': 'ask' } });
  desk.fails = true;
  const book = await desk.open();
  assert.match(desk.warnings[0] ?? '', /Can't save that the config file has this project/);
  desk.file = new Map();
  assert.equal(book.get('shop').origin, 'gone');
  await assert.rejects(book.create('shop', {}), /disk is full/);
  assert.equal(book.get('shop').origin, 'gone');
  desk.fails = false;
  book.configChanged();
  await book.reload();
  assert.deepEqual([...desk.remembered], ['shop']);
});

test('a project that servers name is not removed: it would stay without its permissions', async () => {
  const desk = new Desk();
  desk.serve('till', 'shop');
  const [till] = desk.specs;
  assert.ok(till);
  const book = await desk.open();
  await book.create('shop', { permissions: { 'till:wipe': 'deny' } });
  const may = () => authorize({ ...everybody, project: book.find('shop') ?? projectOf('shop') }, till, 'wipe');
  assert.equal(may(), 'deny');
  await assert.rejects(book.remove('shop'), { code: 'USAGE', hint: 'Take it out of "projects" of: till' });
  assert.equal(may(), 'deny');
  assert.equal(desk.stored.size, 1);
  desk.specs = [{ ...till, projects: [] }];
  await book.remove('shop');
  assert.equal(book.find('shop'), undefined);
});

test('a change that cannot be kept changes nothing, and the next one is made', async () => {
  const desk = new Desk();
  const book = await desk.open();
  const shop = await book.create('shop', {});
  desk.fails = true;
  const told = desk.changes;
  await assert.rejects(
    book.set('shop', () => ({ search: null })),
    /disk is full/,
  );
  await assert.rejects(book.remove('shop'), /disk is full/);
  await assert.rejects(book.create('yard', {}), /disk is full/);
  assert.equal(book.find('shop'), shop);
  assert.equal(book.find('yard'), undefined);
  assert.equal(desk.changes, told);
  desk.fails = false;
  assert.equal((await book.set('shop', () => ({ search: null }))).search, null);
});

test('a stored project that cannot be read any more has nothing in it', async () => {
  const desk = new Desk();
  desk.stored.set('shop', { name: 'shop', settings: { servers: 'all of them' }, createdAt: 1 });
  desk.serve('till', 'shop');
  const [till] = desk.specs;
  assert.ok(till);
  const book = await desk.open();
  const shop = book.get('shop');
  assert.deepEqual([shop.servers, shop.search, [...shop.permissions]], [[], null, [['*', 'deny']]]);
  // Also resources and prompts, for which there are no permissions: the server itself is not there.
  assert.equal(serverRefusalOf({ ...everybody, project: shop }, till), 'project');
  const changed = book.set('shop', () => ({ search: 'bm25' }));
  await assert.rejects(changed, { code: 'USAGE', hint: /create it again: toolcrib project remove shop/ });
  assert.equal(book.get('shop'), shop);
});

test('what another gateway changes in the store is taken over, and told where it is news', async () => {
  const desk = new Desk();
  const book = await desk.open();
  const shop = await book.create('shop', {});
  await book.reload();
  assert.equal(desk.changes, 1, 'what was made here is no news');
  assert.equal(book.find('shop'), shop);
  desk.stored.set('shop', { name: 'shop', settings: { search: null }, createdAt: 1 });
  await book.reload();
  assert.equal(book.find('shop')?.search, null);
  assert.equal(desk.changes, 2);
});
