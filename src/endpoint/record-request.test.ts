/** Tests of records: each request once in the audit, however it ends, and how each thing that agents are shown counts. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeAgent } from '../../test/kit/made-call.ts';
import { everybody, type Principal, projectOf } from '../access/access.ts';
import type { AuditEvent } from '../audit/audit.ts';
import { GatewayError } from '../base/errors.ts';
import type { Entry, ServerEntry, Snapshot } from '../catalog/catalog.ts';
import { parseServer } from '../config/config.ts';
import { type MetaTool, metaToolsByName } from '../meta-tools/meta-tools.ts';
import type { DisclosureNote } from '../metrics/metrics.ts';
import type { Params, Result } from '../protocol/messages.ts';
import type { LayerName, Uses } from '../tools/tools.ts';
import { auditRequest, noteDirectCall, noteList, noteMetaTool, shownTokens, type Viewer } from './record-request.ts';

const trouble = {
  isError: true,
  content: [{ type: 'text', text: 'No.' }],
  structuredContent: { errorType: 'TOOL_NOT_FOUND' },
};

async function tellOf(
  method: string,
  params: Params,
  answer: Result | Error = {},
  trace: { isRecorded: boolean; server: string | null } = { isRecorded: false, server: null },
): Promise<AuditEvent[]> {
  const told: AuditEvent[] = [];
  let now = 0;
  const layers = {
    audit: { record: async (event: AuditEvent) => void told.push(event) },
    clock: {
      elapsed: () => {
        now += 5;
        return now;
      },
    },
  } as unknown as Uses<LayerName>;
  const agent = madeAgent({ client: 'agent/1', requestId: '9' });
  Object.assign(agent.trace, trace);
  const run = async () => {
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const request = { method, params, principal: everybody, agent };
  await auditRequest(layers, request, metaToolsByName, run).catch((error) => assert.equal(error, answer));
  return told;
}

const brief = ({ kind, action, tool, outcome, errorType }: AuditEvent) => [kind, action, tool, outcome, errorType];

test('lists and searches are discovery, with who asked, by what, and how much was shown', async () => {
  const [list] = await tellOf('tools/list', { _meta: {}, cursor: 'x' }, { tools: [1, 2, 3] });
  assert.ok(list);
  assert.deepEqual(brief(list), ['discovery', 'tools.list', undefined, 'ok', null]);
  assert.deepEqual(
    [list.client, list.rpcId, list.ms, list.detail, list.arguments],
    ['agent/1', '9', 5, { count: 3 }, undefined],
  );
  const found = { content: [], structuredContent: { tools: [1] } };
  const [search] = await tellOf('tools/call', { name: 'tool_discovery', arguments: { query: 'x' } }, found);
  assert.deepEqual(search && brief(search), ['discovery', 'tool_discovery', undefined, 'ok', null]);
  assert.deepEqual([search?.arguments, search?.detail], [{ query: 'x' }, { count: 1 }]);
});

test('a call that was executed is not written down a second time', async () => {
  for (const params of [{ name: 'files__read' }, { name: 'tool_execute', arguments: { toolKey: 'files:read' } }])
    assert.deepEqual(await tellOf('tools/call', params, {}, { isRecorded: true, server: 'files' }), []);
});

test('a call of what is not there is a refused execution, with what was asked for as it was written', async () => {
  const cases: readonly (readonly [Params, string])[] = [
    [{ name: 'no_such' }, 'no_such'],
    [{ name: 'tool_execute', arguments: { toolKey: 'a:b' } }, 'a:b'],
    [{ name: 'call_tool', arguments: { server: 'a', tool: 'b' } }, 'a:b'],
  ];
  for (const [params, tool] of cases) {
    const told = await tellOf('tools/call', params, trouble);
    assert.deepEqual(told.map(brief), [['execution', 'tools.call', tool, 'refused', 'TOOL_NOT_FOUND']]);
  }
});

test('a request that fails is written down as what it failed with', async () => {
  const told = await tellOf('resources/read', { uri: 'x://y' }, new GatewayError('TIMEOUT', 'Late.'), {
    isRecorded: false,
    server: 'files',
  });
  assert.deepEqual(told.map(brief), [['execution', 'resources.read', 'x://y', 'timeout', 'TIMEOUT']]);
  assert.equal(told[0]?.server, 'files');
});

test('an agent that is asked something has not ended its request', async () => {
  assert.deepEqual(await tellOf('tools/call', { name: 'x' }, { resultType: 'input_required' }), []);
});

test('requests that delete or change something are administration, programs are executions', async () => {
  const kinds = await Promise.all(
    ['reset_tool_metrics', 'call_tool_chain', 'read_result', 'tool_info'].map(async (name) => {
      const [event] = await tellOf('tools/call', { name, arguments: {} });
      return event?.kind;
    }),
  );
  assert.deepEqual(kinds, ['administration', 'execution', 'execution', 'discovery']);
});

test('odd parameters are written down like others', async () => {
  for (const params of [
    {},
    { name: 7 },
    { name: 'tool_execute', arguments: 'x' },
    { name: 'tool_execute', arguments: null },
  ])
    assert.equal((await tellOf('tools/call', params as Params, trouble)).length, 1);
});

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

test('the answer of a called tool is not counted, because it is the same on every surface', () => {
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
