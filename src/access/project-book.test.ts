/** Tests of which projects there are: of the file, made at run time, and named by servers. */

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
    } as unknown as Store;
    const config = () => ({ projects: this.file });
    const book = new ProjectBook({ store, clock: new ManualClock(), log: silentLog, config, specs: () => this.specs });
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
  desk.file = new Map();
  assert.equal(book.find('shop')?.origin, 'store');
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
  await assert.rejects(changed, { code: 'USAGE', hint: /make it anew: toolcrib project remove shop/ });
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
