/** Tests of the stage that asks before a call, for agents that come back with the answer in another request. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { ApprovalStage, form, timeoutMs, withCode } from '../../test/kit/approval-stage.ts';
import { madeAgent, madeCall, saying } from '../../test/kit/made-call.ts';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { limits } from '../config/config.ts';
import { type Result, RpcError } from '../protocol/messages.ts';
import type { Call } from './call.ts';

let stage: ApprovalStage;
beforeEach(() => {
  stage = new ApprovalStage();
});

const modern = madeAgent({ capabilities: form });

/** The agent comes back with what it was given. */
function again(asked: Result, said: unknown, parts: Partial<Call> = {}): Call {
  const params = { name: 'read', arguments: { path: 'a' } };
  const { requestState, inputRequests } = asked;
  const [key = ''] = Object.keys(isObject(inputRequests) ? inputRequests : {});
  const inputResponses = said === undefined ? {} : { [key]: said };
  return stage.asking({ agent: modern, params: { ...params, requestState, inputResponses }, ...parts });
}

const yes = { action: 'accept', content: { decision: 'Allow once' } };

test('a modern agent is told what is asked and comes back with the answer, of which the server sees nothing', async () => {
  const asked = await stage.run(stage.asking({ agent: modern }));
  assert.equal(asked.resultType, 'input_required');
  const [request] = Object.values(asked.inputRequests as Record<string, { method: string; params: Result }>);
  assert.equal(request?.method, 'elicitation/create');
  assert.match(String(request?.params.message), /"path": "a"/);
  assert.match(JSON.stringify(request?.params), /Allow this tool for one hour, for every agent with the same token/);
  assert.equal(stage.sent.length, 0);
  assert.deepEqual(await stage.run(again(asked, yes)), stage.answer);
  assert.deepEqual(stage.sent[0]?.params, { name: 'read', arguments: { path: 'a' } });
});

test('a handle is good for one answer, of the same principal, to the same call', async () => {
  const asked = await stage.run(stage.asking({ agent: modern }));
  const other = { name: 'read', arguments: { path: 'b' }, requestState: asked.requestState };
  const strangers: Call[] = [
    again(asked, yes, { principal: { ...madeCall().principal, id: 'token:1' } }),
    again(asked, yes, { params: { ...again(asked, yes).params, ...other } }),
    again(asked, yes, { tool: 'write' }),
    again({ ...asked, requestState: `${String(asked.requestState)}x` }, yes),
    again({ ...asked, requestState: 'toolcrib-approval.' }, yes),
  ];
  for (const call of strangers) await assert.rejects(stage.run(call), RpcError);
  stage.standing = { ...stage.standing, identity: 'd2' };
  await assert.rejects(stage.run(again(asked, yes)), RpcError);
  stage.standing = { ...stage.standing, identity: 'd1' };
  const both = await Promise.allSettled([stage.run(again(asked, yes)), stage.run(again(asked, yes))]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  await assert.rejects(stage.run(again(asked, yes)), RpcError);
  assert.equal(stage.sent.length, 1);
});

test('a modern agent comes back with what it had approved beside the arguments, and with nothing else', async () => {
  const named = (said: string) => ({ name: 'read', arguments: { path: 'a' }, _meta: { 'vendor/as-user': said } });
  const asked = await stage.run(stage.asking({ agent: modern, params: named('guest') }));
  assert.match(JSON.stringify(asked), /beside the arguments.*vendor\/as-user.*guest/);
  const { requestState, inputResponses } = again(asked, yes).params;
  const back = (params: Result) => stage.asking({ agent: modern, params: { ...params, requestState, inputResponses } });
  const { _meta, ...bare } = named('guest');
  for (const params of [named('root'), bare, { ...named('guest'), task: {} }])
    await assert.rejects(stage.run(back(params)), RpcError);
  const traced = { ..._meta, progressToken: 9, 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  await stage.run(back({ ...bare, _meta: traced }));
  assert.deepEqual(stage.sent[0]?.params, { ...bare, _meta: traced });
});

test('an answer without a question approves nothing', async () => {
  const inputResponses = { 'toolcrib-approval': yes };
  const params = { name: 'read', arguments: { path: 'a' }, inputResponses };
  assert.equal((await stage.run(stage.asking({ agent: modern, params }))).resultType, 'input_required');
  await stage.refused(stage.asking({ params: { ...params, requestState: 'state of a server' } }), 'APPROVAL_NEEDED');
  assert.equal(stage.sent.length, 0);
});

test('a modern agent that comes back without an answer is asked again; one that says no has been refused', async () => {
  const asked = await stage.run(stage.asking({ agent: modern }));
  assert.deepEqual(await stage.run(again(asked, undefined)), asked);
  await assert.rejects(stage.run(again(asked, { action: 'decline' })), withCode('ACCESS_DENIED'));
  await assert.rejects(stage.run(again(asked, yes)), RpcError);
  assert.equal(stage.sent.length, 0);
});

test('an answer that cannot be written down may be brought again', async () => {
  const asked = await stage.run(stage.asking({ agent: modern }));
  stage.approvals.answerAtAgent = async () => {
    throw new GatewayError('STORE_BROKEN', 'The store is unreachable.');
  };
  await stage.refused(again(asked, yes), 'STORE_BROKEN');
  Reflect.deleteProperty(stage.approvals, 'answerAtAgent');
  assert.deepEqual(await stage.run(again(asked, yes)), stage.answer);
});

test('a no of the person at the agent holds also where nobody would be asked any more', async () => {
  const asked = await stage.run(stage.asking({ agent: modern }));
  await assert.rejects(
    stage.run(again(asked, { action: 'decline' }, { permission: 'allow' })),
    withCode('ACCESS_DENIED'),
  );
  assert.equal(stage.sent.length, 0);
});

test('an answer of the owner while a modern agent is away counts when it comes back; each of the two can refuse', async () => {
  const outcomes: [owner: 'once' | 'refuse', agent: unknown, isSent: boolean][] = [
    ['once', yes, true],
    ['once', undefined, true],
    ['once', { action: 'decline' }, false],
    ['refuse', yes, false],
    ['refuse', undefined, false],
  ];
  for (const [said, response, isSent] of outcomes) {
    stage = new ApprovalStage();
    const asked = await stage.run(stage.asking({ agent: modern }));
    await stage.owner(said);
    const call = stage.run(again(asked, response));
    await (isSent ? call : assert.rejects(call, withCode('ACCESS_DENIED')));
    assert.equal(stage.sent.length, isSent ? 1 : 0, `${said} ${JSON.stringify(response)}`);
  }
});

test('a no of the owner cannot be undone by asking again: neither for the call nor by allowing the whole tool', async () => {
  const hour = {
    action: 'accept',
    content: { decision: 'Allow this tool for one hour, for every agent with the same token' },
  };
  const call = stage.asking({ agent: modern });
  const other = { name: 'read', arguments: { path: 'b' } };
  const open = await stage.run(call);
  const earlier = await stage.run(stage.asking({ agent: modern, params: other }));
  await stage.owner('refuse');
  await stage.refused(call, 'ACCESS_DENIED');
  await stage.refused(again(open, hour), 'ACCESS_DENIED');
  const { requestState, inputResponses } = again(earlier, hour).params;
  await stage.run(stage.asking({ agent: modern, params: { ...other, requestState, inputResponses } }));
  assert.equal(stage.sent.length, 1);
  await stage.refused(call, 'ACCESS_DENIED');
  const later = await stage.run(stage.asking({ agent: modern, params: other }));
  assert.match(JSON.stringify(later), /Allow once/);
  assert.doesNotMatch(JSON.stringify(later), /one hour/);
  assert.equal(stage.sent.length, 1);
});

test('a modern agent that never comes back leaves a call that ended', async () => {
  const asked = await stage.run(stage.asking({ agent: modern }));
  await stage.clock.advance(timeoutMs);
  assert.deepEqual(
    stage.abandoned.map(({ code }) => code),
    ['APPROVAL_NEEDED'],
  );
  await assert.rejects(stage.run(again(asked, yes)), RpcError);
  assert.equal(stage.sent.length, 0);
});

test('a call whose server asks something is not asked about again when the agent brings the answer', async () => {
  const asked = await stage.run(stage.asking({ agent: modern }));
  stage.answer = { resultType: 'input_required', requestState: 'state of the server', inputRequests: {} };
  assert.deepEqual(await stage.run(again(asked, yes)), stage.answer);
  const params = {
    name: 'read',
    arguments: { path: 'a' },
    requestState: 'state of the server',
    inputResponses: { a: {} },
  };
  stage.answer = saying('done');
  assert.deepEqual(await stage.run(stage.asking({ agent: modern, params })), stage.answer);
  assert.deepEqual(stage.sent.at(1)?.params, params);
  // Once: what is played again is asked about again.
  assert.equal((await stage.run(stage.asking({ agent: modern, params }))).resultType, 'input_required');
  assert.equal(stage.sent.length, 2);
});

test('so many questions as there may be, and no more', async () => {
  for (let at = 0; at < limits.waitingApprovalsEach; at += 1)
    await stage.run(stage.asking({ agent: modern, params: { name: 'read', arguments: { at } } }));
  await stage.refused(stage.asking({ agent: modern }), 'RATE_LIMITED');
});
