/** The answer to an agent whose program failed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChainFailure } from '../sandbox/sandbox.ts';
import type { LayerName, Uses } from '../tools/tools.ts';
import type { ProgramCall } from './call-ledger.ts';
import { chainError, chainTrouble } from './chain-trouble.ts';
import type { ChainEnd, ChainRequest } from './run-chain.ts';

const request: ChainRequest = {
  code: 'x',
  timeoutMs: 1_000,
  maxOutputBytes: 20_000,
  reader: 'agent',
  allowed: { timeoutMs: 30_000, maxCalls: 100, memoryMb: 64 },
  notes: [],
};
const call: ProgramCall = { tool: 'a:b', ms: 3, ok: true, cached: false };
// No alternatives are looked for where no call failed.
const layers = {} as Uses<LayerName>;

function ended(parts: Partial<ChainEnd> = {}, logs: readonly string[] = []): ChainEnd {
  return { report: { logs, lostLogs: 0, notes: [] }, calls: [], kept: [], ...parts };
}

interface Told {
  readonly text: string;
  readonly data: Record<string, unknown> & { readonly recoverySteps: readonly string[] };
}

async function told(failure: ChainFailure, end = ended(), parts: Partial<ChainRequest> = {}): Promise<Told> {
  const result = await chainTrouble(layers, { ...request, ...parts }, end, failure);
  assert.equal(result.isError, true);
  const [block] = result.content as { text: string }[];
  return { text: block?.text ?? '', data: result.structuredContent as Told['data'] };
}

test('each way to end has its own kind of trouble and its own advice', async () => {
  const cases: readonly (readonly [ChainFailure['reason'], string, RegExp])[] = [
    ['syntax', 'ARGUMENTS_INVALID', /servers\.NAME\.TOOL/],
    ['thrown', 'TOOL_FAILED', /send the whole program again/],
    ['timeout', 'TIMEOUT', /Promise\.all.*keep\(value/s],
    ['memory', 'TOOL_FAILED', /pages/],
    ['stack', 'TOOL_FAILED', /recursion/],
    ['calls', 'TOOL_FAILED', /many items at once/],
    ['output', 'TOOL_FAILED', /Return only what you need/],
    ['crashed', 'TOOL_FAILED', /Do less at once/],
  ];
  for (const [reason, errorType, advice] of cases) {
    const { data, text } = await told({ reason, name: 'Error', message: 'It was so.', line: 2, excerpt: 'let x' });
    assert.equal(data.errorType, errorType, reason);
    assert.match(data.recoverySteps.join('\n'), advice);
    assert.match(text, /^The program .* at line 2: .*It was so\.\nRECOVERY: .*\nSTEPS:\n1\. /);
    assert.match(text, /\nLINE 2: let x$/);
    assert.deepEqual([data.line, data.excerpt, data.logs, data.calls], [2, 'let x', [], []]);
  }
});

test('trouble of a call that was not caught keeps its kind, and its advice is for programs', async () => {
  const failure: ChainFailure = {
    reason: 'thrown',
    name: 'ToolError',
    message: 'There is no tool "x".',
    code: 'TOOL_NOT_FOUND',
    hint: 'Did you mean "y"?',
  };
  const { text, data } = await told(failure, ended({ calls: [call] }));
  assert.equal(data.errorType, 'TOOL_NOT_FOUND');
  assert.equal(data.hint, 'Did you mean "y"?');
  assert.match(data.recoverySteps.join('\n'), /search\(.*listed as ok were made/s);
  assert.match(text, /\nHINT: Did you mean "y"\?\nCALLS: a:b ok, 3 ms$/);
});

test('reaching the number of calls is told as that: split the work, and who sets the limit', async () => {
  const message = 'A program may make at most 100 calls.';
  const failure: ChainFailure = { reason: 'calls', name: 'ToolError', message, code: 'RATE_LIMITED' };
  const { data, text } = await told(failure);
  assert.deepEqual([data.errorType, data.recoveryAction], ['TOOL_FAILED', 'Split the work']);
  assert.match(data.recoverySteps.join('\n'), /keep\(value.*owner.*chains\.maxCalls \(100\)/s);
  assert.doesNotMatch(text, /Try the same call again|HINT/);
  const byHand = chainError(failure, { ...request, reader: 'hand' }).hint ?? '';
  assert.match(byHand, /many items at once.*chains\.maxCalls \(100\) in the config/);
});

test('more time is named only where there is more, under the name that the reader gives it', async () => {
  const failure: ChainFailure = { reason: 'timeout', name: 'TimeoutError', message: 'Late.' };
  const less = await told(failure);
  assert.match(less.data.recoverySteps.join('\n'), /It had 1000 ms; timeoutMs may be up to 30000/);
  const most = await told(failure, ended(), { timeoutMs: 30_000 });
  assert.match(most.data.recoverySteps.join('\n'), /owner.*chains\.timeoutMs \(30000\)/);
  assert.doesNotMatch(most.text, /timeoutMs may|HINT/);
  const hint = (timeoutMs: number) => chainError(failure, { ...request, timeoutMs, reader: 'hand' }).hint ?? '';
  assert.match(hint(1_000), /--timeout may be up to 30000/);
  assert.match(hint(30_000), /limit is chains\.timeoutMs \(30000\)/);
});

test('a call that was given up may have had its effect, and notes are read as text too', async () => {
  const calls: ProgramCall[] = [{ ...call, ok: false, error: 'CANCELLED' }];
  const end = ended({ calls });
  const noted = { ...end, report: { ...end.report, notes: ['3 calls were never made.'] } };
  const { data, text } = await told({ reason: 'thrown', name: 'Error', message: 'No.' }, noted);
  assert.match(data.recoverySteps.join('\n'), /CANCELLED may have taken effect/);
  assert.match(text, /NOTES: 3 calls were never made\./);
});

test('wrong input of our own functions has no schema to be compared with', async () => {
  const failure: ChainFailure = { reason: 'thrown', name: 'ToolError', message: 'No.', code: 'ARGUMENTS_INVALID' };
  assert.doesNotMatch((await told(failure)).data.recoverySteps.join('\n'), /parameters|schema/);
  assert.match((await told({ ...failure, tool: 'a:b' })).data.recoverySteps.join('\n'), /parameters/);
});

test('addresses of kept values are told where there is room for them', async () => {
  const kept = Array.from({ length: 50 }, () => ({ uri: `toolcrib://result/${'x'.repeat(22)}`, bytes: 1 }));
  const { data } = await told({ reason: 'thrown', name: 'Error', message: 'No.' }, ended({ kept }));
  assert.deepEqual(data.kept, kept);
});

test('a result that was too large is read in pieces rather than asked for again', async () => {
  const { data } = await told({ reason: 'thrown', name: 'ToolError', message: 'Too large.', code: 'TOO_LARGE' });
  assert.match(data.recoverySteps.join('\n'), /load\(address/);
});

test('calls and kept values before the failure are listed, in words and as data', async () => {
  const kept = [{ name: 'rows', uri: 'toolcrib://result/x', bytes: 9 }];
  const calls: ProgramCall[] = [call, { tool: 'a:c', ms: 9, ok: false, cached: false, count: 3, error: 'TIMEOUT' }];
  const { text, data } = await told(
    { reason: 'timeout', name: 'T', message: 'Late.' },
    ended({ calls, kept }, ['one', 'two']),
  );
  assert.deepEqual([data.kept, data.calls, data.logs], [kept, calls, ['one', 'two']]);
  assert.match(
    text,
    /CALLS: a:b ok, 3 ms; a:c × 3 failed \(TIMEOUT\), 9 ms\nKEPT: rows toolcrib:\/\/result\/x\nLOGS:\none\ntwo$/,
  );
});

test('the answer stays within its limit for any output of a program', async () => {
  const long = 'long "words"\n'.repeat(20_000);
  const failure: ChainFailure = { reason: 'thrown', name: long, message: long, line: 7, excerpt: long, hint: long };
  const calls = Array.from(
    { length: 40 },
    (_, at): ProgramCall => ({ ...call, tool: `server-${at}:${'tool'.repeat(20)}` }),
  );
  const kept = Array.from({ length: 50 }, () => ({ uri: `toolcrib://result/${'x'.repeat(22)}`, bytes: 1 }));
  const logs = Array.from({ length: 500 }, (_, at) => `line ${at} "quoted"`);
  for (const maxOutputBytes of [3_000, 20_000]) {
    const { text, data } = await told(failure, ended({ calls, kept }, logs), { maxOutputBytes });
    assert.ok(Buffer.byteLength(JSON.stringify(data)) <= maxOutputBytes, `data: ${JSON.stringify(data).length}`);
    assert.ok(Buffer.byteLength(text) <= maxOutputBytes, `text: ${text.length} of ${maxOutputBytes}`);
  }
});
