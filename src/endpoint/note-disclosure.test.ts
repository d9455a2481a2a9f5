/** Notes of what agents see: how each thing counts, and its estimated tokens. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Principal, projectOf } from '../access/access.ts';
import type { Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { parseServer } from '../config/config.ts';
import { type MetaTool, metaToolsByName } from '../meta-tools/meta-tools.ts';
import type { DisclosureNote } from '../metrics/metrics.ts';
import type { LayerName, Uses } from '../tools/tools.ts';
import { noteDirectCall, noteList, noteMetaTool, shownTokens, type Viewer } from './note-disclosure.ts';

const agent: Principal = { id: 'agent', name: 'agent', scopes: new Set(['use']), mark: '' };
const onSearch: Viewer = { principal: agent, surface: 'search' };
const schema = { type: 'object', properties: { path: { type: 'string' } } };

/** One server of a project and one of none, each with a tool. */
function snapshotOf(): Snapshot {
  const servers = new Map<string, ServerEntry>();
  const tools = new Map<string, Entry>();
  for (const [server, projects] of Object.entries({ files: ['shop'], mail: [] })) {
    const spec = parseServer(server, { command: 'serve', projects }, {}, 'file');
    // Only this member is used.
    servers.set(server, { spec } as unknown as ServerEntry);
    const definition = {
      name: 'look',
      description: 'Looks.',
      inputSchema: schema,
      outputSchema: schema,
      title: 'Look',
    };
    const key = `${server}:look`;
    tools.set(key, { key, server, name: 'look', serverName: 'look', definition, fingerprint: key });
  }
  return { servers, tools };
}

function setUp() {
  const noted: DisclosureNote[] = [];
  const snapshot = snapshotOf();
  // Only these members are used.
  const layers = {
    catalog: { snapshot },
    disclosure: { note: (note: DisclosureNote) => noted.push(note) },
  } as unknown as Uses<LayerName>;
  return { layers, noted };
}

/** The bytes of the tool under its public name, as a model gets it. */
function bytesAt(server: string): number {
  return JSON.stringify({ name: `${server}.look`, description: 'Looks.', input_schema: schema }).length;
}

function toolNamed(name: string): MetaTool {
  const tool = metaToolsByName.get(name);
  assert.ok(tool);
  return tool;
}

const said = (text: string) => ({ content: [{ type: 'text', text }], structuredContent: { text } });

test('every tool of ours is either counted as something or has nothing to do with finding and calling', () => {
  const others = ['get_tool_metrics', 'reset_tool_metrics', 'read_result'];
  const uncounted = [...metaToolsByName.values()].filter(({ kind }) => kind === 'other');
  assert.deepEqual(uncounted.map(({ name }) => name).sort(), others.sort());
});

test('a list counts what agents pass on to models, and what would have been listed on direct to the same principal', () => {
  const { layers, noted } = setUp();
  const listed = [{ name: 'find', description: 'Finds.', inputSchema: {}, _meta: { long: 'x'.repeat(500) } }];
  noteList(layers, onSearch, listed);
  const tokens = Math.round(JSON.stringify({ name: 'find', description: 'Finds.', input_schema: {} }).length / 4);
  const all = Math.round((bytesAt('files') + bytesAt('mail')) / 4);
  assert.deepEqual(noted, [{ surface: 'search', project: undefined, kind: 'list', tokens, directTokens: all }]);
  assert.equal(shownTokens(listed), tokens);
});

test('on direct a list counts the same for both, and in a project only what is of it', () => {
  const { layers, noted } = setUp();
  const shop = { principal: { ...agent, project: projectOf('shop') }, surface: 'direct' } as const;
  noteList(layers, shop, [{ name: 'files.look' }]);
  noteList(layers, { principal: agent, surface: 'direct' }, []);
  const own = Math.round(bytesAt('files') / 4);
  assert.deepEqual(noted[0], { surface: 'direct', project: 'shop', kind: 'list', tokens: own, directTokens: own });
  assert.ok(Number(noted[1]?.tokens) > own);
});

test('a search counts what is asked and what is answered, the text once', () => {
  const { layers, noted } = setUp();
  const params = { name: 'tool_discovery', arguments: { query: 'read a file' } };
  noteMetaTool(layers, onSearch, { tool: toolNamed('tool_discovery'), params, result: said('x'.repeat(400)) });
  assert.deepEqual(noted, [
    {
      surface: 'search',
      project: undefined,
      kind: 'find',
      tokens: 100 + Math.round('{"query":"read a file"}'.length / 4),
    },
  ]);
});

test('what a called tool answers is not counted, because it is the same on every surface', () => {
  const { layers, noted } = setUp();
  const result = said('x'.repeat(4_000));
  noteMetaTool(layers, onSearch, { tool: toolNamed('tool_execute'), params: {}, result });
  noteMetaTool(layers, onSearch, { tool: toolNamed('call_tool'), params: {}, result });
  noteDirectCall(layers, onSearch, {});
  assert.deepEqual(
    noted.map(({ kind, tokens }) => [kind, tokens]),
    [
      ['execute', 0],
      ['execute', 0],
      ['direct', 0],
    ],
  );
});

test('a chain counts with its program and its answer, and with the calls that the answer tells of', () => {
  const { layers, noted } = setUp();
  const params = { arguments: { code: 'x'.repeat(389) } };
  const calls = [
    { tool: 'a:b', ok: true },
    { tool: 'a:c', ok: true, count: 49 },
  ];
  const result = { ...said('y'.repeat(200)), structuredContent: { calls } };
  noteMetaTool(layers, onSearch, { tool: toolNamed('call_tool_chain'), params, result });
  noteMetaTool(layers, onSearch, { tool: toolNamed('call_tool_chain'), params: {}, result: { content: [] } });
  assert.deepEqual([noted[0]?.tokens, noted[0]?.calls, noted[1]?.calls], [150, 50, 0]);
});

test('an agent that goes on with a call has made it before, and other tools of ours are not counted', () => {
  const { layers, noted } = setUp();
  const params = { requestState: 'handle' };
  noteDirectCall(layers, onSearch, params);
  noteMetaTool(layers, onSearch, { tool: toolNamed('tool_execute'), params, result: said('') });
  noteMetaTool(layers, onSearch, { tool: toolNamed('read_result'), params: {}, result: said('page') });
  assert.deepEqual(noted, []);
});
