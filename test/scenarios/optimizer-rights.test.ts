/** Limits of a token with only the scope `optimize`: it can't promote a text past the gates on any path, nor import files about other servers. */

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { baseTool } from '../kit/changing-server.ts';
import { CliMachine } from '../kit/cli.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { makeToken } from '../kit/tokens.ts';

type Dict = Record<string, unknown>;

const own = 'Reads notes from a folder.';
const forcedText = 'Opens jotted memos.';
const desk = { server: 'desk', tool: 'read_notes' };
const { servers } = hostServers({
  desk: { tools: [baseTool] },
  till: { tools: [{ name: 'sell', description: 'Sells.', inputSchema: { type: 'object' } }] },
});

let gateway: TestGateway;
let optimizer: Awaited<ReturnType<typeof makeToken>>;
let administrator: Awaited<ReturnType<typeof makeToken>>;
let candidateId: string;

before(async () => {
  gateway = await openTestGateway({ servers, config: { optimize: { enabled: true } } });
  optimizer = await makeToken(gateway, { name: 'author', scopes: ['optimize'] });
  administrator = await makeToken(gateway, { name: 'boss', scopes: ['admin'] });
  const { proposed } = await gateway.gateway.admin.run('optimize.candidates', { ...desk, description: forcedText });
  candidateId = proposed?.candidateId ?? '';
});
after(() => gateway.close());

async function post(operation: string, input: Dict, headers: Record<string, string>) {
  const response = await fetch(`${gateway.url}/api/${operation.replace('.', '/')}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  return { status: response.status, body: (await response.json()) as Dict };
}

async function described(): Promise<string> {
  const info = await gateway.gateway.admin.run('tools.info', { toolKey: 'desk:read_notes' });
  return JSON.stringify(info);
}

const forcing = () => ({ ...desk, candidateId, force: true, why: 'I like it.' });

test('[OPT-47] a token with the scope optimize cannot force over HTTP, at the door or by command', async () => {
  const plain = await post('optimize.promote', { ...desk, candidateId }, optimizer.headers);
  assert.match(JSON.stringify(plain.body), /no evaluation runs yet/, 'the order itself is within its rights');

  const { status, body } = await post('optimize.promote', forcing(), optimizer.headers);
  assert.equal(status, 403);
  const { code, message, hint } = body.error as Dict;
  assert.equal(code, 'ACCESS_DENIED');
  assert.match(String(message), /^A promotion past the gates was refused\. This token lacks the scope "admin"/);
  assert.match(String(hint), /without force/);

  const agent = new ModernAgent({ url: gateway.url, agentHeaders: optimizer.headers }, '/gateway/mcp');
  const answer = await agent.call('promote_candidate', forcing());
  assert.deepEqual([answer.isError, answer.errorType], [true, 'ACCESS_DENIED']);
  assert.match(answer.text, /lacks the scope "admin"/);

  await using machine = await CliMachine.make();
  const words = ['optimize', 'promote', 'desk:read_notes', candidateId, '--force', '--why', 'I like it.'];
  const env = { TOOLCRIB_DATA: gateway.dataDir, TOOLCRIB_TOKEN: optimizer.token };
  const typed = await machine.launch(words, { env }).ended;
  assert.equal(typed.code, 4, typed.stderr);
  assert.match(typed.stderr, /lacks the scope "admin"/);
  assert.ok((await described()).includes(own));
  const { records } = await gateway.gateway.admin.run('audit.list', { outcome: 'refused' });
  const refused = records.filter(
    ({ principal, errorType }) => principal.name === 'author' && errorType === 'ACCESS_DENIED',
  );
  assert.deepEqual(new Set(refused.map(({ action }) => action)), new Set(['optimize.promote', 'promote_candidate']));
});

test('[OPT-47] a job with a threshold below that of the owner promotes nothing for a token with the scope optimize', async () => {
  const prompts = [{ category: 'direct', prompt: 'Which notes are in the folder?' }] as const;
  await gateway.gateway.admin.run('optimize.prompts', { ...desk, prompts: [...prompts] });
  const order = { server: 'desk', autoPromote: true, threshold: 0 };
  const { status, body } = await post('optimize.run', order, optimizer.headers);
  assert.deepEqual([status, (body.error as Dict).code], [403, 'ACCESS_DENIED']);
  const agent = new ModernAgent({ url: gateway.url, agentHeaders: optimizer.headers }, '/gateway/mcp');
  assert.equal((await agent.call('optimize', order)).errorType, 'ACCESS_DENIED');
  for (const fair of [{ autoPromote: false }, { threshold: 1 }])
    assert.equal((await post('optimize.run', { ...order, ...fair, dryRun: true }, optimizer.headers)).status, 200);
});

test('[OPT-47] a forced promotion records who forced it, and only an administrator can restore it from a file', async () => {
  const promoted = await post('optimize.promote', forcing(), administrator.headers);
  assert.deepEqual([promoted.status, promoted.body.forced, promoted.body.by], [200, true, 'boss']);
  assert.ok((await described()).includes(forcedText));
  const { admin } = gateway.gateway;
  const [record] = (await admin.run('audit.list', { action: 'description.promoted' })).records;
  assert.deepEqual([record?.principal.name, record?.detail?.forced, record?.detail?.why], ['boss', true, 'I like it.']);
  const { files } = await admin.run('optimize.export', { server: 'desk' });
  const { path, content } = files.find((file) => file.path === 'promotions.json') ?? assert.fail('no promotions');
  await admin.run('optimize.revert', desk);

  const file = { server: 'desk', path, content, promotions: true };
  const left = await post('optimize.import', file, optimizer.headers);
  assert.deepEqual([left.status, left.body.restored], [200, []]);
  assert.match(JSON.stringify(left.body.refused), /It was forced past the gates, which needs the scope \\"admin\\"/);
  assert.ok((await described()).includes(own));
  // Agents read the example, too.
  const promotions = JSON.parse(JSON.stringify(content));
  promotions.read_notes.example = 'read_notes({ "path": "memos/today" })';
  const reworded = await post('optimize.import', { ...file, content: promotions }, administrator.headers);
  assert.match(JSON.stringify(reworded.body.refused), /has another text here/);
  const restored = await post('optimize.import', file, administrator.headers);
  assert.equal((restored.body.restored as Dict[]).length, 1);
  await admin.run('optimize.revert', desk);
});

test('[OPT-05] a file whose path is a property of every JavaScript object is refused', async () => {
  for (const path of ['__proto__', 'constructor', 'toString/x.json', '__proto__/candidates.json', 'hasOwnProperty']) {
    const { status, body } = await post('optimize.import', { server: 'desk', path, content: [{}] }, optimizer.headers);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body.refused, [{ what: 'file', why: 'It is not a file of an export.' }], path);
  }
  const odd = { server: 'desk', path: 'promotions.json', content: JSON.parse('{"__proto__":{"candidateId":"x"}}') };
  const { status, body } = await post('optimize.import', odd, optimizer.headers);
  assert.deepEqual([status, (body.refused as Dict[]).length], [200, 1]);
});

test('[OPT-05] a candidate of another server is refused by the import, over HTTP and by command', async () => {
  const text = { description: 'Sells goods at the till.' };
  const content = [
    { id: 'moved', toolName: 'sell', ...text },
    { id: 'named', toolName: 'read_notes', server: 'till', ...text },
    { id: 'gone', toolName: 'no_such_tool', ...text },
  ];
  const file = { server: 'desk', path: 'candidates/x.json', content };
  const { body } = await post('optimize.import', file, optimizer.headers);
  assert.deepEqual(body.refused, [
    { what: 'candidate 1', why: 'Tool "sell" belongs to server "till", not to "desk".' },
    { what: 'candidate 2', why: 'Candidate "named" belongs to server "till", not to "desk".' },
  ]);
  const { candidates } = await gateway.gateway.admin.run('optimize.candidates', { server: 'desk' });
  assert.deepEqual(candidates.map(({ id }) => id).sort(), [candidateId, 'gone'].sort());

  const local = await makeToken(gateway, { scopes: ['optimize'], servers: ['desk'] });
  const guesses = ['sell', 'no_such_tool'].map((toolName) => ({ id: `guess-${toolName}`, toolName, ...text }));
  const told = await post('optimize.import', { ...file, content: guesses }, local.headers);
  assert.deepEqual(told.body.refused, [], 'a tool of a server out of reach reads like an unknown tool');

  await using machine = await CliMachine.make();
  const path = join(machine.home, 'records/desk/candidates/x.json');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(content));
  const env = { TOOLCRIB_DATA: gateway.dataDir };
  const run = await machine.launch(['optimize', 'import', join(machine.home, 'records')], { env }).ended;
  assert.equal(run.code, 1);
  assert.match(run.stdout, /candidate 1: Tool "sell" belongs to server "till", not to "desk"\./);
});
