/** Which operations stand in the audit, and what of their input does. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeAgent } from '../../test/kit/made-call.ts';
import { everybody } from '../access/access.ts';
import type { AuditEvent } from '../audit/audit.ts';
import { GatewayError } from '../base/errors.ts';
import { operations } from './admin.ts';
import { auditOperation, type OperationCall } from './audit-operation.ts';
import type { AdminContext, OperationAudit } from './operation.ts';

/** Operations that only ask for what the owner may know. A new one that is not among them is written down. */
const questions: readonly string[] = [
  'agents.list',
  'approvals.lasting',
  'approvals.list',
  'audit.export',
  'audit.list',
  'browsers.list',
  'changes.list',
  'changes.shown',
  'gateway.doctor',
  'gateway.replicas',
  'gateway.signInLinkState',
  'gateway.status',
  'gateway.surfaces',
  'live.snapshot',
  'metrics.days',
  'metrics.series',
  'metrics.servers',
  'metrics.tools',
  'optimize.confusions',
  'optimize.jobs',
  'optimize.results',
  'projects.list',
  'recording.read',
  'recording.status',
  'search.status',
  'secrets.list',
  'servers.compare',
  'servers.list',
  'servers.output',
  'servers.show',
  'servers.signInEnd',
  'servers.signIns',
  'servers.stay',
  'tokens.list',
  'tools.embed',
  'tools.names',
  'tools.survey',
  'tools.why',
  'usage.overview',
];

test('every operation is written down but these, which change nothing', () => {
  const silent = Object.entries(operations).flatMap(([name, operation]) => (operation.audit === 'none' ? [name] : []));
  assert.deepEqual(silent.sort(), questions);
  for (const name of ['servers.add', 'servers.remove', 'servers.enable', 'servers.disable', 'metrics.reset'] as const)
    assert.equal(auditOf(name), 'administration', name);
});

function auditOf(name: keyof typeof operations): OperationAudit {
  return operations[name].audit ?? 'administration';
}

function stage(isRecorded = false) {
  const told: AuditEvent[] = [];
  const context = {
    audit: { record: async (event: AuditEvent) => void told.push(event) },
    clock: { elapsed: () => 0 },
  } as unknown as AdminContext;
  const run = (call: Partial<OperationCall>, answer: () => Promise<unknown> = async () => ({})) => {
    const agent = madeAgent();
    agent.trace.isRecorded = isRecorded;
    const usual = { name: 'servers.add', audit: 'administration', input: {}, principal: everybody, agent };
    return auditOperation(context, { ...(usual as OperationCall), ...call }, answer);
  };
  return { told, run };
}

test('an order is written down with names and switches, and nothing that may hold a secret', async () => {
  const { told, run } = stage();
  const input = {
    name: 'files',
    force: true,
    scopes: ['use'],
    args: ['--key', 'SECRET-1'],
    spec: { env: { PLAIN: 'SECRET-2' }, headers: { x: 'SECRET-3' } },
    url: 'https://user:SECRET-4@host/cb?code=SECRET-5',
    code: 'SECRET-6',
    password: 'SECRET-7',
  };
  await run({ input });
  const [event] = told;
  assert.deepEqual(
    [event?.kind, event?.action, event?.server, event?.outcome],
    ['administration', 'servers.add', 'files', 'ok'],
  );
  assert.ok(!JSON.stringify(event?.detail).includes('SECRET'), JSON.stringify(event?.detail));
  assert.deepEqual(
    { ...(event?.detail?.input as object) },
    {
      name: 'files',
      force: true,
      scopes: ['use'],
      args: '[…]',
      spec: ['env', 'headers'],
      url: 'https://host/…',
      code: '…',
      password: '…',
    },
  );
});

test('an order that fails is written down as that, and fails all the same', async () => {
  const { told, run } = stage();
  const failure = new GatewayError('NAME_TAKEN', 'There is one.');
  await assert.rejects(
    run({}, () => Promise.reject(failure)),
    failure,
  );
  assert.deepEqual([told[0]?.outcome, told[0]?.errorType], ['refused', 'NAME_TAKEN']);
});

test('a question is not written down', async () => {
  const { told, run } = stage();
  await run({ name: 'servers.list', audit: 'none' });
  assert.deepEqual(told, []);
});

test('a search is written down with how much was found', async () => {
  const { told, run } = stage();
  await run({ name: 'tools.search', audit: 'discovery', input: { query: ['x'] } }, async () => ({ tools: [1, 2] }));
  assert.deepEqual([told[0]?.arguments, told[0]?.detail], [{ query: ['x'] }, { count: 2 }]);
});

test('a call is written down here only where it came to none', async () => {
  const input = { toolKey: 's:t', arguments: { a: 1 } };
  for (const isRecorded of [true, false]) {
    const { told, run } = stage(isRecorded);
    await run({ name: 'tools.call', audit: 'execution', input });
    assert.deepEqual(
      told.map(({ tool, arguments: given }) => [tool, given]),
      isRecorded ? [] : [['s:t', { a: 1 }]],
    );
  }
});

test('arguments that were typed are written down by their names', async () => {
  const { told, run } = stage();
  const pairs = ['path=a=b', 'password=x', 'loose'];
  await run({ name: 'tools.call', audit: 'execution', input: { toolKey: 's:t', pairs } });
  assert.deepEqual(told[0]?.arguments, { path: 'a=b', password: 'x', loose: 'loose' });
});
