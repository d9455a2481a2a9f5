/** Tests of the stage that asks before a call: who is asked, what they are shown, and what a yes is. */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ApprovalStage, form, Person, timeoutMs, withCode } from '../../test/kit/approval-stage.ts';
import { madeAgent, madeCall } from '../../test/kit/made-call.ts';
import { GatewayError } from '../base/errors.ts';
import { limits } from '../config/config.ts';
import { metaKeys } from '../protocol/eras.ts';
import type { Result } from '../protocol/messages.ts';
import { sentBeside } from './ask-owner.ts';
import type { Standing } from './call.ts';

let stage: ApprovalStage;
beforeEach(() => {
  stage = new ApprovalStage();
});

test('an allowed call goes on at once', async () => {
  await stage.run(madeCall());
  assert.equal(stage.sent.length, 1);
  assert.deepEqual(stage.approvals.waiting(), []);
});

test('an agent that cannot be asked hears how the owner approves; then the same call passes once', async () => {
  const error = await stage.refused(stage.asking(), 'APPROVAL_NEEDED', 'asked');
  const [question] = stage.approvals.waiting();
  assert.ok(question);
  assert.match(error.hint ?? '', new RegExp(`toolcrib approve ${question.facts.id} --data /srv/tools"`));
  assert.equal(error.data?.approval, question.facts.id);
  await stage.refused(stage.asking(), 'APPROVAL_NEEDED', 'asked');
  assert.equal(stage.approvals.waiting().length, 1);
  await stage.owner('once');
  await stage.refused(stage.asking({ params: { name: 'read', arguments: { path: 'b' } } }), 'APPROVAL_NEEDED', 'asked');
  await stage.run(stage.asking());
  await stage.refused(stage.asking(), 'APPROVAL_NEEDED', 'asked');
  assert.equal(stage.sent.length, 1);
});

test('a call that the owner refused is refused at once when it is tried again', async () => {
  await stage.refused(stage.asking(), 'APPROVAL_NEEDED');
  await stage.owner('refuse');
  await stage.refused(stage.asking(), 'ACCESS_DENIED', 'refused');
  assert.deepEqual(stage.approvals.waiting(), []);
});

test('the wait for the owner is as long as the config says, and is not counted as the time of the tool', async () => {
  stage.settings = { ...stage.settings, approvalWaitMs: 5_000 };
  const first = stage.run(stage.asking());
  await stage.clock.advance(1_000);
  await stage.owner('once');
  await first;
  assert.deepEqual([stage.sent.length, stage.waitedMs], [1, 1_000]);
  const second = stage.refused(stage.asking(), 'APPROVAL_NEEDED', 'asked');
  await stage.clock.advance(5_000);
  await second;
  assert.equal(stage.waitedMs, 6_000);
  assert.equal(stage.approvals.waiting().length, 1);
});

test('a call that still waits asks again where its request ended with another gateway', async () => {
  stage.settings = { ...stage.settings, approvalWaitMs: 5_000 };
  const call = stage.run(stage.asking());
  await stage.clock.advance(1_000);
  const [first] = stage.approvals.waiting();
  assert.ok(first);
  stage.approvals.withdraw(first);
  await stage.clock.advance(1_000);
  assert.notEqual(stage.approvals.waiting()[0]?.facts.id, first.facts.id);
  await stage.owner('once');
  await call;
  assert.deepEqual([stage.sent.length, stage.waitedMs], [1, 2_000]);
});

test('of two same calls that wait for the owner, one approval lets one through', async () => {
  stage.settings = { ...stage.settings, approvalWaitMs: 5_000 };
  const both = [stage.run(stage.asking()), stage.run(stage.asking())];
  await turn();
  await stage.owner('once');
  const ends = await Promise.allSettled(both);
  assert.deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  assert.equal(stage.sent.length, 1);
});

test('a standing approval that another gateway just wrote counts', async (context) => {
  let isRead = false;
  context.mock.method(stage.approvals, 'refresh', async () => {
    isRead = true;
  });
  context.mock.method(stage.approvals, 'isGranted', () => isRead);
  await stage.run(stage.asking());
  assert.equal(stage.sent.length, 1);
});

test('an owner who calls by hand approves with the call, and nobody else is asked', async () => {
  const principal = { ...madeCall().principal, scopes: new Set(['use', 'admin'] as const) };
  await stage.refused(stage.asking({ principal, way: 'api' }), 'APPROVAL_NEEDED', 'own');
  assert.deepEqual(stage.approvals.waiting(), []);
  await stage.run(stage.asking({ principal, way: 'api', isApproved: true }));
  assert.equal(stage.sent.length, 1);
});

test('a legacy agent is asked with exactly what would be called', async () => {
  const person = new Person();
  const params = { name: 'read', arguments: { path: '/etc/\u202epasswd' } };
  const call = stage.run(stage.asking({ agent: { ...person.agent, client: 'editor/1\u0007' }, params }));
  await turn();
  const [question] = person.asked;
  const message = String(question?.params.message);
  assert.match(message, /tool: files:read\n/);
  assert.match(message, /asked for by: agent\n/);
  assert.match(message, /program: editor\/1\\u0007 \(as it names itself\)/);
  assert.match(message, /"path": "\/etc\/\\u202epasswd"/);
  const schema = question?.params.requestedSchema as { properties: { decision: { enum: string[] } } };
  assert.deepEqual(schema.properties.decision.enum, ['Refuse', 'Allow once', 'Allow this tool for this session']);
  person.says('Allow once');
  assert.deepEqual(await call, stage.answer);
  assert.deepEqual(stage.sent[0]?.params, params);
});

test('members beside the arguments are shown apart from them, and approved with them', async () => {
  const params = { name: 'read', arguments: { path: 'a' } };
  const rooted = { ...params, _meta: { 'vendor/as-user': 'root\u202e' } };
  const person = new Person();
  const call = stage.run(stage.asking({ agent: person.agent, params: rooted }));
  await turn();
  const message = String(person.asked[0]?.params.message);
  assert.ok(
    message.endsWith(
      [
        'Sent to the server beside the arguments:',
        '',
        '    {',
        '      "_meta": {',
        '        "vendor/as-user": "root\\u202e"',
        '      }',
        '    }',
        '',
        'Arguments:',
        '',
        '    {',
        '      "path": "a"',
        '    }',
      ].join('\n'),
    ),
    message,
  );
  person.says('Allow once');
  await call;
  assert.deepEqual(stage.sent[0]?.params, rooted);

  await stage.refused(stage.asking({ params }), 'APPROVAL_NEEDED', 'asked');
  assert.equal(stage.approvals.waiting()[0]?.facts.shownBeside, undefined);
  await stage.owner('once');
  for (const other of [rooted, { ...params, task: {} }])
    await stage.refused(stage.asking({ params: other }), 'APPROVAL_NEEDED', 'asked');
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  await stage.run(stage.asking({ params: { ...params, _meta: { progressToken: 3, traceparent } } }));
  assert.equal(stage.sent.length, 2);
});

test('members beside the arguments are cut at the same length, with a notice', async () => {
  const person = new Person();
  const _meta = { 'vendor/note': 'x'.repeat(limits.shownArgumentChars) };
  const call = stage.run(stage.asking({ agent: person.agent, params: { name: 'read', arguments: {}, _meta } }));
  await turn();
  const message = String(person.asked[0]?.params.message);
  assert.match(
    message,
    /Only the first 16000 of \d+ characters of what is sent beside the arguments can be shown here\./,
  );
  assert.ok(message.length < limits.shownArgumentChars + 1_000);
  person.says('Allow once');
  await call;
});

test('everything but a clear yes is a no', async () => {
  const answers: Result[] = [
    { action: 'decline' },
    { action: 'cancel' },
    { action: 'accept' },
    { action: 'accept', content: {} },
    { action: 'accept', content: { decision: 'Refuse' } },
    { action: 'accept', content: { decision: 'once' } },
    { action: 'accept', content: { decision: true } },
    { action: 'accept', content: { decision: 'always' } },
    { action: 'decline', content: { decision: 'Allow once' } },
    { content: { decision: 'Allow once' } },
    {},
  ];
  for (const said of answers) {
    const person = new Person();
    const call = stage.refused(stage.asking({ agent: person.agent }), 'ACCESS_DENIED', 'refused');
    await turn();
    person.does(said);
    await call;
  }
  assert.equal(stage.sent.length, 0);
});

test('for the session nothing more is asked in it, and in another one it is', async () => {
  const person = new Person();
  const call = stage.run(stage.asking({ agent: person.agent }));
  await turn();
  person.says('Allow this tool for this session');
  await call;
  await stage.run(stage.asking({ agent: new Person().agent, params: { name: 'read', arguments: { path: 'other' } } }));
  const stranger = new Person();
  const other = stage.run(stage.asking({ agent: { ...stranger.agent, session: 'session-2' } }));
  await turn();
  assert.equal(stranger.asked.length, 1);
  stranger.says('Refuse');
  await assert.rejects(other, withCode('ACCESS_DENIED'));
  assert.equal(stage.sent.length, 2);
});

test('the owner may be quicker than the person at the agent, whose question is then taken back', async () => {
  for (const [said, count] of [
    ['refuse', 0],
    ['once', 1],
    ['always', 2],
  ] as const) {
    const person = new Person();
    const call = stage.run(stage.asking({ agent: person.agent, params: { name: 'read', arguments: { said } } }));
    await turn();
    await stage.owner(said);
    await (said === 'refuse' ? assert.rejects(call, withCode('ACCESS_DENIED')) : call);
    assert.equal(person.asked[0]?.signal.aborted, true);
    assert.equal(stage.sent.length, count);
  }
});

test('where only the owner may approve, agents are not asked', async () => {
  stage.settings = { ...stage.settings, askBy: ['owner'] };
  for (const agent of [new Person().agent, madeAgent({ capabilities: form })])
    await stage.refused(stage.asking({ agent }), 'APPROVAL_NEEDED', 'asked');
});

test('where only agents may approve, one that cannot be asked cannot call', async () => {
  stage.settings = { ...stage.settings, askBy: ['agent'] };
  await stage.refused(stage.asking(), 'APPROVAL_NEEDED', 'nobody-to-ask');
  assert.deepEqual(stage.approvals.waiting(), []);
});

test('an agent that only opens pages for its user, or has no way to be asked, is not asked', async () => {
  const agents = [
    madeAgent({ capabilities: { elicitation: { url: {} } } }),
    madeAgent({ capabilities: { elicitation: true } }),
    madeAgent({ era: 'legacy', capabilities: form }),
  ];
  for (const agent of agents) await stage.refused(stage.asking({ agent }), 'APPROVAL_NEEDED', 'asked');
  const both = await stage.run(
    stage.asking({ agent: madeAgent({ capabilities: { elicitation: { form: {}, url: {} } } }) }),
  );
  assert.equal(both.resultType, 'input_required');
});

test('an agent that fails to ask leaves it to the owner', async () => {
  const person = new Person();
  const call = stage.refused(stage.asking({ agent: person.agent }), 'APPROVAL_NEEDED', 'asked');
  await turn();
  person.fails();
  await call;
  assert.deepEqual(
    stage.approvals.waiting().map(({ facts }) => facts.approver),
    ['owner'],
  );
});

test('a question that nobody answers ends in time, without a call', async () => {
  const person = new Person();
  const call = stage.refused(stage.asking({ agent: person.agent }), 'APPROVAL_NEEDED', 'unanswered');
  await stage.clock.advance(timeoutMs);
  await call;
  assert.equal(person.asked[0]?.signal.aborted, true);
  person.says('Allow once');
  await turn();
  assert.equal(stage.sent.length, 0);
});

test('an agent that gives up takes its question along', async () => {
  const person = new Person();
  const call = stage.run(stage.asking({ agent: person.agent }));
  await turn();
  person.leaving.abort(new GatewayError('CANCELLED', 'The agent cancelled the request.'));
  await assert.rejects(call, withCode('CANCELLED'));
  assert.deepEqual(stage.approvals.waiting(), []);
  assert.equal(stage.sent.length, 0);
});

test('an agent that gives up does not wait for a store that hangs', async () => {
  stage.approvals.refresh = () => new Promise(() => {});
  const person = new Person();
  const call = stage.run(stage.asking({ agent: person.agent }));
  person.leaving.abort(new GatewayError('CANCELLED', 'The agent cancelled the request.'));
  await assert.rejects(call, withCode('CANCELLED'));
  assert.equal(person.asked.length, 0);
});

test('a call whose agent gives up waits neither for its request to be written down nor for a pass to be taken', async () => {
  stage.settings = { ...stage.settings, approvalWaitMs: 5_000 };
  for (const method of ['askOwner', 'takePass'] as const) {
    stage.approvals[method] = () => new Promise<never>(() => {});
    const leaving = new AbortController();
    const call = stage.run(stage.asking({ agent: madeAgent({ signal: leaving.signal }) }));
    await turn();
    leaving.abort(new GatewayError('CANCELLED', 'The agent cancelled the request.'));
    await assert.rejects(call, withCode('CANCELLED'));
  }
});

test('an agent that leaves while its approval is taken does not use it up', async () => {
  await stage.refused(stage.asking(), 'APPROVAL_NEEDED', 'asked');
  await stage.owner('once');
  const leaving = new AbortController();
  const { approvals } = stage;
  const takePass = approvals.takePass.bind(approvals);
  approvals.takePass = (...wanted) => {
    const taking = takePass(...wanted);
    leaving.abort(new GatewayError('CANCELLED', 'The agent cancelled the request.'));
    return taking;
  };
  await assert.rejects(
    stage.run(stage.asking({ agent: madeAgent({ signal: leaving.signal }) })),
    withCode('CANCELLED'),
  );
  await turn();
  assert.equal(stage.sent.length, 0);
  await stage.run(stage.asking());
  await stage.refused(stage.asking(), 'APPROVAL_NEEDED', 'asked');
  assert.equal(stage.sent.length, 1);
});

test('a change during the approval decides: forbidden, gone, changed, withheld', async () => {
  const reasons = [{ code: 'wider-schema', where: 'inputSchema', sentence: 'It takes more.' }] as const;
  const changes: [Partial<Standing>, string, string?][] = [
    [{ permission: 'deny' }, 'TOOL_NOT_FOUND'],
    [{ identity: 'd2' }, 'APPROVAL_NEEDED', 'changed'],
    [
      { hold: { since: 1, reasons } as unknown as NonNullable<Standing['hold']> },
      'APPROVAL_NEEDED',
      'definition-changed',
    ],
  ];
  for (const [change, code, reason] of changes) {
    const person = new Person();
    const call = stage.refused(stage.asking({ agent: person.agent }), code, reason);
    await turn();
    const before = stage.standing;
    stage.standing = { ...stage.standing, ...change };
    person.says('Allow once');
    await call;
    stage.standing = before;
  }
  assert.equal(stage.sent.length, 0);
});

const params = { name: 'pay', arguments: { amount: 5 } };

test('where an agent sends nothing else, there is nothing', () => {
  const own = { requestState: 'state', inputResponses: { a: {} } };
  for (const more of [{}, own, { _meta: {} }, { _meta: undefined }])
    assert.equal(sentBeside({ ...params, ...more }), undefined);
});

test('members of one hop, or different for each request, do not count', () => {
  const _meta = {
    [metaKeys.protocolVersion]: '2026-07-28',
    [metaKeys.clientCapabilities]: { elicitation: {} },
    [metaKeys.clientInfo]: { name: 'editor' },
    [metaKeys.logLevel]: 'debug',
    progressToken: 7,
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    tracestate: 'vendor=1,other=2',
    'claudecode/toolUseId': 'toolu_01AbC',
    'vscode.conversationId': 'dc30885e-3edb-4744-8521-a8e63f890573',
    'vscode.requestId': 'bf766dd8-b330-4d1d-bac5-8bfa3f71b8dc',
  };
  assert.equal(sentBeside({ ...params, _meta }), undefined);
});

test('everything else does, whatever its name or form', () => {
  const metas: unknown[] = [
    { 'vendor/as-user': 'root' },
    { 'io.modelcontextprotocol/as-user': 'root' },
    { baggage: 'user=root' },
    { traceparent: 'as-user=root' },
    { traceparent: { as: 'root' } },
    { tracestate: 'x'.repeat(513) },
    { 'vscode.requestId': 'as root, please' },
    { 'claudecode/toolUseId': ['root'] },
    JSON.parse('{"__proto__":{"as":"root"}}'),
    'root',
    ['root'],
    null,
  ];
  for (const meta of metas) {
    const beside = sentBeside({ ...params, _meta: meta });
    assert.equal(JSON.stringify(beside), JSON.stringify({ _meta: meta }));
  }
  assert.deepEqual(sentBeside({ ...params, task: { ttl: 5 }, _meta: { progressToken: 1 } }), { task: { ttl: 5 } });
});
