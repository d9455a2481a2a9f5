/** Tests of how calls end: what blames the tool, what praises it, and the last calls of a session. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { type ErrorCode, errorCodes, GatewayError } from '../base/errors.ts';
import { type Result, RpcError } from '../protocol/messages.ts';
import { outcomeOf, Trail } from './measure-call.ts';

const outcomeOfResult = (result: Result) => outcomeOf({ result })?.verdict;
const outcomeOfError = (error: unknown) => outcomeOf({ error })?.verdict;
const saying = (text: string) => ({ isError: true, content: [{ type: 'text', text }] });

test('a result is good, one that reports an error is bad', () => {
  assert.equal(outcomeOfResult({ content: [] }), 'good');
  assert.equal(outcomeOfResult({ content: [], isError: false, resultType: 'complete' }), 'good');
  assert.equal(outcomeOfResult(saying('The database is down.')), 'bad');
  assert.equal(outcomeOfResult({ isError: true }), 'bad');
  assert.equal(outcomeOfResult({ isError: true, content: [null, { type: 'image' }, 'text'] }), 'bad');
});

test('a result that refuses the arguments does not blame the tool, however an SDK words it', () => {
  const refusals = [
    'MCP error -32602: Input validation error: Invalid arguments for tool add',
    "Input validation error: 'path' is a required property",
    'Error executing tool fetch: 1 validation error for fetchArguments\nurl\n  Field required',
  ];
  for (const text of refusals) assert.equal(outcomeOfResult(saying(text)), null, text);
});

test('a call that waits for its agent has not ended', () => {
  assert.equal(outcomeOf({ result: { resultType: 'input_required', inputRequests: {} } }), undefined);
});

test('trouble as a result says the same as the trouble itself', () => {
  for (const code of errorCodes) {
    const result = { ...saying('Trouble.'), structuredContent: { errorType: code } };
    assert.equal(outcomeOfResult(result), outcomeOfError(new GatewayError(code, 'Trouble.')), code);
  }
  assert.equal(outcomeOfResult({ ...saying('No.'), structuredContent: { errorType: 'E_OWN' } }), 'bad');
});

test('only failures of the tool and its server blame the tool', () => {
  const blamed = errorCodes.filter((code) => outcomeOfError(new GatewayError(code, 'Trouble.')) === 'bad');
  const expected: ErrorCode[] = ['SERVER_DISCONNECTED', 'SERVER_NOT_RUNNING', 'TIMEOUT', 'TOOL_FAILED'];
  assert.deepEqual(blamed.sort(), expected);
  for (const code of errorCodes) assert.notEqual(outcomeOfError(new GatewayError(code, 'Trouble.')), 'good', code);
});

test('a server is not blamed for a call that never had a turn, nor for our credential', () => {
  const because = (code: ErrorCode, reason: string) => new GatewayError(code, 'Trouble.', { data: { reason } });
  assert.equal(outcomeOfError(because('TIMEOUT', 'queue-timeout')), null);
  assert.equal(outcomeOfError(because('SERVER_NOT_RUNNING', 'credential')), null);
  assert.equal(outcomeOfError(because('TIMEOUT', 'connect-timeout')), 'bad');
});

test('protocol errors blame the tool, except for wrong arguments and an agent that lacks something', () => {
  assert.equal(outcomeOfError(new RpcError(-32603, 'It broke.')), 'bad');
  assert.equal(outcomeOfError(new RpcError(-32602, 'Bad arguments.')), null);
  assert.equal(outcomeOfError(new RpcError(-32021, 'Needs sampling.')), null);
  assert.equal(outcomeOfError(new RpcError(-32601, 'Cannot ask.', { reason: 'agent-capability' })), null);
  const named = (cause: RpcError) => new GatewayError('TOOL_FAILED', 'Tool "a:b" failed.', { cause });
  assert.equal(outcomeOfError(named(new RpcError(-32602, 'Bad arguments.'))), null);
  assert.equal(outcomeOfError(named(new RpcError(-32000, 'It broke.'))), 'bad');
});

test('an abort or a bug says nothing about the tool', () => {
  for (const thrown of [new Error('A bug.'), new DOMException('Stopped.', 'AbortError'), undefined, 'text'])
    assert.equal(outcomeOfError(thrown), null);
});

test('every kind of trouble has its kind of outcome', () => {
  const kindOf = (code: ErrorCode, reason?: string) =>
    outcomeOf({ error: new GatewayError(code, 'Trouble.', { data: { reason } }) })?.kind;
  const kinds = Map.groupBy(errorCodes, (code) => kindOf(code));
  assert.deepEqual(kinds.get('arguments'), ['ARGUMENTS_INVALID']);
  assert.deepEqual(kinds.get('server'), ['SERVER_DISCONNECTED', 'SERVER_NOT_RUNNING', 'CIRCUIT_OPEN']);
  assert.deepEqual(kinds.get('timeout'), ['TIMEOUT']);
  assert.deepEqual(kinds.get('tool'), ['TOOL_FAILED', 'TOO_LARGE']);
  assert.deepEqual(kinds.get('cancelled'), ['CANCELLED']);
  assert.ok(kinds.get('refused')?.includes('ACCESS_DENIED'));
  assert.equal(kindOf('TIMEOUT', 'queue-timeout'), 'refused');
  assert.equal(kindOf('TIMEOUT', 'agent-silent'), 'cancelled');
  assert.equal(kindOf('RATE_LIMITED', 'busy'), 'server');
});

test('a recorded message is one short line without secrets', () => {
  const error = new GatewayError('TOOL_FAILED', `token=abcdefgh12345678 ${'x'.repeat(500)}\nsecond line`);
  const message = outcomeOf({ error })?.message ?? '';
  assert.ok(message.length <= 200 && !message.includes('abcdefgh') && !message.includes('\n'), message);
});

test('the recorded message of a failure hides arguments of the call, also one that the cut would split', () => {
  const canary = 'canary-argument-7f3a';
  const text = `${'x'.repeat(180)} ${canary} was refused`;
  const given = { value: canary };
  const kept = [
    outcomeOf({ result: { isError: true, content: [{ type: 'text', text }] } }, given),
    outcomeOf({ error: new RpcError(-32_602, text) }, given),
  ];
  for (const outcome of kept) {
    assert.match(outcome?.message ?? '', /^x+ \*\*\*/);
    assert.ok(!outcome?.message?.includes('canary'));
  }
});

test('a message of megabytes with hostile arguments takes no time', () => {
  const given = Array.from({ length: 20_000 }, (_, index) => `value number ${index} ${'7f3a'.repeat(20)}`);
  const text = 'eyJaaaaaaaa-'.repeat(1_000_000);
  const before = process.cpuUsage();
  assert.ok((outcomeOf({ error: new RpcError(-32_000, text) }, { given })?.message?.length ?? 0) <= 200);
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 1_000_000, `${user + system} µs`);
});

test('the tool that worked last is remembered for each session, for a while', async () => {
  const clock = new ManualClock();
  const trail = new Trail(clock);
  assert.equal(trail.before('s1'), null);
  trail.worked('s1', 'a:one');
  trail.worked('s2', 'b:two');
  trail.worked('s1', 'a:three');
  assert.equal(trail.before('s1'), 'a:three');
  assert.equal(trail.before('s2'), 'b:two');
  await clock.advance(31 * 60_000);
  assert.equal(trail.before('s1'), null);
});

test('a suggestion is taken once, and only by the session that got it', () => {
  const trail = new Trail(new ManualClock());
  trail.suggested('s1', 'a:broken', ['b:fine', 'c:fine']);
  assert.equal(trail.takeSuggestion('s2', 'b:fine'), null);
  assert.equal(trail.takeSuggestion('s1', 'b:fine'), 'a:broken');
  assert.equal(trail.takeSuggestion('s1', 'b:fine'), null);
  trail.suggested('s1', 'd:broken', ['c:fine']);
  assert.equal(trail.takeSuggestion('s1', 'c:fine'), 'd:broken');
  assert.equal(trail.before('s1'), null);
});

test('suggestions do not make it forget what worked, nor the other way round', () => {
  const trail = new Trail(new ManualClock());
  trail.worked('s', 'a:one');
  trail.suggested('s', 'a:broken', ['b:fine']);
  trail.worked('s', 'a:two');
  assert.equal(trail.before('s'), 'a:two');
  assert.equal(trail.takeSuggestion('s', 'b:fine'), 'a:broken');
});

test('a session remembers its newest 50 suggestions', () => {
  const trail = new Trail(new ManualClock());
  const keys = Array.from({ length: 51 }, (_, at) => `exa:tool_${at}`);
  trail.suggested('s', 'files:read', keys);
  const taken = [keys[0], keys[1], keys[50]].map((key) => trail.takeSuggestion('s', key ?? ''));
  assert.deepEqual(taken, [null, 'files:read', 'files:read']);
});

test('the oldest sessions are forgotten when there are very many', () => {
  const trail = new Trail(new ManualClock());
  for (let at = 0; at < 2_500; at += 1) trail.worked(`s${at}`, 'a:one');
  assert.equal(trail.before('s0'), null);
  assert.equal(trail.before('s2499'), 'a:one');
});
