/** Tests of events with anything in them: they become records that are short, whole and without secrets. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../base/json.ts';
import { knownSecrets } from '../base/redact.ts';
import type { AuditEvent } from './audit-event.ts';
import { keepJson, mostArgumentCharacters, mostDetailCharacters, mostNameCharacters, tidyEvent } from './tidy-event.ts';

const principal = { id: 'token:7', name: 'ci' };
const event: AuditEvent = { kind: 'execution', action: 'tools.call', principal, outcome: 'ok' };
const tidy = (more: Partial<AuditEvent>, keepsArguments = false) =>
  tidyEvent({ ...event, ...more }, { now: 1_000, keepsArguments });

test('missing members are null, and names stay as they are', () => {
  assert.deepEqual(tidy({ server: 's', tool: 'get_token', ms: 1.5 }), {
    at: 1_000,
    kind: 'execution',
    action: 'tools.call',
    principal: 'token:7',
    principalName: 'ci',
    client: null,
    ...{ requestId: null, rpcId: null, trace: null, project: null },
    session: null,
    server: 's',
    tool: 'get_token',
    outcome: 'ok',
    errorType: null,
    ms: 1.5,
    argumentsHash: null,
    arguments: null,
    detail: null,
  });
});

test('every text is cut, never in the middle of a character', () => {
  const long = `${'x'.repeat(mostNameCharacters - 2)}😀${'y'.repeat(1_000_000)}`;
  const record = tidy({ action: long, tool: long, client: long, requestId: long, server: long });
  for (const text of [record.action, record.tool, record.client, record.requestId, record.server]) {
    assert.ok(text !== null && text.length <= mostNameCharacters && text.isWellFormed(), text ?? 'null');
    assert.ok(text.endsWith('…'));
  }
});

test('arguments are hashed whatever their order, and kept only where that is wanted', () => {
  const one = tidy({ arguments: { a: 1, b: { c: 2, d: 3 } } });
  const same = tidy({ arguments: { b: { d: 3, c: 2 }, a: 1 } });
  const other = tidy({ arguments: { a: 1, b: { c: 2, d: 4 } } });
  assert.match(one.argumentsHash ?? '', /^[0-9a-f]{64}$/);
  assert.equal(one.argumentsHash, same.argumentsHash);
  assert.notEqual(one.argumentsHash, other.argumentsHash);
  assert.equal(one.arguments, null);
  assert.deepEqual({ ...tidy({ arguments: { a: 1 } }, true).arguments }, { a: 1 });
});

test('arguments that no JSON holds have no hash, and the event is kept all the same', () => {
  assert.equal(tidy({ arguments: { a: Number.POSITIVE_INFINITY } }, true).argumentsHash, null);
});

test('odd arguments are hashed and kept: lone surrogates, control characters, a megabyte, no object at all', () => {
  const odd = ['\ud800', 'a\u0000\u001b]52;c;x\u0007\r\n{"forged":1}', 'x'.repeat(1_000_000), [1], null, 7];
  for (const given of odd) {
    const record = tidy({ arguments: given }, true);
    assert.match(record.argumentsHash ?? '', /^[0-9a-f]{64}$/);
    assert.ok(JSON.stringify(record.arguments).length <= 2 * mostArgumentCharacters);
  }
});

test('secrets are masked in arguments, in details and in what stands for a tool', () => {
  const token = `tc_${'a'.repeat(40)}`;
  const given = { password: 'hunter2', nested: [{ api_key: 'k'.repeat(9) }], text: `use ${token} now` };
  const record = tidy({ arguments: given, detail: { note: token }, tool: `file:///x?token=${token}` }, true);
  const text = JSON.stringify(record);
  for (const secret of ['hunter2', 'kkkkkkkkk', token]) assert.ok(!text.includes(secret), text);
  assert.deepEqual({ ...record.detail }, { note: '***' });
});

test('a secret that the limit would cut in two is masked, too', () => {
  const token = `tc_${'a'.repeat(40)}`;
  for (let at = mostDetailCharacters - 60; at < mostDetailCharacters; at += 7) {
    const { detail } = tidy({ detail: { note: `${'x'.repeat(at)} ${token}` } });
    assert.ok(!JSON.stringify(detail).includes('tc_aaaa'), String(at));
  }
});

test('what is plain enough to be kept as it is stays small and holds no secret', () => {
  const detail = { way: 'direct', bytes: 5, stages: { link: 20 } };
  assert.equal(tidy({ detail }).detail, detail);
  const nested = (levels: number): JsonObject => ({ a: 1, ...(levels > 0 ? { b: nested(levels - 1) } : {}) });
  assert.ok(JSON.stringify(tidy({ arguments: nested(5_000) }, true).arguments).length <= mostArgumentCharacters);
  assert.deepEqual({ ...tidy({ arguments: { password: { first: 'hunter' } } }, true).arguments }, { password: '***' });
});

test('of a session only a hash is kept', () => {
  const { session } = tidy({ session: 'the-id-of-a-session' });
  assert.match(session ?? '', /^[0-9a-f]{16}$/);
  assert.equal(session, tidy({ session: 'the-id-of-a-session' }).session);
});

test('numbers that make no sense are none', () => {
  assert.deepEqual(
    [Number.NaN, Number.POSITIVE_INFINITY, -5].map((ms) => tidy({ ms }).ms),
    [null, null, 0],
  );
  assert.equal(tidyEvent(event, { now: Number.MAX_VALUE, keepsArguments: false }).at, 8.64e15);
});

test('names and fingerprints stay whoever makes up a secret that reads the same, and other texts are masked', () => {
  const print = '9f8a7c6e5d4b3a2910ffeeddccbbaa999f8a7c6e5d4b3a2910ffeeddccbbaa99';
  const name = 'github:delete_repo_v2x9';
  const detail = {
    name,
    before: print,
    after: null,
    definition: print,
    reasons: ['code'],
    input: { tool: name },
    why: `so ${print}`,
  };
  knownSecrets.setIssued('far', [print]);
  knownSecrets.set('near', [name, print]);
  try {
    const record = tidy({ tool: name, server: name, detail });
    assert.deepEqual([record.tool, record.server], [name, name]);
    assert.deepEqual(JSON.parse(JSON.stringify(record.detail)), { ...detail, why: 'so ***' });
    assert.equal(
      tidy({ tool: `file:///x/${print}` }).tool,
      'file:///x/***',
      'an address holds what its owner gave away',
    );
    knownSecrets.forget('near');
    assert.equal(tidy({ tool: `file:///x/${print}` }).tool, `file:///x/${print}`);
  } finally {
    knownSecrets.forget('far');
    knownSecrets.forget('near');
  }
});

test('secrets are masked in the name and request id that a program sends', () => {
  const secret = 'f00dcafe77aa88bb99';
  assert.equal(tidy({ client: `agent ${secret}/1` }).client, `agent ${secret}/1`);
  knownSecrets.set('test', [secret]);
  try {
    const { client, rpcId } = tidy({ client: `agent ${secret}/1`, rpcId: `tc_${'a'.repeat(40)}` });
    assert.deepEqual([client, rpcId], ['agent ***/1', '***']);
  } finally {
    knownSecrets.forget('test');
  }
});

test('a value that fits stays as it is', () => {
  const value = { a: 1, b: ['x', null, true], c: { d: 'e' } };
  assert.deepEqual(JSON.parse(JSON.stringify(keepJson(value, 1_000))), value);
});

test('a value that is not an object is wrapped in a member', () => {
  assert.deepEqual({ ...keepJson([1, 2], 100) }, { value: [1, 2] });
  assert.deepEqual({ ...keepJson('x', 100) }, { value: 'x' });
  assert.deepEqual({ ...keepJson(null, 100) }, { value: null });
});

test('long, wide and deep values are cut', () => {
  const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`member ${at}`, 'x'.repeat(100)]));
  let deep: unknown = 'end';
  for (let level = 0; level < 200; level += 1) deep = [deep];
  for (const value of [wide, deep, 'x'.repeat(5_000_000), { ['k'.repeat(1_000_000)]: 1 }]) {
    const text = JSON.stringify(keepJson(value, 500));
    // A cut value is kept as a text, whose quotes are escaped once more.
    assert.ok(text.length <= 1_100, String(text.length));
  }
});

test('a member named __proto__ is a member like others', () => {
  const kept = keepJson(JSON.parse('{"__proto__":{"polluted":true}}'), 200);
  assert.equal(JSON.stringify(kept), '{"__proto__":{"polluted":true}}');
  assert.equal('polluted' in {}, false);
});

test('a short word is masked, too, where its member holds secrets', () => {
  assert.deepEqual({ ...keepJson({ password: 'hunter', way: 'direct' }, 200) }, { password: '***', way: 'direct' });
});
