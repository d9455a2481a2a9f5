/** Events with anything in them become records that are short, whole and without secrets. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownSecrets } from '../base/redact.ts';
import type { AuditEvent } from './audit-event.ts';
import { mostArgumentCharacters, mostDetailCharacters, mostNameCharacters, tidyEvent } from './tidy-event.ts';

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
