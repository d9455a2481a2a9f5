/** Results of programs: small answers, kept values, large results in pieces, reused results. */

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { resultOf, runChain } from '../kit/chains.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';

type Dict = Record<string, unknown>;

const counted = { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] };
const texted = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const reads = { annotations: { readOnlyHint: true } };

const plan = hostServers({
  data: {
    tools: [
      { name: 'rows', description: 'Rows.', inputSchema: counted },
      { name: 'table', description: 'A table.', inputSchema: counted },
      { name: 'lines', description: 'A log.', inputSchema: counted },
      { name: 'picture', description: 'An image.', inputSchema: counted },
      { name: 'echo', description: 'Says it back.', inputSchema: texted },
      { name: 'count', description: 'Counts.' },
    ],
  },
  calm: {
    tools: [
      { name: 'read', description: 'Reads.', inputSchema: texted, runAs: 'echo', ...reads },
      { name: 'write', description: 'Writes.', inputSchema: texted, runAs: 'echo' },
    ],
    entry: { cacheTtlMs: 60_000 },
  },
});
let gateway: TestGateway;
let agent: ModernAgent;

before(async () => {
  gateway = await openTestGateway({ servers: plan.servers });
  agent = new ModernAgent(gateway, '/mcp?surface=search');
  await new ModernAgent(gateway).tools();
});
after(() => gateway.close());

test('[CHAIN-09] an answer stays within its limit, and what does not fit can be read on', async () => {
  const { result, truncated, text, data } = await runChain(
    agent,
    `for (let at = 0; at < 480; at += 1) console.log('line', at, 'of the log of this program');
     return (await servers.data.rows({ count: 5000 })).rows;`,
  );
  assert.ok(Buffer.byteLength(text) <= 20_000, String(Buffer.byteLength(text)));
  assert.equal(JSON.stringify(data), text);
  assert.equal(truncated, true);
  const { kept, bytes, outline, preview } = result as { kept: string; bytes: number; outline: string; preview: string };
  assert.match(outline, /5000 rows/);
  assert.match(preview, /"item 1"/);
  assert.ok(bytes > 200_000);
  assert.match((data.logs as string[]).join('\n'), /^line 0 of .*… \d+ lines left out ….*line 479 of/s);
  const { read } = result as { read: string };
  assert.match(read, /await load\(.*tool_execute \{"toolKey":"toolcrib:read_result"/);
  const call = JSON.parse(/tool_execute (\{.*\})\.$/.exec(read)?.[1] ?? '') as Dict;
  assert.match(await agent.say('tool_execute', call), /"item 1"/);
  const { contents } = await agent.request('resources/read', { uri: `${kept}?path=$[4999].name` });
  assert.match((contents as { text: string }[])[0]?.text ?? '', /"item 5000"/);
  assert.match(await agent.say('read_result', { uri: `${kept}?path=$[4998].name` }), /"item 4999"/);
  assert.deepEqual(await resultOf(agent, `return (await load('${kept}')).length`), 5_000);
});

test('[CHAIN-09] a smaller limit is kept to, a larger one than the owner allows is not given', async () => {
  const small = await runChain(agent, 'return "word ".repeat(2000)', { maxOutputBytes: 2_500 });
  assert.ok(Buffer.byteLength(small.text) <= 2_500);
  assert.equal(small.truncated, true);
  const large = await runChain(agent, 'return "word ".repeat(2000)', { maxOutputBytes: 1_000_000, timeoutMs: 600_000 });
  assert.equal(large.truncated, false);
  assert.match(JSON.stringify(large.data.notes), /maxOutputBytes is 20000.*|timeoutMs is 30000/);
});

test('[CHAIN-10] a value that a program keeps is there for later programs of the same principal, and for nobody else', async () => {
  const kept = await runChain(
    agent,
    `const rows = (await servers.data.rows({ count: 2000 })).rows;
     return [await keep({ rows }, 'all rows'), await keep('{"a":1}'), await keep([1, 2, 3])];`,
  );
  const [rows, text, list] = kept.result as string[];
  assert.deepEqual(
    (kept.data.kept as Dict[]).map(({ name, uri, bytes }) => [name, uri, typeof bytes]),
    [
      ['all rows', rows, 'number'],
      [undefined, text, 'number'],
      [undefined, list, 'number'],
    ],
  );
  const later = `const { rows } = await load('${rows}');
    return [rows.length, await load('${rows}?path=$.rows[-1].name'), await load('${text}'), await load('${list}')];`;
  assert.deepEqual(await resultOf(agent, later), [2_000, 'item 2000', '{"a":1}', [1, 2, 3]]);
  assert.match(await agent.say('read_result', { uri: `${rows}?path=$.rows[0].name` }), /"item 1"/);

  const owner = new ModernAgent({ url: gateway.url, agentHeaders: gateway.ownerHeaders }, '/mcp?surface=search');
  const tell = (uri: string) =>
    `return await load('${uri}').catch(({ code, message, hint }) => [code, message, hint]);`;
  const others = JSON.stringify(await resultOf(owner, tell(rows ?? '')));
  const never = JSON.stringify(await resultOf(owner, tell('toolcrib://result/AAAAAAAAAAAAAAAAAAAAAA')));
  assert.equal(others.replaceAll(String(rows).slice(-22), 'A'.repeat(22)), never);
  assert.match(never, /There is no result/);
});

test('[CHAIN-10] a program can load a result that tool_execute stored', async () => {
  const result = await agent.request('tools/call', {
    name: 'tool_execute',
    arguments: { toolKey: 'data:table', arguments: { count: 3_000 } },
  });
  const { uri } = (result._meta as Dict)['toolcrib/result'] as { uri: string };
  const program = `const { rows } = await load('${uri}'); return [rows.length, rows.filter(({ price }) => price > 700).length];`;
  assert.deepEqual(await resultOf(agent, program), [3_000, 199]);
});

test('[CHAIN-11] a program gets results whole; one that is too large for it is kept, and read in pieces', async () => {
  await using tight = await openTestGateway({ servers: plan.servers, config: { chains: { memoryMb: 8 } } });
  const caller = new ModernAgent(tight, '/mcp?surface=search');
  await new ModernAgent(tight).tools();
  // About 900 kB and 1.5 MB; an eighth of the memory is 1 MB.
  assert.deepEqual(await resultOf(caller, 'return (await servers.data.lines({ count: 40000 })).length > 800000'), true);
  const chained = await runChain(
    caller,
    `try { await servers.data.rows({ count: 40000 }); } catch (error) {
       const { code, message, hint, data } = error;
       return [code, message, hint, await load(data.uri + '?path=$.rows[39990:39992].name'), await load(data.uri + '?path=$.total')];
     }`,
  );
  assert.ok(!chained.isError, chained.text);
  const [code, message, hint, names, total] = chained.result as [string, string, string, string[], number];
  assert.equal(code, 'TOO_LARGE');
  assert.match(
    `${message} ${hint}`,
    /data:rows.*stored at toolcrib:\/\/result\/.*load\("toolcrib:\/\/result\/.*\?path=/s,
  );
  assert.deepEqual([names, total], [['item 39991', 'item 39992'], 40_000]);
  assert.deepEqual(
    chained.calls.map(({ tool, ok, error }) => [tool, ok, error]),
    [['data:rows', false, 'TOO_LARGE']],
  );
  assert.deepEqual(await readdir(join(tight.dataDir, 'spool')).catch(() => []), [], 'nothing is left in the spool');
});

test('[CHAIN-11] data, text, JSON as text and pictures are what a program expects of them', async () => {
  const given = await resultOf(
    agent,
    `const [table, rows, lines, picture] = await Promise.all(
       ['table', 'rows', 'lines', 'picture'].map((name) => servers.data[name]({ count: 2 })));
     return [table.rows[1].name, rows.rows[1].name, lines, picture.content[0].mimeType];`,
  );
  assert.deepEqual(given, ['item 2', 'item 2', 'line 1 of the log\nline 2 of the log', 'image/png']);
});

test('[CHAIN-11] a picture that a program gives is shown to its agent beside the JSON, and not as text in it', async () => {
  const answered = await agent.request('tools/call', {
    name: 'call_tool_chain',
    arguments: { code: 'return { title: "a", shown: await servers.data.picture({ count: 1 }) }' },
  });
  const [json, picture] = answered.content as [{ text: string }, Dict];
  assert.equal(picture.type, 'image');
  assert.equal(picture.mimeType, 'image/png');
  assert.ok(typeof picture.data === 'string' && !json.text.includes(picture.data));
  assert.match(json.text, /shown beside this JSON, as number 1/);
});

test('[CHAIN-09] an agent that knows links gets one to a result that was kept', async () => {
  const answered = await agent.request('tools/call', {
    name: 'call_tool_chain',
    arguments: { code: 'return "word ".repeat(20000)' },
  });
  const { result } = answered.structuredContent as { result: { kept: string } };
  const [, link] = answered.content as Dict[];
  assert.deepEqual([link?.type, link?.uri], ['resource_link', result.kept]);
});

test('[CHAIN-12] results of tools that read are used again as the owner allows, and marked', async () => {
  const { calls } = await runChain(
    agent,
    `for (const text of ['a', 'a', 'b']) await servers.calm.read({ text });
     await servers.calm.write({ text: 'a' });
     await servers.calm.read({ text: 'a' });
     await servers.data.echo({ text: 'a' });
     await servers.data.echo({ text: 'a' });`,
  );
  assert.deepEqual(
    calls.map(({ tool, cached }) => [tool, cached]),
    [
      ['calm:read', false],
      ['calm:read', true],
      ['calm:read', false],
      ['calm:write', false],
      ['calm:read', false],
      ['data:echo', false],
      ['data:echo', false],
    ],
  );
  assert.equal(plan.noted('calm', 'tool').filter(({ name }) => name === 'read').length, 3);
});
