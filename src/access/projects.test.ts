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
import { Projects } from './projects.ts';

class Harness {
  readonly stored = new Map<string, StoredProject>();
  readonly remembered = new Set<string>();
  readonly warnings: string[] = [];
  file = new Map<string, ProjectSettings>();
  specs: ServerSpec[] = [];
  fails = false;
  changes = 0;

  async open(): Promise<Projects> {
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
    const projects = new Projects({
      store,
      clock: new ManualClock(),
      log,
      config,
      specs: () => this.specs,
      places: () => new Map(),
    });
    await projects.open();
    projects.changed.on(() => {
      this.changes += 1;
    });
    return projects;
  }

  write(name: string, settings: JsonObject): void {
    this.file = new Map([...this.file, [name, parseProject(name, settings)]]);
  }

  serve(name: string, ...projects: string[]): void {
    this.specs = [...this.specs, parseServer(name, { command: 'serve', projects }, {}, 'file')];
  }
}

test('the file goes before what was made at run time, and that before what servers name', async () => {
  const harness = new Harness();
  harness.serve('till', 'shop', 'school');
  const projects = await harness.open();
  assert.deepEqual(
    projects.list().map(({ name, origin }) => [name, origin]),
    [
      ['school', 'servers'],
      ['shop', 'servers'],
    ],
  );
  await projects.create('shop', { search: 'bm25' });
  assert.equal(projects.find('shop')?.search, 'bm25');
  harness.write('shop', { search: null });
  assert.deepEqual([projects.find('shop')?.origin, projects.find('shop')?.search], ['file', null]);
  assert.equal(projects.find('nobody'), undefined);
});

test('a project is the same object with the same mark until something of it changes', async () => {
  const harness = new Harness();
  harness.write('office', { servers: ['a'] });
  harness.serve('till', 'school');
  const projects = await harness.open();
  const shop = await projects.create('shop', {});
  for (const name of ['office', 'school', 'shop']) assert.equal(projects.find(name), projects.find(name));
  const before = projects.find('office')?.mark;
  harness.write('office', { servers: ['a'], description: 'said anew' });
  assert.equal(projects.find('office')?.mark, before, 'a description decides nothing');
  harness.write('office', { servers: ['b'] });
  assert.notEqual(projects.find('office')?.mark, before);
  const set = await projects.set('shop', ({ servers }) => ({ servers: [...servers, 'till'] }));
  assert.notEqual(set.mark, shop.mark);
  assert.equal(harness.changes, 2);
});

test('a created project is stored and read again at the next start', async () => {
  const harness = new Harness();
  const projects = await harness.open();
  await projects.create('shop', {
    servers: ['My Till'],
    permissions: { 'My Till:*': 'ask' },
    description: 'For sale.',
  });
  await projects.set('shop', ({ permissions }) => ({
    permissions: { ...Object.fromEntries(permissions), '*:wipe': 'deny' },
  }));
  const again = await harness.open();
  assert.deepEqual(again.find('shop'), projects.find('shop'));
  assert.deepEqual(
    [...(again.find('shop')?.permissions ?? [])],
    [
      ['my-till:*', 'ask'],
      ['*:wipe', 'deny'],
    ],
  );
  await again.remove('shop');
  assert.equal((await harness.open()).find('shop'), undefined);
});

test('impossible changes are refused with a hint', async () => {
  const harness = new Harness();
  harness.write('office', {});
  harness.serve('till', 'school');
  const projects = await harness.open();
  await projects.create('shop', {});
  const refused = (act: Promise<unknown>, code: string, words: RegExp) =>
    assert.rejects(act, (error: Error & { code?: string; hint?: string }) => {
      assert.equal(error.code, code);
      assert.match(`${error.message} ${error.hint}`, words);
      return true;
    });
  await refused(projects.create('shop', {}), 'NAME_TAKEN', /toolcrib project set shop/);
  await refused(projects.create('office', {}), 'NAME_TAKEN', /config file/);
  await refused(
    projects.set('office', () => ({})),
    'USAGE',
    /comes from the config file/,
  );
  await refused(projects.remove('office'), 'USAGE', /comes from the config file/);
  await refused(projects.remove('school'), 'USAGE', /"projects" of: till/);
  await refused(
    projects.set('shpo', () => ({})),
    'USAGE',
    /Did you mean "shop"\?/,
  );
  await refused(projects.create('UNASSIGNED', {}), 'CONFIG_INVALID', /stands for no project/);
  await refused(projects.create('yard', { permissions: { till: 'deny' } }), 'CONFIG_INVALID', /names no tool/);
  assert.deepEqual(
    projects.list().map(({ name }) => name),
    ['office', 'school', 'shop'],
  );
});

/** A server that names the project `shop`, in which the file denies one tool; what may be done with that tool there. */
async function fileShop() {
  const harness = new Harness();
  harness.serve('till', 'shop');
  harness.write('shop', { permissions: { 'till:wipe': 'deny' } });
  const [till] = harness.specs;
  assert.ok(till);
  const projects = await harness.open();
  const may = (tool: string, now = projects) => authorize({ ...everybody, project: now.get('shop') }, till, tool);
  assert.deepEqual([may('wipe'), may('look')], ['deny', 'allow']);
  return { harness, projects, till, may };
}

test('a project that goes from the file is closed where servers name it, now and after a restart', async () => {
  const { harness, projects, may } = await fileShop();
  harness.serve('desk', 'school');
  harness.file = new Map();
  assert.equal(may('wipe'), 'deny', 'also before it is told that there is another config');
  projects.configChanged();
  const again = await harness.open();
  for (const now of [projects, again]) {
    assert.deepEqual([now.get('shop').origin, now.get('shop').isClosed], ['gone', true]);
    assert.deepEqual([may('wipe', now), may('look', now)], ['deny', 'deny']);
    assert.equal(now.get('school').origin, 'servers', 'what the file never had stays as it is');
  }
  assert.equal(projects.find('shop'), projects.find('shop'));
  assert.equal(harness.warnings.length, 2);
  assert.match(harness.warnings[0] ?? '', /"shop" is closed: it is gone from the config file/);
  harness.write('shop', {});
  assert.deepEqual([may('wipe'), projects.get('shop').origin], ['allow', 'file'], 'the owner said so');
});

test('one that came to the file and went while the gateway runs is closed as well', async () => {
  const harness = new Harness();
  harness.serve('till', 'shop');
  const projects = await harness.open();
  assert.equal(projects.get('shop').origin, 'servers');
  harness.write('shop', { search: null });
  projects.configChanged();
  harness.file = new Map();
  projects.configChanged();
  assert.equal(projects.get('shop').origin, 'gone');
  await projects.reload();
  assert.equal((await harness.open()).get('shop').origin, 'gone');
});

test('one that went from the file opens with the settings that it is made anew with', async () => {
  const { harness, projects, may } = await fileShop();
  harness.file = new Map();
  projects.configChanged();
  await assert.rejects(
    projects.set('shop', () => ({})),
    { code: 'USAGE', hint: /toolcrib project create shop/ },
  );
  await assert.rejects(projects.remove('shop'), { code: 'USAGE', hint: 'Take it out of "projects" of: till' });
  assert.equal(may('look'), 'deny');
  await projects.create('shop', { permissions: { 'till:look': 'ask' } });
  assert.deepEqual([may('wipe'), may('look')], ['allow', 'ask']);
  assert.equal((await harness.open()).get('shop').origin, 'store');
});

test('one that went from the file does not become what was made under its name before', async () => {
  const harness = new Harness();
  const projects = await harness.open();
  await projects.create('shop', { servers: ['*'] });
  harness.write('shop', { servers: ['*'], permissions: { '*': 'ask' } });
  projects.configChanged();
  harness.file = new Map();
  assert.equal(projects.get('shop').origin, 'gone');
  await projects.remove('shop');
  assert.equal(projects.find('shop'), undefined);
  harness.serve('till', 'shop');
  assert.equal(projects.get('shop').origin, 'servers', 'its owner has removed it');
});

test('one that went from the file and is named by nobody is not there, and closed once somebody names it', async () => {
  const harness = new Harness();
  harness.write('shop', { servers: ['till'], permissions: { '*': 'ask' } });
  const projects = await harness.open();
  harness.file = new Map();
  assert.deepEqual([projects.find('shop'), projects.list()], [undefined, []]);
  harness.serve('till', 'shop');
  assert.equal(projects.get('shop').origin, 'gone');
});

test('a project of the file counts while that cannot be stored, and is stored later', async () => {
  const harness = new Harness();
  harness.serve('till', 'shop');
  harness.write('shop', { permissions: { '*': 'ask' } });
  harness.fails = true;
  const projects = await harness.open();
  assert.match(harness.warnings[0] ?? '', /Can't save that the config file has this project/);
  harness.file = new Map();
  assert.equal(projects.get('shop').origin, 'gone');
  await assert.rejects(projects.create('shop', {}), /disk is full/);
  assert.equal(projects.get('shop').origin, 'gone');
  harness.fails = false;
  projects.configChanged();
  await projects.reload();
  assert.deepEqual([...harness.remembered], ['shop']);
});

test('a project that servers name is not removed: it would stay without its permissions', async () => {
  const harness = new Harness();
  harness.serve('till', 'shop');
  const [till] = harness.specs;
  assert.ok(till);
  const projects = await harness.open();
  await projects.create('shop', { permissions: { 'till:wipe': 'deny' } });
  const may = () => authorize({ ...everybody, project: projects.find('shop') ?? projectOf('shop') }, till, 'wipe');
  assert.equal(may(), 'deny');
  await assert.rejects(projects.remove('shop'), { code: 'USAGE', hint: 'Take it out of "projects" of: till' });
  assert.equal(may(), 'deny');
  assert.equal(harness.stored.size, 1);
  harness.specs = [{ ...till, projects: [] }];
  await projects.remove('shop');
  assert.equal(projects.find('shop'), undefined);
});

test('a change that cannot be kept changes nothing, and the next one is made', async () => {
  const harness = new Harness();
  const projects = await harness.open();
  const shop = await projects.create('shop', {});
  harness.fails = true;
  const told = harness.changes;
  await assert.rejects(
    projects.set('shop', () => ({ search: null })),
    /disk is full/,
  );
  await assert.rejects(projects.remove('shop'), /disk is full/);
  await assert.rejects(projects.create('yard', {}), /disk is full/);
  assert.equal(projects.find('shop'), shop);
  assert.equal(projects.find('yard'), undefined);
  assert.equal(harness.changes, told);
  harness.fails = false;
  assert.equal((await projects.set('shop', () => ({ search: null }))).search, null);
});

test('a stored project that cannot be read any more has nothing in it', async () => {
  const harness = new Harness();
  harness.stored.set('shop', { name: 'shop', settings: { servers: 'all of them' }, createdAt: 1 });
  harness.serve('till', 'shop');
  const [till] = harness.specs;
  assert.ok(till);
  const projects = await harness.open();
  const shop = projects.get('shop');
  assert.deepEqual([shop.servers, shop.search, [...shop.permissions]], [[], null, [['*', 'deny']]]);
  // Also resources and prompts, for which there are no permissions: the server itself is not there.
  assert.equal(serverRefusalOf({ ...everybody, project: shop }, till), 'project');
  const changed = projects.set('shop', () => ({ search: 'bm25' }));
  await assert.rejects(changed, { code: 'USAGE', hint: /create it again: toolcrib project remove shop/ });
  assert.equal(projects.get('shop'), shop);
});

test('changes by another gateway in the store are picked up, and announced if they are news', async () => {
  const harness = new Harness();
  const projects = await harness.open();
  const shop = await projects.create('shop', {});
  await projects.reload();
  assert.equal(harness.changes, 1, 'what was made here is no news');
  assert.equal(projects.find('shop'), shop);
  harness.stored.set('shop', { name: 'shop', settings: { search: null }, createdAt: 1 });
  await projects.reload();
  assert.equal(projects.find('shop')?.search, null);
  assert.equal(harness.changes, 2);
});
