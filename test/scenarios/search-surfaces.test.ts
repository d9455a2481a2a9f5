/** Recommendations, the search operations of the API, and the commands that search. */

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { CliMachine } from '../kit/cli.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { type FoundTool, officeServers } from '../kit/search-requests.ts';
import type { Dict } from '../servers/rpc.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await openTestGateway({ servers: officeServers() });
});
after(() => gateway.close());

interface Recommended {
  readonly recommendations: readonly (FoundTool & { readonly reason: string })[];
  readonly metadata: Dict;
}

async function api(operation: string, input: unknown): Promise<{ status: number; body: Dict }> {
  const response = await fetch(`${gateway.url}/api/${operation.replaceAll('.', '/')}`, {
    method: 'POST',
    headers: { ...gateway.ownerHeaders, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  return { status: response.status, body: (await response.json()) as Dict };
}

test('[FIND-15] recommend_tools is answered on every surface and at the owner door, and listed at the latter alone', async () => {
  const owner = { url: gateway.url, agentHeaders: gateway.ownerHeaders };
  const doors = [
    new ModernAgent(gateway, '/mcp?surface=search'),
    new ModernAgent(gateway, '/mcp?surface=direct'),
    new ModernAgent(owner, '/gateway/mcp'),
  ];
  for (const [place, door] of doors.entries()) {
    const { result } = await door.call('recommend_tools', { task: 'send an e-mail to my boss' });
    const { recommendations, metadata } = result.structuredContent as unknown as Recommended;
    const [best] = recommendations;
    assert.ok(recommendations.length <= 3);
    assert.deepEqual(metadata, { task: 'send an e-mail to my boss', mode: 'hybrid' });
    const { relevance, reason, ...names } = best ?? { relevance: 0, reason: '' };
    assert.deepEqual(names, {
      toolKey: 'mail:send_mail',
      toolName: 'send_mail',
      serverName: 'mail',
      description: 'Sends an e-mail to somebody.',
      parameters: 'to?, body?',
    });
    assert.ok(relevance > 0.3);
    assert.match(reason, /^It has the words .*"send".* and it is near in meaning\.$/);
    assert.equal((await door.tools()).includes('recommend_tools'), place === 2);
  }
});

test('[FIND-15] recommend_tools takes a mode and a limit, says where nothing fits, and refuses what makes no sense', async () => {
  const agent = new ModernAgent(gateway);
  const ask = async (args: Dict) => {
    const { result } = await agent.call('recommend_tools', args);
    return result.structuredContent as unknown as Recommended & { errorType?: string };
  };
  const one = await ask({ task: 'write down text in a file', mode: 'semantic', limit: 1 });
  assert.deepEqual(
    [one.recommendations.map(({ toolKey }) => toolKey), one.metadata.mode],
    [['files:write_file'], 'semantic'],
  );
  const none = await ask({ task: 'qzxv wvut' });
  assert.deepEqual([none.recommendations, none.metadata.code], [[], 'NOTHING_FITS']);
  const bad = [{}, { task: '' }, { task: ' ' }, { task: 7 }, { task: 'x', mode: 'bm25' }, { task: 'x', limit: 'all' }];
  for (const args of bad) assert.equal((await ask(args)).errorType, 'ARGUMENTS_INVALID', JSON.stringify(args));
});

test('[FIND-16] the API searches, recommends, embeds and says how search is', async () => {
  const found = await api('tools.search', { query: ['send an e-mail'], limit: 1, mode: 'bm25', detailLevel: 'full' });
  assert.equal((found.body.tools as FoundTool[])[0]?.toolKey, 'mail:send_mail');
  const plain = await api('tools.search', { query: 'send an e-mail', limit: 1 });
  assert.equal((plain.body.tools as FoundTool[])[0]?.toolKey, 'mail:send_mail', 'one text needs no list');
  const recommended = await api('tools.recommend', { task: 'send an e-mail', limit: 1 });
  assert.equal((recommended.body.recommendations as FoundTool[])[0]?.toolKey, 'mail:send_mail');
  const texts = ['delete a file', 'remove a document', 'the weather in Paris', ''];
  const { status, body } = await api('tools.embed', { texts });
  assert.equal(status, 200);
  const { model, dimensions, vectors } = body as { model: string; dimensions: number; vectors: number[][] };
  assert.ok(model !== '' && vectors.every((vector) => vector.length === dimensions));
  const [erase = [], remove = [], weather = [], nothing = []] = vectors;
  assert.ok(Math.abs(productOf(erase, erase) - 1) < 0.02, 'of length one');
  assert.ok(productOf(erase, remove) > productOf(erase, weather) + 0.2);
  assert.equal(productOf(nothing, nothing), 0);
  const state = (await api('search.status', {})).body;
  assert.deepEqual([state.tools, state.model, state.problems], [7, model, []]);
});

test('[FIND-16] the API refuses input that is not right with what is wrong', async () => {
  const bad: readonly (readonly [string, unknown, RegExp])[] = [
    ['tools.search', {}, /"query" must be a text or a list of 1 to 10 texts/],
    ['tools.search', { query: [] }, /"query" must be a text or a list of 1 to 10 texts/],
    ['tools.search', { query: new Array(11).fill('x') }, /"query" must be a text or a list of 1 to 10 texts/],
    ['tools.search', { query: [7] }, /"query" must be a text or a list of 1 to 10 texts/],
    ['tools.search', { query: 'x', maxResults: 3 }, /it has no member "maxResults"\./],
    ['tools.search', { query: 'x', limit: 0 }, /"limit" must be at least 1\./],
    ['tools.search', { query: 'x', limit: 1.5 }, /"limit" must be a whole number\./],
    ['tools.search', [], /it must be an object\./],
    ['tools.search', { query: ' ' }, /"query" must say what is needed/],
    ['tools.search', { query: [' '] }, /"query\[0\]" must say what is needed/],
    ['tools.search', { query: ['x'], mode: 'magic' }, /"mode" must be one of bm25, /],
    ['tools.recommend', { task: '' }, /task/],
    ['tools.recommend', { task: 'x', mode: 'cloud' }, /mode/],
    ['tools.embed', {}, /"texts" is missing\./],
    ['tools.embed', { texts: [] }, /"texts" must have at least 1 item\./],
    ['tools.embed', { texts: new Array(101).fill('x') }, /texts/],
    ['tools.embed', { texts: ['x'.repeat(10_001)] }, /"texts\[0\]" must have at most 10000 characters\./],
  ];
  for (const [operation, input, says] of bad) {
    const { status, body } = await api(operation, input);
    assert.equal(status, 400, operation);
    const { code, message, hint } = body.error as Record<string, string>;
    assert.equal(code, 'USAGE');
    assert.match(message ?? '', says);
    assert.match(hint ?? '', /^It takes: (query.*, context\?|task, |texts).*\.$/);
  }
});

test('[FIND-17] the commands print what fits and why, what is nearest where nothing does, and how it was searched', async () => {
  await using machine = await CliMachine.make();
  await mkdir(machine.dataDir);
  await writeFile(join(machine.dataDir, 'toolcrib.json'), JSON.stringify({ mcpServers: officeServers() }));
  const explained = await machine.run('search', 'send', 'an', 'e-mail', '--limit', '1', '--explain');
  assert.match(
    explained.stdout,
    /^mail:send_mail {2}\d+ %\n {4}Sends an e-mail to somebody\.\n {4}takes: to\?, body\?\n {4}score 1\.00: words 1\.00 \(send, .*; \d+ % of the query\), meaning 0\.\d\d\n$/,
  );
  const byWords = await machine.run('search', 'send', 'mail', '--mode', 'bm25', '--explain', '--limit', '1');
  assert.match(byWords.stdout, /score 1\.00: the query is its name, words 1\.00 \(send, mail; \d+ % of the query\)\n$/);
  const elsewhere = await machine.run('search', 'send', 'mail', '--mode', 'cloud', '--limit', '1');
  assert.match(
    elsewhere.stdout,
    /^mail:send_mail .*\nnote: The search by another gateway is not configured \("search\.cloud\.url" is not set\), so this was searched here/s,
  );
  const none = await machine.run('search', 'qzxv', 'wvut');
  assert.match(none.stdout, /^No tool here seems to do this; other words may help\.\n/);
  const recommended = await machine.run('recommend', 'read', 'what', 'is', 'in', 'a', 'file', '--limit', '1');
  assert.match(recommended.stdout, /^files:read_file {2}\d+ %\n(.*\n)+ {4}why: It has the words .*\.\n$/);
  const json = await machine.run('recommend', 'read a file', '--mode', 'semantic', '--json');
  assert.equal(json.json<Recommended>().metadata.mode, 'semantic');
  const blank = await machine.run('search', '  ');
  assert.deepEqual([blank.code, blank.stdout], [2, '']);
  assert.match(blank.stderr, /The task is empty/);
});

function productOf(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}
