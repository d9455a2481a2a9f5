/** Nothing is lost or changed on the way through: what servers and agents say arrives as they said it, known or not. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { approveWaiting } from '../kit/approve-waiting.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { askModern, RawSession } from '../kit/hand-made.ts';
import { openServer } from '../servers/hosted.ts';
import { type OpenServer, serverCommand } from '../servers/launch.ts';
import type { Dict, Message } from '../servers/rpc.ts';
import type { ServerSpec, ToolSpec } from '../servers/spec.ts';

/** Written as text, because only parsing makes an own member called `__proto__`. */
const STRANGE = `{
  "__proto__": { "polluted": true }, "constructor": "own", "toString": null, "hasOwnProperty": [], "": "empty name",
  "largest": 9007199254740991, "smallest": -9007199254740991, "fraction": 0.1, "huge": 1.5e300, "tiny": 5e-324,
  "text": "naïve 日本語 🙂 \\u0000\\u001f\\u2028 e\\u0301 \\ud83d\\ude42 \\"quoted\\" \\\\",
  "half": "\\ud800", "nested": [[], {}, [{ "__proto__": [1, null, false] }]], "ключ": { "键": "値" }
}`;
const strange = JSON.parse(STRANGE) as Dict;

const SCHEMA = JSON.parse(`{
  "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "x-vendor": { "kept": [1] },
  "$defs": { "name": { "type": "string", "minLength": 1, "x-order": 3 } },
  "properties": { "__proto__": { "$ref": "#/$defs/name" }, "constructor": { "type": "string", "title": "Größe" } },
  "required": ["__proto__", "constructor"], "additionalProperties": false, "examples": [{ "constructor": "a" }]
}`) as Dict;

const TOOLS: readonly ToolSpec[] = [
  {
    name: 'vendor',
    title: 'Größe',
    description: 'Line one.\n\tLine “two” 🙂',
    inputSchema: SCHEMA,
    outputSchema: { type: 'array', items: true },
    annotations: { readOnlyHint: true, 'x-hint': 'kept' },
    icons: [{ src: 'data:image/png;base64,AAAA', sizes: ['48x48'], 'x-icon': 1 }],
    execution: { taskSupport: 'optional' },
    'x-vendor': strange,
    _meta: { 'example.com/tool': strange },
    runAs: 'arguments',
  },
  {
    name: 'odd',
    respond: {
      content: [
        {
          type: 'text',
          text: 'plain',
          'x-block': strange,
          _meta: { 'example.com/block': 1 },
          annotations: { priority: 1 },
        },
        { type: 'hologram', data: 'AAAA', depth: 3 },
        { type: 'resource', resource: { uri: 'x:y', 'x-more': [1], blob: 'AA==' } },
        { noTypeAtAll: true },
      ],
      structuredContent: [strange, null, 1],
      'x-result': ['kept', null, 1.5],
      isError: false,
      _meta: { 'example.com/trace': strange },
    },
  },
  { name: 'arguments', runAs: 'arguments' },
  { name: 'progress', runAs: 'progress' },
  ...['__proto__', 'constructor', 'toString', 'naïve/名前'].map((name) => ({ name, runAs: 'arguments' })),
];

let gateway: TestGateway;
const servers: Record<string, OpenServer> = {};
before(async () => {
  const spec = (era: 'legacy' | 'modern'): ServerSpec => ({ era, transport: 'http', name: 'same', tools: TOOLS });
  servers.legacy = await openServer(spec('legacy'));
  servers.modern = await openServer(spec('modern'));
  servers.noisy = await openServer({ transport: 'http', modes: { oddMessages: true } });
  gateway = await openTestGateway({
    servers: {
      legacy: { url: servers.legacy.url },
      modern: { url: servers.modern.url },
      noisy: { url: servers.noisy.url },
      pipe: serverCommand({ ...spec('legacy'), transport: 'stdio' }),
    },
  });
  for (const server of ['legacy', 'modern', 'pipe']) {
    await gateway.gateway.admin.run('servers.refresh', { name: server });
    // It holds control characters, for which its owner is asked; names that are only unusual are nothing to ask for.
    assert.deepEqual(await approveWaiting(gateway, server), [`${server}:vendor`]);
  }
});
after(async () => {
  await gateway.close();
  await Promise.all(Object.values(servers).map((server) => server.stop()));
});

const plain = (server: string) => `${gateway.url}/servers/${server}/mcp?names=plain`;

/** A request in the one or the other era, by hand. */
async function ask(
  era: 'legacy' | 'modern',
  url: string,
  method: string,
  params: Dict = {},
): Promise<readonly Message[]> {
  const headers = url.startsWith(gateway.url) ? gateway.agentHeaders : {};
  if (era === 'modern') {
    const { _meta: meta = {}, ...rest } = params;
    return (await askModern(url, headers, method, rest, { meta: meta as Dict })).messages;
  }
  const session = await RawSession.open(url, headers);
  return (await session.request(method, params)).messages;
}

async function resultOf(...args: Parameters<typeof ask>): Promise<Dict> {
  const message = (await ask(...args)).at(-1);
  assert.ok(message?.result, JSON.stringify(message));
  return message.result as Dict;
}

/** A result without the marks of the modern era. */
function bare({ resultType, ttlMs, cacheScope, _meta, ...rest }: Dict): Dict {
  const { 'io.modelcontextprotocol/serverInfo': _info, ...meta } = (_meta ?? {}) as Dict;
  return Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest;
}

const byName = (result: Dict) => (result.tools as { name: string }[]).toSorted((a, b) => (a.name < b.name ? -1 : 1));

for (const era of ['legacy', 'modern'] as const) {
  test(`[FID-01] tools of a ${era} server are listed to the letter`, async () => {
    const direct = byName(await resultOf(era, servers[era]?.url ?? '', 'tools/list'));
    assert.equal(direct.length, TOOLS.length);
    for (const agent of ['legacy', 'modern'] as const) {
      const through = byName(await resultOf(agent, plain(era), 'tools/list'));
      assert.equal(JSON.stringify(through), JSON.stringify(direct), `${agent} agent`);
    }
  });

  test(`[FID-02] results of a ${era} server arrive with every member, known or not`, async () => {
    const call = { name: 'odd', arguments: {} };
    const direct = await resultOf(era, servers[era]?.url ?? '', 'tools/call', call);
    assert.equal(JSON.stringify(await resultOf(era, plain(era), 'tools/call', call)), JSON.stringify(direct));
    const { respond } = TOOLS.find(({ name }) => name === 'odd') ?? {};
    for (const agent of ['legacy', 'modern'] as const) {
      const through = await resultOf(agent, plain(era), 'tools/call', call);
      assert.deepEqual(bare(through), respond, `${agent} agent`);
      const { url } = gateway;
      const viaName = { ...call, name: `${era}.odd` };
      assert.deepEqual(bare(await resultOf(agent, `${url}/mcp`, 'tools/call', viaName)), respond);
      const viaKey = { name: 'tool_execute', arguments: { toolKey: `${era}:odd`, arguments: {} } };
      assert.deepEqual(bare(await resultOf(agent, `${url}/mcp`, 'tools/call', viaKey)), respond);
    }
  });

  for (const server of ['legacy', 'modern', 'pipe']) {
    test(`[FID-03] arguments of a ${era} agent reach server "${server}" as they are, whatever they are called`, async () => {
      const given = { name: 'arguments', arguments: strange };
      const result = await resultOf(era, plain(server), 'tools/call', given);
      assert.equal((result.content as { text: string }[])[0]?.text, JSON.stringify(strange));
      assert.deepEqual((result.structuredContent as Dict).arguments, strange);
      const viaKey = { name: 'tool_execute', arguments: { toolKey: `${server}:arguments`, arguments: strange } };
      const found = await resultOf(era, `${gateway.url}/mcp`, 'tools/call', viaKey);
      assert.equal((found.content as { text: string }[])[0]?.text, JSON.stringify(strange));
      assert.equal(({} as Dict).polluted, undefined);
    });

    test(`[FID-04] _meta of a ${era} agent reaches server "${server}", less what belongs to one hop`, async () => {
      const _meta = {
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
        'example.com/x': strange,
      };
      const result = await resultOf(era, plain(server), 'tools/call', { name: 'arguments', arguments: {}, _meta });
      const { meta } = result.structuredContent as { meta: Dict };
      const own = Object.fromEntries(
        Object.entries(meta).filter(([key]) => !key.startsWith('io.modelcontextprotocol/')),
      );
      assert.deepEqual(own, _meta);
      const isModern = server === 'modern';
      assert.equal('io.modelcontextprotocol/protocolVersion' in meta, isModern);
      const info = meta['io.modelcontextprotocol/clientInfo'] as Dict | undefined;
      assert.equal(info?.name, isModern ? 'toolcrib' : undefined);
    });
  }

  test(`[FID-05] tools with awkward names are called by a ${era} agent under every name they have`, async () => {
    const { tools } = await resultOf(era, `${gateway.url}/servers/legacy/mcp`, 'tools/list');
    const names = (tools as { name: string }[]).map(({ name }) => name);
    assert.equal(new Set(names).size, TOOLS.length);
    for (const name of names) assert.match(name, /^[A-Za-z0-9_.-]{1,64}$/);
    const tooled = JSON.parse('{ "__proto__": "a", "constructor": "b" }') as Dict;
    for (const own of ['__proto__', 'constructor', 'toString', 'naïve/名前', 'vendor']) {
      const listed =
        names.find((name) => name === `legacy.${own}`) ?? names.find((name) => name.startsWith('legacy.na_ve_'));
      const ways: [string, Dict][] = [
        [plain('legacy'), { name: own, arguments: tooled }],
        [`${gateway.url}/servers/legacy/mcp`, { name: listed, arguments: tooled }],
        [`${gateway.url}/mcp`, { name: listed, arguments: tooled }],
        [`${gateway.url}/mcp`, { name: 'tool_execute', arguments: { toolKey: `legacy:${own}`, arguments: tooled } }],
      ];
      for (const [url, params] of ways) {
        const result = await resultOf(era, url, 'tools/call', params);
        assert.deepEqual((result.structuredContent as Dict).arguments, tooled, `${own} at ${url}`);
      }
    }
  });

  test(`[FID-06] progress comes under the very token that a ${era} agent gave`, async () => {
    for (const [server, progressToken] of [
      ['legacy', 'tök-🙂'],
      ['modern', 'a b'],
      ['pipe', 0],
      ['pipe', 9007199254740991],
    ] as const) {
      const params = { name: 'progress', arguments: { steps: 3 }, _meta: { progressToken } };
      const messages = await ask(era, plain(server), 'tools/call', params);
      const reports = messages
        .filter(({ method }) => method === 'notifications/progress')
        .map((message) => message.params);
      assert.deepEqual(
        reports,
        [1, 2, 3].map((progress) => ({ progressToken, progress, total: 3, message: `step ${progress} of 3` })),
      );
    }
  });

  test(`[FID-07] notifications that nobody knows pass to a ${era} agent, and answers to nothing do no harm`, async () => {
    const messages = await ask(era, plain('noisy'), 'tools/call', { name: 'echo', arguments: { text: 'hi' } });
    const result = messages.at(-1)?.result as Dict;
    assert.deepEqual([result.content, result['x-vendor']], [[{ type: 'text', text: 'hi' }], { unknown: true }]);
    const strangers = messages.filter(({ method }) => method?.startsWith('notifications/x-test/'));
    assert.deepEqual(strangers, [
      { jsonrpc: '2.0', method: 'notifications/x-test/unheard-of', params: { why: 'not', _meta: {} }, 'x-field': 1 },
      { jsonrpc: '2.0', method: 'notifications/x-test/null', params: null },
    ]);
  });

  test(`[FID-08] a server's own error reaches a ${era} agent with its message and data, in its era's code`, async () => {
    const uri = 'test://same/nowhere';
    for (const server of ['legacy', 'modern', 'pipe']) {
      const { error } = (await ask(era, plain(server), 'resources/read', { uri })).at(-1) ?? {};
      const code = era === 'legacy' && server !== 'modern' ? -32002 : -32602;
      assert.deepEqual(error, { code, message: `Resource not found: ${uri}`, data: { uri } });
    }
  });
}
