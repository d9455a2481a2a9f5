/** The answer to a program: within its limit, with pictures beside it and large results stored. */

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import type { Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { silentLog } from '../base/log.ts';
import { limits } from '../config/config.ts';
import { parseResultUri, StoredResults } from '../results/results.ts';
import { chainKey, type ProgramCall } from './call-ledger.ts';
import { chainAnswer, showMedia } from './programs.ts';
import type { ChainEnd, ChainRequest } from './run-chain.ts';

function endedWith(result: unknown): ChainEnd {
  return { report: { resultJson: JSON.stringify(result), logs: [], lostLogs: 0, notes: [] }, calls: [], kept: [] };
}
const picture = { type: 'image', mimeType: 'image/png', data: 'iVBORw0=' };

test('pictures and sound are shown beside the result, which says where', () => {
  const sound = { type: 'audio', mimeType: 'audio/wav', data: 'UklGRg==' };
  const { end, blocks } = showMedia(endedWith({ title: 'x', content: [{ type: 'text', text: 'y' }, picture, sound] }));
  assert.deepEqual(blocks, [picture, sound]);
  const result = JSON.parse(end.report.resultJson ?? '');
  assert.deepEqual(result.content[1], { ...picture, data: 'shown beside this JSON, as number 1' });
  assert.match(result.content[2].data, /number 2/);
  assert.equal(result.content[0].text, 'y');
});

test('content that is no picture, or too large to show, stays where it is', () => {
  for (const result of [
    'a text',
    { data: 'x', mimeType: 'y' },
    { ...picture, data: 'x'.repeat(limits.shownMediaBytes + 1) },
    { ...picture, data: 5 },
  ]) {
    const given = endedWith(result);
    assert.deepEqual(showMedia(given), { end: given, blocks: [] });
  }
});

const agent: Principal = { id: 'agent', name: 'agent', scopes: new Set(['use']), mark: '' };
const allowed = { timeoutMs: 1_000, maxCalls: 100, memoryMb: 64 };
const request: ChainRequest = {
  code: 'x',
  timeoutMs: 1_000,
  maxOutputBytes: 4_000,
  reader: 'agent',
  allowed,
  notes: [],
};
const call: ProgramCall = { tool: 'a:b', ms: 3, ok: true, cached: false };

async function resultsFor(t: TestContext): Promise<StoredResults> {
  const folder = await mkdtemp(join(tmpdir(), 'answer-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const settings = () => ({ maxResultBytes: 20_000, resultTtlMinutes: 60, resultStoreBytes: 100_000_000 });
  return new StoredResults({ folder, clock: new ManualClock(), log: silentLog, settings });
}

function ended(result: unknown, parts: Partial<ChainEnd> = {}, logs: readonly string[] = [], lostLogs = 0): ChainEnd {
  const resultJson = result === undefined ? {} : { resultJson: JSON.stringify(result) };
  return { report: { ...resultJson, logs, lostLogs, notes: [] }, calls: [], kept: [], ...parts };
}

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test('a small answer holds the result, the logs and the calls, and nothing else', async (t) => {
  const answer = await chainAnswer(await resultsFor(t), agent, request, ended({ a: 1 }, { calls: [call] }, ['hello']));
  assert.equal(
    JSON.stringify(answer),
    '{"result":{"a":1},"logs":["hello"],"calls":[{"tool":"a:b","ms":3,"ok":true,"cached":false}],"truncated":false}',
  );
});

test('notes and kept values are said where there are any', async (t) => {
  const kept = [{ name: 'rows', uri: 'toolcrib://result/x', bytes: 9 }];
  const end = ended(undefined, { kept });
  const noted = { ...end, report: { ...end.report, notes: ['Read as TypeScript.'] } };
  const answer = await chainAnswer(await resultsFor(t), agent, { ...request, notes: ['timeoutMs is 5.'] }, noted);
  assert.deepEqual(answer.notes, ['timeoutMs is 5.', 'Read as TypeScript.']);
  assert.deepEqual(answer.kept, kept);
  assert.equal(answer.result, null);
  assert.equal(answer.hint, undefined);
});

test('a result that is too large is kept, and the answer says what it is and how it begins', async (t) => {
  const results = await resultsFor(t);
  const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, name: `row ${id}` }));
  for (const [value, outline] of [
    [{ total: 2_000, rows }, /2000 rows at \$\.rows; keys: total, rows/],
    [rows, /2000 rows/],
    ['a line of text\n'.repeat(5_000), /text, .*5000 lines/],
  ] as const) {
    const answer = await chainAnswer(results, agent, request, ended(value, { calls: [call] }, ['hello']));
    assert.ok(sizeOf(answer) <= request.maxOutputBytes, String(sizeOf(answer)));
    assert.equal(answer.truncated, true);
    const shown = answer.result as { kept: string; bytes: number; outline: string; preview: string; read: string };
    assert.match(shown.read, /await load\("toolcrib:\/\/result\/.*tool_execute \{"toolKey":"toolcrib:read_result"/);
    assert.match(shown.outline, outline);
    assert.match(shown.preview, /row 0|a line of text/);
    const id = parseResultUri(shown.kept)?.id ?? '';
    const options = { maxBytes: 1_000_000, verbatimOf: chainKey };
    assert.deepEqual(JSON.parse(await results.load(id, 'agent', {}, options)), value);
  }
});

test('the answer of a program is within the limit for any result and output', async (t) => {
  const results = await resultsFor(t);
  const long = (count: number, text: string) => Array.from({ length: count }, (_, at) => `${at} ${text}`);
  const calls = Array.from(
    { length: 40 },
    (_, at): ProgramCall => ({ ...call, tool: `server-${at}:${'long'.repeat(20)}` }),
  );
  for (const maxOutputBytes of [2_000, 5_000, 20_000])
    for (const result of [1, 'é"\u0001'.repeat(10_000), long(3_000, 'row'), { ['key'.repeat(5_000)]: 1 }])
      for (const logs of [[], ['x'.repeat(8_000)], long(400, 'logged "so"\n')]) {
        const kept = long(50, 'value').map((name) => ({ name, uri: `toolcrib://result/${'x'.repeat(22)}`, bytes: 1 }));
        const end = ended(result, { calls, kept }, logs, logs.length);
        const noted = { ...end, report: { ...end.report, notes: long(30, 'a note of the program') } };
        const answer = await chainAnswer(results, agent, { ...request, maxOutputBytes }, noted);
        assert.ok(
          sizeOf(answer) <= maxOutputBytes,
          `${sizeOf(answer)} of ${maxOutputBytes}: ${JSON.stringify(answer)}`,
        );
      }
});

test('logs make room for the result, and the result for some of the logs', async (t) => {
  const logs = Array.from({ length: 200 }, (_, at) => `line ${at}`);
  const answer = await chainAnswer(await resultsFor(t), agent, request, ended('x'.repeat(3_000), {}, logs));
  assert.equal(answer.result, 'x'.repeat(3_000));
  // The log says itself that it was cut; the result was not.
  assert.equal(answer.truncated, false);
  assert.match((answer.logs as string[]).join('\n'), /^line 0\n.*… \d+ lines left out …\n.*line 199$/s);
});

test('unused room of some parts goes to the others: addresses that are left out are lost', async (t) => {
  const kept = Array.from({ length: 50 }, (_, at) => ({
    name: `v${at}`,
    uri: `toolcrib://result/${'x'.repeat(22)}`,
    bytes: 1,
  }));
  const answer = await chainAnswer(
    await resultsFor(t),
    agent,
    { ...request, maxOutputBytes: 8_000 },
    ended(1, { kept }),
  );
  assert.deepEqual(answer.kept, kept);
});

test('a result that cannot be kept still shows how it begins', async () => {
  const keep = () => Promise.reject(new GatewayError('STORE_BROKEN', 'The disk is full.'));
  const answer = await chainAnswer({ keep }, agent, request, ended('word '.repeat(5_000)));
  const shown = answer.result as Record<string, unknown>;
  assert.equal(shown.unkept, 'The disk is full.');
  assert.match(String(shown.preview), /^word word/);
  assert.ok(sizeOf(answer) <= request.maxOutputBytes);
});
