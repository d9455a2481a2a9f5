/** What an agent reads of a program that failed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChainFailure } from '../../sandbox/sandbox.ts';
import type { EndpointContext } from '../endpoint.ts';
import type { CallRow } from './call-ledger.ts';
import { chainTrouble } from './chain-trouble.ts';
import type { ChainEnd } from './run-chain.ts';

const wish = { code: 'x', timeoutMs: 1_000, maxOutputBytes: 20_000, notes: [] };
const call: CallRow = { tool: 'a:b', ms: 3, ok: true, cached: false };
// No alternatives are looked for where no call failed.
const context = {} as EndpointContext;

function ended(parts: Partial<ChainEnd> = {}, logs: readonly string[] = []): ChainEnd {
  return { report: { logs, lostLogs: 0, notes: [] }, calls: [], kept: [], ...parts };
}

interface Told {
  readonly text: string;
  readonly data: Record<string, unknown> & { readonly recoverySteps: readonly string[] };
}

async function told(failure: ChainFailure, end = ended(), maxOutputBytes = 20_000): Promise<Told> {
  const result = await chainTrouble(context, { ...wish, maxOutputBytes }, end, failure);
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

test('a result that was too large is read in pieces rather than asked for again', async () => {
  const { data } = await told({ reason: 'thrown', name: 'ToolError', message: 'Too large.', code: 'TOO_LARGE' });
  assert.match(data.recoverySteps.join('\n'), /load\(address/);
});

test('what was done and kept before is told, in words and as data', async () => {
  const kept = [{ name: 'rows', uri: 'toolcrib://result/x', bytes: 9 }];
  const calls: CallRow[] = [call, { tool: 'a:c', ms: 9, ok: false, cached: false, count: 3, error: 'TIMEOUT' }];
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

test('whatever a program says, the answer stays within its limit', async () => {
  const long = 'long "words"\n'.repeat(20_000);
  const failure: ChainFailure = { reason: 'thrown', name: long, message: long, line: 7, excerpt: long, hint: long };
  const calls = Array.from(
    { length: 40 },
    (_, at): CallRow => ({ ...call, tool: `server-${at}:${'tool'.repeat(20)}` }),
  );
  const kept = Array.from({ length: 50 }, () => ({ uri: `toolcrib://result/${'x'.repeat(22)}`, bytes: 1 }));
  const logs = Array.from({ length: 500 }, (_, at) => `line ${at} "quoted"`);
  for (const maxOutputBytes of [3_000, 20_000]) {
    const { text, data } = await told(failure, ended({ calls, kept }, logs), maxOutputBytes);
    assert.ok(Buffer.byteLength(JSON.stringify(data)) <= maxOutputBytes, `data: ${JSON.stringify(data).length}`);
    assert.ok(Buffer.byteLength(text) <= maxOutputBytes, `text: ${text.length} of ${maxOutputBytes}`);
  }
});
