/** Help for failed calls: what is added, for whom, and when not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeCall, saying } from '../../test/kit/made-call.ts';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { GatewayError } from '../base/errors.ts';
import { createLog } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import { type Result, RpcError, rpcCodes } from '../protocol/messages.ts';
import type { Advisor, AlternativeTool, Call, CallEnd } from './call.ts';
import { CallHelp } from './help-call.ts';
import { outcomeOf, Trail } from './measure-call.ts';

const other: AlternativeTool = {
  server: 'exa',
  tool: 'search',
  toolKey: 'exa:search',
  similarity: 0.9,
  successRate: 0.98,
  reason: 'Same purpose; 98 % of 41 calls succeeded.',
  arguments: { path: 'a' },
  missing: [],
};

interface Setup {
  readonly alternatives?: readonly AlternativeTool[];
  readonly autoRetryFallback?: boolean;
  readonly maxFallbacks?: number;
  readonly retried?: () => Promise<Result>;
}

function openSetup({ alternatives = [other], autoRetryFallback = false, maxFallbacks = 3, retried }: Setup = {}) {
  const trail = new Trail(new ManualClock());
  const asked: Call[] = [];
  const executed: Call[] = [];
  const advisor: Advisor = {
    nameOf: (key) => key,
    alternatives: async (call) => {
      asked.push(call);
      return alternatives;
    },
    retry: (call) => ({ ...call, key: 'exa:search', server: 'exa', tool: 'search' }),
  };
  const help = new CallHelp({
    config: () => ({ calls: { autoRetryFallback, maxFallbacks } }) as Config,
    trail,
    log: createLog({ level: 'error', format: 'json', write: () => {}, now: () => 0 }),
    execute: (call) => {
      executed.push(call);
      return retried?.() ?? Promise.resolve(saying('from exa'));
    },
  });
  const run = async (ended: CallEnd, parts: Partial<Call> = {}) => {
    const outcome = outcomeOf(ended);
    assert.ok(outcome);
    return help.help(madeCall({ advisor, ...parts }), ended, outcome);
  };
  return { run, trail, asked, executed };
}

function resultOf(ended: CallEnd): Result {
  assert.ok('result' in ended);
  return ended.result;
}

function textsOf(ended: CallEnd): string[] {
  return (resultOf(ended).content as { text: string }[]).map(({ text }) => text);
}

const timeout = () => ({ error: new GatewayError('TIMEOUT', 'Server "files" did not answer.') });

test('a healthy result is the same object', async () => {
  const { run, asked } = openSetup();
  const result = saying('fine', { unknown: 1 });
  assert.equal(resultOf(await run({ result })), result);
  assert.equal(asked.length, 0);
});

test('trouble comes with steps, among them other tools, as text and as data', async () => {
  const { run, trail } = openSetup();
  const ended = await run(timeout());
  const [text = ''] = textsOf(ended);
  assert.match(
    text,
    /^Server "files" did not answer\.\nRECOVERY: .+\nSTEPS:\n1\. .+\n2\. .+\n3\. Or call "exa:search": Same purpose/,
  );
  const data = resultOf(ended).structuredContent as Record<string, unknown>;
  assert.equal(data.errorType, 'TIMEOUT');
  assert.deepEqual(data.fallbackSuggestions, [other]);
  assert.equal(resultOf(ended).isError, true);
  assert.equal(trail.takeSuggestion('session-1', 'exa:search'), 'files:read');
});

test('the text of the tool stays first and as it is; alternatives follow in a block of our own', async () => {
  const { run } = openSetup();
  const said = saying('The disk is full.', { isError: true, structuredContent: { own: true } });
  const ended = await run({ result: said });
  const result = resultOf(ended);
  assert.deepEqual((result.content as unknown[])[0], said.content && (said.content as unknown[])[0]);
  assert.match(textsOf(ended)[1] ?? '', /exa:search/);
  assert.deepEqual(result.structuredContent, { own: true });
  assert.deepEqual((result._meta as Record<string, unknown>)['toolcrib/fallback'], { fallbackSuggestions: [other] });
});

test('a refusal by a tool is not worked around', async () => {
  const { run, asked } = openSetup({ autoRetryFallback: true });
  for (const text of [
    'Access denied - path outside allowed directories',
    'HTTP 403 Forbidden',
    'You are not authorized.',
  ]) {
    const [own, steps = ''] = textsOf(await run({ result: saying(text, { isError: true }) }));
    assert.equal(own, text);
    assert.match(steps, /\nSTEPS:\n1\. .+\n2\. .+Do not try to work around it\.$/);
  }
  assert.equal(asked.length, 0);
});

test('an error of a tool has steps wherever agents are promised them, and stays as it is elsewhere', async () => {
  const { run } = openSetup({ alternatives: [] });
  const said = saying('No.', { isError: true });
  for (const reader of ['search', 'code'] as const) {
    for (const way of ['execute', 'direct'] as const) {
      const [own, steps = ''] = textsOf(await run({ result: said }, { reader, way }));
      assert.equal(own, 'No.');
      assert.match(steps, /^The tool failed\.\nRECOVERY: .+\nSTEPS:\n1\. .+\n2\. .*tool_discovery/);
    }
  }
  assert.equal(resultOf(await run({ result: said }))._meta, undefined, 'nothing is suggested without another tool');
  for (const way of ['direct', 'server'] as const)
    assert.equal(resultOf(await run({ result: said }, { reader: way, way })), said);
  for (const way of ['api', 'chain', 'plain'] as const)
    assert.equal(resultOf(await run({ result: said }, { reader: 'code', way })), said, way);
});

test('the steps of a gateway behind this one are not repeated', async () => {
  const { run } = openSetup({ alternatives: [] });
  const structuredContent = { errorType: 'TOOL_NOT_FOUND', recoverySteps: ['Find it again.'] };
  const said = saying('No.\nSTEPS:\n1. Find it again.', { isError: true, structuredContent });
  assert.equal(resultOf(await run({ result: said })), said);
});

test('a tool that refuses the arguments by way of a result gets the advice for arguments', async () => {
  const { run } = openSetup();
  const [, steps = ''] = textsOf(await run({ result: saying('Input validation error: path', { isError: true }) }));
  assert.match(steps, /RECOVERY: Correct the arguments and call again\nSTEPS:\n/);
});

test('mistakes of the caller, refusals and cancelling are no reason for another tool', async () => {
  const { run, asked } = openSetup();
  for (const code of ['ARGUMENTS_INVALID', 'APPROVAL_NEEDED', 'RATE_LIMITED'] as const)
    await run({ error: new GatewayError(code, 'Trouble.') });
  const cancelled = { error: new GatewayError('CANCELLED', 'Left.') };
  assert.equal(await run(cancelled), cancelled);
  await run({ result: saying('MCP error -32602: Input validation error', { isError: true }) });
  assert.equal(asked.length, 0);
});

test('an empty answer of a tool that reads, and one that breaks its promise, are told with other tools', async () => {
  const { run } = openSetup();
  const empty = await run({ result: { content: [{ type: 'text', text: ' \n' }] } });
  assert.match(textsOf(empty)[1] ?? '', /^The answer is empty\.\n/);
  assert.notEqual(resultOf(empty).isError, true);
  const annotations = { readOnlyHint: true };
  const promising = { definition: { name: 'read', annotations, outputSchema: { type: 'object' } } };
  const broken = await run({ result: saying('text only') }, promising);
  assert.match(textsOf(broken)[1] ?? '', /lacks the structured content/);
  const counting = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
  const wrong = saying('3', { structuredContent: { count: 'three' } });
  const told = await run({ result: wrong }, { definition: { name: 'count', annotations, outputSchema: counting } });
  assert.match(textsOf(told)[1] ?? '', /^The answer is not what the tool promises: count: must be an integer/);
  assert.deepEqual(resultOf(told).structuredContent, { count: 'three' });
});

test('a tool that changes something may answer nothing', async () => {
  const { run, asked } = openSetup();
  const result = { content: [] };
  assert.equal(resultOf(await run({ result }, { definition: { name: 'write' } })), result);
  const promising = { name: 'write', outputSchema: { type: 'object', required: ['id'] } };
  assert.equal(resultOf(await run({ result }, { definition: promising })), result);
  assert.equal(asked.length, 0);
});

test('protocol errors get a name where steps are promised, and stay what they are on direct doors', async () => {
  const { run } = openSetup();
  const error = new RpcError(-32603, 'It broke.');
  for (const way of ['execute', 'direct'] as const) {
    const named = resultOf(await run({ error }, { way }));
    assert.equal((named.structuredContent as Record<string, unknown>).errorType, 'TOOL_FAILED');
  }
  for (const way of ['direct', 'server'] as const)
    assert.deepEqual(await run({ error }, { way, reader: way }), { error });
});

test('without an advisor, or where the owner wants none, nobody is asked', async () => {
  const none = openSetup({ maxFallbacks: 0 });
  await none.run(timeout());
  assert.equal(none.asked.length, 0);
  const { run } = openSetup();
  const data = resultOf(await run(timeout(), { advisor: null })).structuredContent as Record<string, unknown>;
  assert.equal(data.fallbackSuggestions, undefined);
});

test('programs get trouble as an error that carries the other tools', async () => {
  const { run } = openSetup();
  const ended = await run(timeout(), { way: 'api' });
  assert.ok('error' in ended && ended.error instanceof GatewayError);
  assert.equal(ended.error.code, 'TIMEOUT');
  assert.deepEqual(ended.error.data?.fallbackSuggestions, [other]);
});

test('programs get trouble unchanged if there is no other tool', async () => {
  const ended = timeout();
  const told = await openSetup({ alternatives: [] }).run(ended, { way: 'api' });
  assert.ok('error' in told);
  assert.equal(told.error, ended.error);
});

test('an alternative is called by itself only where the owner allows it; both outcomes are told', async () => {
  const off = openSetup();
  await off.run(timeout());
  assert.equal(off.executed.length, 0);
  const { run, executed } = openSetup({ autoRetryFallback: true });
  const ended = await run(timeout());
  assert.deepEqual(textsOf(ended).slice(1), ['from exa']);
  assert.match(textsOf(ended)[0] ?? '', /"files:read" failed: .+ "exa:search" was called instead/);
  assert.deepEqual((resultOf(ended)._meta as Record<string, unknown>)['toolcrib/fallback'], {
    failed: { toolKey: 'files:read', errorType: 'TIMEOUT', message: 'Server "files" did not answer.' },
    tried: { toolKey: 'exa:search', isOk: true },
  });
  assert.equal(executed[0]?.advisor, null);
});

test('an alternative that fails as well leaves the first failure, and says that it was tried', async () => {
  const retried = async () => saying('Down too.', { isError: true });
  const { run } = openSetup({ autoRetryFallback: true, retried });
  const ended = await run(timeout());
  const data = resultOf(ended).structuredContent as Record<string, unknown>;
  assert.equal(data.errorType, 'TIMEOUT');
  assert.match(textsOf(ended)[0] ?? '', /"exa:search" was tried instead and failed: Down too\./);
  assert.deepEqual(data.fallbackSuggestions, undefined);
});

test('a refusal of the arguments shows the new signature on every door, where the tool changed lately', async () => {
  const { run } = openSetup();
  const inputSchema = { type: 'object', properties: { path: { type: 'string' }, limit: { type: 'integer' } } };
  const call = { way: 'direct', reader: 'direct', definition: { name: 'read', inputSchema } } as const;
  const said = /The tool changed recently; it now takes: path\?, limit\?: integer/;
  const refusals: CallEnd[] = [
    { error: new RpcError(rpcCodes.invalidParams, 'limit is missing') },
    { result: saying('Input validation error: limit is missing', { isError: true }) },
  ];
  for (const refusal of refusals) {
    assert.match(textsOf(await run(refusal, { ...call, isRenewed: true })).at(-1) ?? '', said);
    assert.deepEqual(await run(refusal, call), refusal);
  }
});
