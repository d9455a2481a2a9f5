/** Tests of searches: how needs are read, what is said where nothing fits, and how often disabled servers are looked at. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { everybody, type Project, projectOf } from '../access/access.ts';
import type { ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { type Config, type ProjectSearch, parseServer } from '../config/config.ts';
import { searchCatalog } from '../endpoint/endpoint.ts';
import { mostNeeds, type SearchMode, searchModes } from '../search/search.ts';
import {
  type Findings,
  findTools,
  isDiscoveryOff,
  readNeeds,
  remarksOn,
  type SearchReader,
  sayDisabled,
  searchModeFor,
} from './find-tools.ts';
import type { LayerName, Uses } from './layers.ts';

const nothing: Findings = {
  queries: ['tea'],
  all: [],
  fitting: [],
  leftOut: 0,
  unmet: ['tea'],
  isSure: false,
  hasServers: true,
  mode: 'hybrid',
  notice: null,
};

test('where nothing fits, each reader is sent to an overview that it has', () => {
  const sent: Readonly<Record<SearchReader, RegExp>> = {
    search: /^tool_capabilities /,
    full: /^tool_capabilities /,
    code: /^In call_tool_chain, /,
    direct: /^Your list of tools /,
    program: /^Object\.keys\(servers\) .* types\("SERVER"\)/,
    hand: /toolcrib tools$/,
    owner: /^list_tools_meta /,
  };
  for (const [reader, hint] of Object.entries(sent)) {
    const remarks = remarksOn(nothing, reader as SearchReader);
    assert.equal(remarks.code, 'NOTHING_FITS');
    assert.match(String(remarks.hint), hint, reader);
    const others = /tool_|list_tools/.test(String(remarks.hint));
    assert.equal(others, !['direct', 'program', 'hand'].includes(reader), reader);
  }
});

test('where there is no server, that is said instead, with who can add one', () => {
  const none = { ...nothing, hasServers: false };
  assert.match(String(remarksOn(none, 'hand').notice), /^There is no server here yet/);
  assert.match(String(remarksOn(none, 'hand').hint), /toolcrib add NAME .* toolcrib start --demo$/);
  assert.match(String(remarksOn(none, 'search').hint), /^The owner of this gateway adds one/);
});

function layers(mode: SearchMode, asked: SearchMode[] = []): Uses<LayerName> {
  const spec = parseServer('s', { command: 'serve' }, {}, 'file');
  // Only these members are used.
  return {
    ...{ clock: new ManualClock(), audit: { record: async () => {} } },
    config: () => ({ search: { mode, maxResults: 10, synonyms: new Map() } }) as unknown as Config,
    catalog: {
      snapshot: { servers: new Map([['s', { spec }]]), tools: new Map() },
      failing: { names: () => new Set() },
      settle: async () => {},
    },
    search: {
      search: async (request: { mode: SearchMode }) => {
        asked.push(request.mode);
        return { hits: [], bests: [0], mode: request.mode, notice: null };
      },
    },
  } as unknown as Uses<LayerName>;
}

function inProject(search: ProjectSearch | null, origin: Project['origin'] = 'store') {
  return { ...everybody, project: { ...projectOf('shop'), origin, search } };
}

test('the project goes before the config, and what only servers name says nothing', () => {
  const modeOf = (principal: typeof everybody, asked?: SearchMode) =>
    searchModeFor(layers('semantic'), principal, asked);
  assert.equal(modeOf(everybody), 'semantic');
  assert.equal(modeOf(inProject('hybrid', 'servers')), 'semantic');
  assert.equal(modeOf(inProject('bm25')), 'bm25');
  assert.equal(modeOf(inProject('cloud', 'file')), 'cloud');
  assert.equal(modeOf(inProject(null)), null);
});

test('a mode that is asked for is taken where it stays here, and never brings discovery back', () => {
  for (const asked of searchModes) {
    const isHere = asked !== 'llm' && asked !== 'cloud';
    assert.equal(searchModeFor(layers('hybrid'), everybody, asked), asked);
    assert.equal(searchModeFor(layers('hybrid'), inProject('bm25'), asked), isHere ? asked : 'bm25');
    assert.equal(searchModeFor(layers('hybrid'), inProject('cloud'), asked), isHere ? asked : 'cloud');
    assert.equal(searchModeFor(layers('hybrid'), inProject(null), asked), null);
  }
});

test('where discovery is off nothing is looked for, and that is said and is no error', async () => {
  const asked: SearchMode[] = [];
  const principal = inProject(null);
  const { signal } = new AbortController();
  const need = { query: ['read a file'], maxResults: 3, server: 'no-such-server' };
  const findings = await findTools(layers('hybrid', asked), principal, need, signal);
  assert.deepEqual(findings.fitting, []);
  const off = { code: 'DISCOVERY_DISABLED', notice: 'Discovery is switched off in this project.' };
  assert.deepEqual(remarksOn(findings), off);
  const tools = [{ toolKey: 'a:b', name: 'b', server: 'a', description: 'read a file' }];
  for (const body of [{ query: 'read a file' }, { query: 'read a file', tools, mode: 'bm25' }])
    assert.deepEqual(await searchCatalog(layers('hybrid', asked), principal, body, { signal }), {
      results: [],
      ...off,
    });
  assert.deepEqual(asked, []);
  assert.deepEqual(
    [isDiscoveryOff(principal), isDiscoveryOff(inProject('bm25')), isDiscoveryOff(everybody)],
    [true, false, false],
  );
});

test("a project's strategy is what is searched by", async () => {
  const asked: SearchMode[] = [];
  const { signal } = new AbortController();
  for (const search of ['bm25', 'hybrid', 'cloud'] as const)
    await findTools(layers('semantic', asked), inProject(search), { query: ['x'], maxResults: 3 }, signal);
  await searchCatalog(layers('semantic', asked), inProject('bm25'), { query: 'x' }, { signal });
  assert.deepEqual(asked, ['bm25', 'hybrid', 'cloud', 'bm25']);
});

const read: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['single words are one need', ['github', 'pull', 'request'], ['github pull request']],
  ['phrases are one need each', ['create an issue', 'send mail'], ['create an issue', 'send mail']],
  ['words in a row are one need beside phrases', ['send mail', 'GitHub', ' issue '], ['send mail', 'GitHub issue']],
  ['a word between phrases is a need', ['read file', 'weather', 'send mail'], ['read file', 'weather', 'send mail']],
  ['names are one need each', ['git_commit', 'createIssue', 'git:log'], ['git_commit', 'createIssue', 'git:log']],
  ['a hyphen makes a phrase of a word', ['send-mail', 'list-calendars'], ['send-mail', 'list-calendars']],
  ['a letter before a hyphen makes none', ['send', 'e-mail'], ['send e-mail']],
  ['Chinese words are one need', ['邮件', '发送'], ['邮件 发送']],
  ['Chinese phrases are one need each', ['发送电子邮件', '创建日历事件'], ['发送电子邮件', '创建日历事件']],
  ['one text stays as it is', ['  two  words '], ['  two  words ']],
];

for (const [what, given, needs] of read) {
  test(what, () => {
    const { queries, notice } = readNeeds(given);
    assert.deepEqual([queries, notice], [needs, null]);
  });
}

test('needs beyond the limit are named, the first of them in full', () => {
  const needs = Array.from({ length: mostNeeds + 7 }, (_, at) => `need number ${at}`);
  const { queries, notice } = readNeeds(needs);
  assert.deepEqual(queries, needs.slice(0, mostNeeds));
  assert.match(notice ?? '', /Search again for: "need number 20", .*"need number 24" and 2 more\.$/);
});

test('sentences beyond the eighth are named once each', () => {
  const sentences = Array.from({ length: 10 }, (_, at) => `Do the thing ${at}.`);
  const { queries, notice } = readNeeds([sentences.join(' '), sentences.join(' ')]);
  assert.equal(queries.length, 2);
  assert.match(notice ?? '', /Search again for: "Do the thing 8\.", "Do the thing 9\."\.$/);
});

test('only the beginning of an endless list is read, and the notice says so', () => {
  const { queries, notice } = readNeeds(Array.from({ length: 10_000 }, (_, at) => `word${at}`));
  assert.deepEqual([queries.length, queries[0]?.split(' ').length], [1, 200]);
  assert.match(notice ?? '', /Search again for: "word200", .* and 9795 more\.$/);
});

test('the tools of disabled servers are read once for each catalog, not with every search', async () => {
  let reads = 0;
  const definition = {
    name: 'find_slot',
    get description() {
      reads += 1;
      return 'Finds a free slot in the calendar.';
    },
  };
  const spec = parseServer('calendar', { command: 'x', enabled: false }, {}, 'store');
  const tool = {
    key: 'calendar:find_slot',
    server: 'calendar',
    name: 'find_slot',
    serverName: 'find_slot',
    definition,
  };
  const server = { spec, tools: [tool] } as unknown as ServerEntry;
  const snapshot = (): Snapshot => ({ servers: new Map([['calendar', server]]), tools: new Map() });
  const layersOf = (now: Snapshot) =>
    ({ catalog: { snapshot: now }, config: () => ({ search: { synonyms: new Map() } }) }) as unknown as Uses<LayerName>;
  const say = (layers: Uses<LayerName>) =>
    sayDisabled(layers, everybody, { query: ['free slot'] }, () => true, new AbortController().signal);
  const layers = layersOf(snapshot());
  for (let search = 0; search < 3; search += 1) assert.match((await say(layers)) ?? '', /toolcrib enable calendar$/);
  assert.equal(reads, 1);
  await say(layersOf(snapshot()));
  assert.equal(reads, 2, 'another catalog is read again');
});
