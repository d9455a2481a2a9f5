/** Tests of what is said where nothing fits: each reader is sent only to what it has. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { everybody, type Project, projectOf } from '../access/access.ts';
import { type Config, type ProjectSearch, parseServer } from '../config/config.ts';
import { searchCatalog } from '../endpoint/endpoint.ts';
import { type SearchMode, searchModes } from '../search/search.ts';
import { type Findings, findTools, isDiscoveryOff, remarksOn, type SearchReader, searchModeFor } from './find-tools.ts';
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
