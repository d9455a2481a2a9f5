/** Results of calls: untouched if healthy, reused if allowed, cut and stored if large. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { RawSession } from '../kit/hand-made.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';

type Dict = Record<string, unknown>;

const counted = { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] };
const large = (name: string, more: Dict = {}) => ({ name, description: 'Large.', inputSchema: counted, ...more });

/** As servers of files answer: the text, and the same text as structured content. A line has 57 bytes. */
function fileTool(name: string, lines: number) {
  const line = (at: number) => `${String(at + 1).padStart(5)}  A line of a file, as long as most lines are.\n`;
  const text = Array.from({ length: lines }, (_, at) => line(at)).join('');
  const respond = { content: [{ type: 'text', text }], structuredContent: { content: text } };
  return { name, description: 'Reads a file.', respond };
}

const plan = hostServers({
  calm: {
    tools: [
      { name: 'odd', description: 'Odd.', runAs: 'odd' },
      {
        name: 'arguments',
        description: 'Says what it got.',
        runAs: 'arguments',
        inputSchema: { type: 'object', properties: { limit: { type: 'integer' } } },
      },
      { name: 'read', description: 'Reads.', annotations: { readOnlyHint: true }, runAs: 'echo' },
      { name: 'write', description: 'Writes.', runAs: 'echo' },
    ],
    entry: { cacheTtlMs: 60_000 },
  },
  large: {
    tools: [
      large('rows'),
      large('lines'),
      large('blocks'),
      large('picture'),
      large('table', { outputSchema: { type: 'object' } }),
    ],
  },
  files: { tools: [fileTool('read_note', 184), fileTool('read_log', 1_050)] },
});
let gateway: TestGateway;
let agent: ModernAgent;

before(async () => {
  gateway = await openTestGateway({ servers: plan.servers });
  agent = new ModernAgent(gateway, '/mcp?surface=search');
  await new ModernAgent(gateway).tools();
});
after(() => gateway.close());

function execute(toolKey: string, args: Dict): Promise<Dict> {
  return agent.request('tools/call', { name: 'tool_execute', arguments: { toolKey, arguments: args } });
}

function textsOf(result: Dict): string {
  return (result.content as { text?: string }[]).map(({ text }) => text ?? '').join('\n');
}

/** Tokens of what comes before the preview. */
function headTokens(text: string): number {
  return countTokens(text.split('\n\n', 1)[0] ?? '');
}

async function read(uri: string): Promise<{ text: string }> {
  const { contents } = await agent.request('resources/read', { uri });
  return (contents as { text: string }[])[0] ?? { text: '' };
}

function keptOf(result: Dict): { id: string; uri: string; bytes: number; expiresAt: string } {
  const kept = (result._meta as Dict | undefined)?.['toolcrib/result'];
  assert.ok(kept, JSON.stringify(result).slice(0, 500));
  return kept as { id: string; uri: string; bytes: number; expiresAt: string };
}

test('[CALL-10] a healthy result is what the server sent, whatever it holds', async () => {
  const plain = await new ModernAgent(gateway, '/servers/calm/mcp?names=plain').request('tools/call', { name: 'odd' });
  for (const door of ['/servers/calm/mcp', '/mcp?surface=direct']) {
    const direct = await new ModernAgent(gateway, door).request('tools/call', { name: 'calm.odd' });
    assert.equal(JSON.stringify(direct), JSON.stringify(plain), door);
  }
  assert.equal(JSON.stringify(await execute('calm:odd', {})), JSON.stringify(plain));
});

test('[CALL-11] harmless coercions are made and noted', async () => {
  const result = await execute('calm:arguments', { limit: '5' });
  assert.deepEqual((result.structuredContent as Dict).arguments, { limit: 5 });
  assert.deepEqual((result._meta as Dict)['toolcrib/coerced'], ['limit: "5" → 5']);
  const plain = await execute('calm:arguments', { limit: 5 });
  assert.equal(plain._meta, undefined);
});

test('[CALL-12] results of reading tools are reused and marked; a tool that may change something ends that', async () => {
  const callsSeen = () => plan.noted('calm', 'tool').length;
  const before = callsSeen();
  const first = await execute('calm:read', { text: 'a' });
  const second = await execute('calm:read', { text: 'a' });
  assert.equal(textsOf(second), textsOf(first));
  assert.equal(first._meta, undefined);
  assert.ok(((second._meta as Dict)['toolcrib/cached'] as { ageMs: number }).ageMs >= 0);
  assert.equal(callsSeen() - before, 1);
  await execute('calm:write', { text: 'b' });
  await execute('calm:write', { text: 'b' });
  const third = await execute('calm:read', { text: 'a' });
  assert.equal(third._meta, undefined);
  assert.equal(callsSeen() - before, 4);
});

for (const [tool, count, opening] of [
  ['rows', 50_000, /50,?000 rows/],
  ['lines', 80_000, /80,?000 lines/],
  ['blocks', 5_000, /5,?000 /],
] as const) {
  test(`[CALL-21] ${count} ${tool} become a header of at most 500 tokens, a preview and a link`, async (t) => {
    const result = await execute(`large:${tool}`, { count });
    const text = textsOf(result);
    const kept = keptOf(result);
    t.diagnostic(`${kept.bytes} bytes became ${countTokens(text)} tokens`);
    assert.ok(headTokens(text) <= 500, text);
    assert.match(text, opening);
    assert.ok(text.includes(kept.uri));
    assert.ok(Date.parse(kept.expiresAt) > Date.now());
    for (const block of result.content as Dict[]) if (block.type === 'text') assert.ok(block.annotations);
    const found = await read(`${kept.uri}?find=${encodeURIComponent(tool === 'rows' ? 'item 49999' : ` ${count}`)}`);
    assert.match(found.text, tool === 'rows' ? /item 49999/ : new RegExp(`${count}`));
    assert.ok(found.text.length <= 20_000);
    const second = await read(`${kept.uri}?page=2`);
    assert.match(second.text, /page 2 of \d+/i);
  });
}

test('[CALL-25] a text that is sent twice counts once; of one that is too large, a quarter of the limit is shown', async () => {
  const legacy = await RawSession.open(`${gateway.url}/mcp?surface=search`, gateway.agentHeaders);
  const call = (toolKey: string) => ({ name: 'tool_execute', arguments: { toolKey } });
  for (const note of [
    await execute('files:read_note', {}),
    (await legacy.request('tools/call', call('files:read_note'))).message.result as Dict,
  ]) {
    assert.equal(textsOf(note).split('\n').length, 185);
    assert.deepEqual(note.structuredContent, { content: textsOf(note) });
  }
  for (const log of [
    await execute('files:read_log', {}),
    (await legacy.request('tools/call', call('files:read_log'))).message.result as Dict,
  ]) {
    const [, ...preview] = textsOf(log).split('\n\n');
    const bytes = Buffer.byteLength(preview.join('\n\n'));
    assert.ok(bytes > 4_500 && bytes <= 5_000, `${bytes} of 20000 bytes`);
    assert.match(textsOf(log), /as long as most lines are\.\n\[Cut here: \d+ of 1050 lines are shown\.\]/);
    keptOf(log);
  }
});

test('[CALL-21] rows are selected by path and lines by number, by resource and by tool', async () => {
  const rows = keptOf(await execute('large:rows', { count: 50_000 }));
  const selected = await read(`${rows.uri}?path=${encodeURIComponent('$.rows[49990:49992].name')}`);
  assert.match(selected.text, /item 49991/);
  assert.doesNotMatch(selected.text, /item 49990"/);
  const lines = keptOf(await execute('large:lines', { count: 80_000 }));
  const asked = await execute('toolcrib:read_result', { id: lines.id, lines: '70000-70002' });
  assert.match(textsOf(asked), /line 70000 of the log\nline 70001 of the log\nline 70002 of the log/);
  assert.doesNotMatch(textsOf(asked), /line 70003/);
});

test('[CALL-22] every page together is the whole', async () => {
  const kept = keptOf(await execute('large:blocks', { count: 5_000 }));
  const seen = new Set<string>();
  for (let page = 1, more = true; more; page += 1) {
    const { text } = await read(`${kept.uri}?page=${page}`);
    for (const match of text.matchAll(/^block \d+$/gm)) seen.add(match[0]);
    more = text.includes(`page=${page + 1}`);
  }
  assert.equal(seen.size, 5_000);
});

test('[CALL-22] a picture stays as it is, as long as an agent can look at it', async () => {
  for (const count of [30_000, 1_500_000]) {
    const [picture] = (await execute('large:picture', { count })).content as Dict[];
    assert.deepEqual(picture, {
      type: 'image',
      mimeType: 'image/png',
      data: Buffer.alloc(count, 7).toString('base64'),
    });
  }
});

test('[CALL-22] binary content beyond that is kept as bytes and comes back as it was', async () => {
  const count = 4_000_000;
  const result = await execute('large:picture', { count });
  assert.ok(headTokens(textsOf(result)) <= 500);
  const kept = keptOf(result);
  const hash = createHash('sha256');
  let read = 0;
  for (let page = 1; read < count; page += 1) {
    const { contents } = await agent.request('resources/read', { uri: `${kept.uri}?part=1&page=${page}` });
    const { blob, mimeType } = (contents as { blob?: string; mimeType: string }[]).find((item) => item.blob) ?? {};
    assert.equal(mimeType, 'image/png');
    const bytes = Buffer.from(blob ?? '', 'base64');
    assert.ok(bytes.length > 0);
    hash.update(bytes);
    read += bytes.length;
  }
  assert.equal(hash.digest('hex'), createHash('sha256').update(Buffer.alloc(count, 7)).digest('hex'));
});

test('[CALL-23] a kept result is there for its principal alone, and mistakes are told', async () => {
  const kept = keptOf(await execute('large:lines', { count: 5_000 }));
  const owner = new ModernAgent({ url: gateway.url, agentHeaders: gateway.ownerHeaders }, '/mcp?surface=search');
  const unknown = await agent.ask('resources/read', { uri: kept.uri.replace(kept.id, 'x'.repeat(kept.id.length)) });
  const foreign = await owner.ask('resources/read', { uri: kept.uri });
  const errorOf = (answer: Dict) => ({ ...(answer.error as Dict), data: undefined });
  assert.equal(
    JSON.stringify(errorOf(foreign)).replaceAll(kept.id, 'ID'),
    JSON.stringify(errorOf(unknown)).replaceAll('x'.repeat(kept.id.length), 'ID'),
  );
  for (const query of ['page=9999', 'page=x', 'lines=9-5', 'path=rows', 'nothing=1']) {
    const { error } = (await agent.ask('resources/read', { uri: `${kept.uri}?${query}` })) as { error?: Dict };
    assert.equal(error?.code, -32602, query);
  }
});

test('[CALL-24] promised structured content stays whole on direct doors, and the plain door shapes nothing', async () => {
  const plain = await new ModernAgent(gateway, '/servers/large/mcp?names=plain').request('tools/call', {
    name: 'table',
    arguments: { count: 2_000 },
  });
  assert.equal(plain._meta, undefined);
  for (const door of ['/servers/large/mcp', '/mcp?surface=direct']) {
    const direct = await new ModernAgent(gateway, door).request('tools/call', {
      name: 'large.table',
      arguments: { count: 2_000 },
    });
    assert.deepEqual(direct.structuredContent, plain.structuredContent);
    assert.ok(headTokens(textsOf(direct)) <= 500);
    keptOf(direct);
  }
  const executed = await execute('large:table', { count: 2_000 });
  assert.ok(JSON.stringify(executed).length < 10_000);
});
