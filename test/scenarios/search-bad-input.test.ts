/** Odd questions and odd catalogs: search answers rightly or says clearly what is wrong, and goes on. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { approveWaiting } from '../kit/approve-waiting.ts';
import { CliMachine } from '../kit/cli.ts';
import { gatedCommand } from '../kit/gated-command.ts';
import { openListedGateway, openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { askCatalog, discover, keysOf, officeServers } from '../kit/search-requests.ts';
import { openServer } from '../servers/hosted.ts';
import { serverCommand } from '../servers/launch.ts';

const megabyte = 1_000_000;
const worldTools = [
  { name: 'mail_zh', description: '发送电子邮件给某人。' },
  { name: 'weather_ar', description: 'يعرض حالة الطقس في مدينة.' },
  { name: 'train_hi', description: 'रेलगाड़ी का समय बताता है।' },
  { name: 'party', description: 'Throws a party 🎉 with confetti.' },
  { name: 'endless', description: `Prunes the roses. ${'And so on. '.repeat(megabyte / 10)}` },
  { name: 'polish_shoes' },
];

let gateway: TestGateway;
before(async () => {
  const servers = { ...officeServers(), world: serverCommand({ name: 'world', tools: worldTools }) };
  gateway = await openTestGateway({ servers });
  for (const name of Object.keys(servers)) await gateway.gateway.admin.run('servers.refresh', { name });
  // A description of a megabyte is more than is read before it is taken.
  assert.deepEqual(await approveWaiting(gateway, 'world'), ['world:endless']);
});
after(() => gateway.close());

const blanks: readonly (readonly [string, unknown])[] = [
  ['nothing', undefined],
  ['an empty text', ''],
  ['spaces', ' \t\n '],
  ['an empty list', []],
  ['a list of blanks', ['', '  ']],
  ['a number', 7],
  ['an object', { text: 'send an e-mail' }],
];

for (const [what, query] of blanks) {
  test(`[FIND-18] ${what} instead of a query is refused with what is wanted`, async () => {
    const agent = new ModernAgent(gateway, '/mcp?surface=search');
    const { isError, errorType, text } = await agent.call('tool_discovery', { query });
    assert.deepEqual([isError, errorType], [true, 'ARGUMENTS_INVALID']);
    assert.match(text, /"query" must say what you need/);
    assert.equal((await askCatalog(gateway, { query })).status, 400);
  });
}

/** A query, and the tool that has to come first; null: any answer will do. */
const odd: readonly (readonly [string, string, string | null])[] = [
  ['50 kB of one need', 'send an e-mail to somebody. '.repeat(1_800), 'mail:send_mail'],
  ['10,000 words', Array.from({ length: 10_000 }, (_, at) => `word${at}`).join(' '), null],
  [
    'a need before 10,000 words',
    `send an e-mail. ${Array.from({ length: 10_000 }, (_, at) => `word${at}`).join(' ')}`,
    'mail:send_mail',
  ],
  ['one word of 50 kB', 'x'.repeat(50_000), null],
  ['stop words only', 'the of and to a in it', null],
  ['Chinese', '发送电子邮件', 'world:mail_zh'],
  ['Arabic', 'حالة الطقس', 'world:weather_ar'],
  ['Hindi', 'रेलगाड़ी का समय', 'world:train_hi'],
  ['an emoji among words', '🎉 party', 'world:party'],
  ['emoji only', '🎉🎉🎉', null],
  ['control characters between words', 'send\u0000 an\u0007 e-mail\u001b[31m\u202e', 'mail:send_mail'],
  ['half of a character', 'send an e-mail \ud83c', 'mail:send_mail'],
  ['punctuation only', '?!… --- ,,,', null],
  ['something like a pattern', '.*(a+)+$ send an e-mail', 'mail:send_mail'],
  ['the name of a prototype', '__proto__ constructor toString', null],
];

for (const [what, query, first] of odd) {
  test(`[FIND-18] ${what}: answered`, async () => {
    const found = await discover(gateway, query);
    if (first !== null) assert.equal(keysOf(found)[0], first);
    assert.equal(found.metadata.resultCount, found.tools.length);
    if (found.tools.length === 0) assert.equal(found.metadata.code, 'NOTHING_FITS');
    assert.ok(JSON.stringify(found.metadata).length < 2_000, 'a long query is not sent back');
    const posted = await askCatalog(gateway, { query });
    assert.equal(posted.status, 200);
    if (first !== null) assert.equal(posted.results[0]?.toolKey, first);
    const tools = [{ toolKey: 'a:b', name: 'send_mail', server: 'a', description: 'Sends an e-mail to somebody.' }];
    assert.equal((await askCatalog(gateway, { query, tools })).status, 200);
    const recommended = await new ModernAgent(gateway).call('recommend_tools', { task: query });
    assert.equal(recommended.isError, false);
  });
}

test('[FIND-18] a tool with a description of a megabyte and one with none are found, and the answer stays short', async () => {
  const endless = await discover(gateway, 'prune the roses');
  assert.deepEqual([keysOf(endless)[0], endless.tools[0]?.description], ['world:endless', 'Prunes the roses.']);
  const bare = await discover(gateway, 'polish my shoes');
  assert.deepEqual([keysOf(bare)[0], bare.tools[0]?.description], ['world:polish_shoes', '']);
  const posted = await askCatalog(gateway, { query: 'prune the roses' });
  assert.equal(posted.results[0]?.description, 'Prunes the roses.');
  assert.ok(JSON.stringify(posted.results).length < 20_000);
});

test('[FIND-18] an empty catalog answers that nothing fits, and a catalog of one tool gives it', async () => {
  await using empty = await openTestGateway({});
  const none = await discover(empty, 'send an e-mail');
  assert.deepEqual([none.tools, none.metadata.code, none.metadata.nearest], [[], 'NOTHING_FITS', []]);
  assert.deepEqual((await askCatalog(empty, { query: 'send an e-mail' })).results, []);
  const lonely = serverCommand({ name: 'lonely', tools: [{ name: 'ring_bell', description: 'Rings the bell.' }] });
  await using single = await openTestGateway({ servers: { lonely } });
  assert.deepEqual(keysOf(await discover(single, 'ring the bell')), ['lonely:ring_bell']);
  const unlike = await discover(single, 'compute the inverse of a matrix');
  assert.deepEqual(
    [unlike.tools, unlike.metadata.code],
    [[], 'NOTHING_FITS'],
    'the only tool is not passed off as one',
  );
});

test('[FIND-19] equal tools of fifty servers are one answer that names its equals', async () => {
  const tools = [
    { name: 'send_mail', description: 'Sends an e-mail to somebody.' },
    { name: 'list_mail', description: 'Lists the newest messages of the mailbox.' },
  ];
  await using server = await openServer({ name: 'copy', tools });
  const names = Array.from({ length: 50 }, (_, at) => `copy-${at + 1}`);
  const servers = Object.fromEntries(
    names.map((name) => [name, { url: server.url, headers: { 'x-key': 'one account' } }]),
  );
  await using many = await openListedGateway({ servers });
  const found = await discover(many, 'send an e-mail or list the mailbox');
  const toolNames = found.tools.map(({ toolName }) => toolName);
  assert.deepEqual(toolNames.toSorted(), ['list_mail', 'send_mail']);
  for (const { toolKey, equals = [], ...tool } of found.tools) {
    assert.equal(new Set([toolKey, ...equals]).size, 6);
    assert.ok(equals.every((key) => key.endsWith(`:${tool.toolName}`)));
    assert.equal((tool as { moreEquals?: number }).moreEquals, 44);
  }
  const one = await discover(many, 'send an e-mail', { server: 'copy-17', maxResults: 1 });
  assert.deepEqual([keysOf(one), one.tools[0]?.equals], [['copy-17:send_mail'], undefined]);
});

const lateSpec = { tools: [{ name: 'ring_bell', description: 'Rings the bell.' }] };

test('[FIND-24] where a server has not said yet what it offers, the answer says so', async () => {
  await using gate = await gatedCommand('runner');
  const servers = { late: gate.behind({ ...serverCommand(lateSpec) }) };
  await using gateway = await openTestGateway({ servers, isCold: true });
  const none = await discover(gateway, 'ring the bell');
  assert.match(String(none.metadata.notice), /Servers that are still listing: late\. Search again in a moment\./);
  await gate.open();
  await gateway.gateway.admin.run('servers.refresh', {});
  const found = await discover(gateway, 'ring the bell');
  assert.deepEqual([keysOf(found), found.metadata.notice], [['late:ring_bell'], undefined]);
});

test('[FIND-24] a command waits for a server that the gateway has just begun to ask', async () => {
  await using machine = await CliMachine.make();
  const file = join(machine.home, 'config.yaml');
  await writeFile(
    file,
    JSON.stringify({ mcpServers: { late: serverCommand({ ...lateSpec, modes: { startDelayMs: 2_000 } }) } }),
  );
  await machine.start('--config', file);
  assert.match((await machine.run('search', 'ring', 'the', 'bell')).stdout, /^late:ring_bell/);
});
