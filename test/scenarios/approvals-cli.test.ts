/** The owner approves calls at a terminal: what is shown, and what each command does. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { LastingApproval, WaitingCall } from '../../src/admin/admin.ts';
import { callsOf, untilWaiting } from '../kit/approvals.ts';
import { CliMachine } from '../kit/cli.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { makeToken } from '../kit/tokens.ts';
import { META, MODERN_VERSION } from '../servers/rpc.ts';

const plan = hostServers({ till: { era: 'modern', entry: { permissions: { echo: 'ask', add: 'ask' } } } });
const modernMeta = { [META.protocolVersion]: MODERN_VERSION, [META.clientCapabilities]: {} };
const said = () => callsOf(plan, 'till', 'echo').length;
let gateway: TestGateway;
let machine: CliMachine;
let agent: ModernAgent;

before(async () => {
  gateway = await openTestGateway({ servers: plan.servers });
  machine = await CliMachine.make();
  agent = new ModernAgent(gateway);
});
after(async () => {
  await machine[Symbol.asyncDispose]();
  await gateway.close();
});

const run = (...argv: string[]) => machine.run(...argv, '--data', gateway.dataDir);

test('[ACC-48] a waiting call is shown exactly, and is allowed or refused by its id', async () => {
  assert.match((await run('approvals')).stdout, /No call waits for approval\./);
  await agent.call('till.echo', { text: 'pay\u001b[2J \u202e5' });
  const shown = await run('approvals');
  const [waiting] = (await run('approvals', '--json')).json<WaitingCall[]>();
  assert.ok(waiting);
  assert.ok(shown.stdout.includes(`${waiting.id}  till:echo  for agent`), shown.stdout);
  assert.ok(shown.stdout.includes('"text": "pay\\u001b[2J \\u202e5"'), shown.stdout);
  assert.ok(shown.stdout.includes(`toolcrib --data ${gateway.dataDir} approve ${waiting.id}`));
  const allowed = await run('approve', waiting.id);
  assert.equal(allowed.code, 0, allowed.stderr);
  assert.match(allowed.stdout, /till:echo may be called once by agent, as it was shown\./);
  await agent.say('till.echo', { text: 'pay\u001b[2J \u202e5' });
  assert.equal(said(), 1);

  await agent.call('till.echo', { text: 'again' });
  const [other] = await untilWaiting(gateway, 'agent');
  assert.match((await run('deny', other?.id ?? '')).stdout, /The call of till:echo is denied\./);
  assert.equal((await agent.call('till.echo', { text: 'again' })).errorType, 'ACCESS_DENIED');
  const late = await run('approve', other?.id ?? '');
  assert.deepEqual([late.code, /was already refused by "owner"/.test(late.stderr)], [2, true]);
  assert.equal((await run('approve', 'x', '--session', '--always')).code, 2);
  assert.equal(said(), 1);
});

test('[ACC-60] approve and deny take ids of calls, and name the review for a server', async () => {
  await agent.call('till.echo', { text: 'by id' });
  const [waiting] = await untilWaiting(gateway, 'agent');
  assert.match(waiting?.id ?? '', /^call_[a-z2-9]{6}$/);
  for (const [verb, other] of [
    ['approve', 'accept'],
    ['deny', 'reject'],
  ] as const) {
    const { code, stdout, stderr } = await run(verb, 'till:echo');
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, new RegExp(`not the id of a call; nothing was decided[\\s\\S]* review ${other} till:echo`));
  }
  assert.deepEqual(await untilWaiting(gateway, 'agent'), [waiting]);
  const older = await run('refuse', waiting?.id ?? '');
  assert.deepEqual([older.code, /refuse" is now ".*deny"\./.test(older.stderr)], [0, true], older.stderr);
});

test('[ACC-48] for always and for the session, listed and taken back', async () => {
  await agent.call('till.echo', { text: 'one' });
  const [waiting] = await untilWaiting(gateway, 'agent');
  await run('approve', waiting?.id ?? '', '--always');
  await agent.say('till.echo', { text: 'two' });
  const lasting = await run('approvals', '--lasting');
  assert.match(lasting.stdout, /till:echo +agent/);
  const [approval] = (await run('approvals', '--lasting', '--json')).json<LastingApproval[]>();
  assert.match((await run('forget', approval?.id ?? '')).stdout, /need approval again/);
  assert.equal((await run('forget', approval?.id ?? '')).code, 2);
  assert.match((await run('approvals', '--lasting')).stdout, /No tool is approved beyond a single call\./);
  assert.equal((await agent.call('till.echo', { text: 'two' })).errorType, 'APPROVAL_NEEDED');
  await agent.call('till.add', { a: 1, b: 2 });
  const [sum] = (await untilWaiting(gateway, 'agent', 2)).filter(({ tool }) => tool === 'add');
  const allowed = await run('approve', sum?.id ?? '', '--session');
  assert.match(allowed.stdout, /till:add may be called for one hour by every agent with the token of agent\./);
  await agent.say('till.add', { a: 3, b: 4 });
});

test('[ACC-53] an approval for a session is listed with how long it holds, and taken back by its id', async () => {
  const [held] = (await run('approvals', '--lasting', '--json')).json<LastingApproval[]>();
  assert.ok(held);
  assert.match(
    (await run('approvals', '--lasting')).stdout,
    /till:add +agent .*until \d{4}-\d\d-\d\d \d\d:\d\d +owner/,
  );
  assert.match((await run('forget', held.id)).stdout, /Calls of till:add by agent need approval again\./);
  assert.match((await agent.call('till.add', { a: 3, b: 4 })).text, /needs approval/);
  const again = await run('forget', held.id);
  assert.deepEqual([again.code, /no standing approval/i.test(again.stderr)], [2, true], again.stderr);
});

test('[ACC-51] members beside the arguments are shown apart from them', async () => {
  const { name, headers } = await makeToken(gateway);
  const _meta = { ...modernMeta, 'vendor/as-user': 'root\u202e' };
  const params = { name: 'till.echo', arguments: { text: 'hi' }, _meta };
  await new ModernAgent({ ...gateway, agentHeaders: headers }).request('tools/call', params);
  const [waiting] = await untilWaiting(gateway, name);
  assert.ok(waiting);
  const { stdout } = await run('approvals');
  const shown = stdout.slice(stdout.indexOf(waiting.id)).split('\n');
  assert.deepEqual(shown.slice(2, 11), [
    '    Sent to the server beside the arguments:',
    '    {',
    '      "_meta": {',
    '        "vendor/as-user": "root\\u202e"',
    '      }',
    '    }',
    '    Arguments:',
    '    {',
    '      "text": "hi"',
  ]);
  await run('deny', waiting.id);
});

test('[ACC-48] calls are shown as they come', async () => {
  const following = machine.launch(['approvals', '--follow', '--json', '--data', gateway.dataDir]);
  const { name, headers } = await makeToken(gateway);
  const other = new ModernAgent({ ...gateway, agentHeaders: headers });
  await other.call('till.echo', { text: 'followed' });
  const [waiting] = await untilWaiting(gateway, name);
  await following.until(({ stdout }) => stdout.includes(`"id":"${waiting?.id}"`));
  await other.call('till.echo', { text: 'followed too' });
  await following.until(({ stdout }) => stdout.includes('followed too'));
  const { stdout } = await following.stop();
  assert.equal(stdout.split('\n').filter((line) => line.includes(`"id":"${waiting?.id}"`)).length, 1);
});

test('[ACC-48] by hand the owner approves with the call; a token of an agent cannot', async () => {
  const before = said();
  const refused = await run('call', 'till:echo', 'text=by hand');
  assert.equal(refused.code, 4, refused.stderr);
  assert.match(refused.stderr, /--yes/);
  const { token } = await makeToken(gateway);
  const limited = machine.launch(['call', 'till:echo', 'text=by hand', '--yes', '--data', gateway.dataDir], {
    env: { TOOLCRIB_TOKEN: token },
  });
  assert.equal((await limited.ended).code, 4);
  for (const command of [
    ['approvals'],
    ['approve', 'call_abcde2'],
    ['deny', 'call_abcde2'],
    ['forget', 'call_abcde2'],
  ]) {
    const run = machine.launch([...command, '--data', gateway.dataDir], { env: { TOOLCRIB_TOKEN: token } });
    assert.equal((await run.ended).code, 4, command.join(' '));
  }
  assert.equal(said(), before);
  const called = await run('call', 'till:echo', 'text=by hand', '--yes');
  assert.deepEqual([called.code, called.stdout], [0, 'by hand\n']);
  assert.equal(said(), before + 1);
});

test('[ACC-48] without a gateway that runs, the owner calls with --yes and sees what lasts', async () => {
  await using alone = await CliMachine.make();
  const server = hostServers({ till: { era: 'legacy', entry: { permissions: { echo: 'ask' } } } });
  await using quick = await openTestGateway({ servers: server.servers });
  await quick.gateway.close();
  const command = ['--data', alone.dataDir, '--config', quick.configFile];
  const refused = await alone.run('call', 'till:echo', 'text=hello', ...command);
  assert.equal(refused.code, 4, refused.stderr);
  const called = await alone.run('call', 'till:echo', 'text=hello', '--yes', ...command);
  assert.deepEqual([called.code, called.stdout], [0, 'hello\n'], called.stderr);
  assert.match((await alone.run('approvals', '--lasting', ...command)).stdout, /No tool is approved beyond/);
});
