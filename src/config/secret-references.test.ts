/** References to secrets: where they may stand, what a missing one says, and what a server is known by. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceOf } from '../downstream/era-memory.ts';
import { parseServer } from './parse-server.ts';
import type { SecretLookup } from './secret-references.ts';

const reference = '${' + 'secret:KEY}';

function parse(block: Record<string, unknown>, secrets?: SecretLookup) {
  return parseServer('s', block, {}, 'store', { secrets });
}

test('a secret works wherever a setting says how to reach a server, and the spec names it', () => {
  const { transport, secrets, problem } = parse(
    { command: 'x', args: [`--key=${reference}`], env: { A: reference } },
    () => 'a value',
  );
  assert.deepEqual([secrets, problem], [['KEY'], null]);
  assert.ok(transport.kind === 'stdio');
  assert.deepEqual([transport.args, { ...transport.env }], [['--key=a value'], { A: 'a value' }]);
  const remote = parse({ url: `https://far.example/${reference}`, headers: { A: `Bearer ${reference}` } }, () => 'v');
  assert.ok(remote.transport.kind === 'http');
  assert.deepEqual(
    [remote.transport.url, { ...remote.transport.headers }],
    ['https://far.example/v', { A: 'Bearer v' }],
  );
});

test('a missing or unreadable secret is a problem that names the command; one that nobody could look up is none', () => {
  const block = { command: 'x', env: { A: reference } };
  assert.match(
    parse(block, () => undefined).problem ?? '',
    /"mcpServers\.s\.env\.A" refers to the secret KEY, which is not set; set it: toolcrib secret set KEY$/,
  );
  assert.match(parse(block, () => null).problem ?? '', /cannot be read; set it again: toolcrib secret set KEY$/);
  assert.equal(parse({ url: reference }).problem, null);
});

test('no setting that agents see can hold a secret', () => {
  for (const block of [{ title: reference }, { description: `for ${reference}` }, { tools: [reference] }])
    assert.match(
      parse({ command: 'x', ...block }, () => 'hidden').problem ?? '',
      /secrets can be used only in "command"/,
    );
});

test('a new value does not make it another server', () => {
  const block = { command: 'x', args: [reference] };
  assert.equal(sourceOf(parse(block, () => 'old')), sourceOf(parse(block, () => 'new')));
  assert.notEqual(sourceOf(parse(block, () => 'old')), sourceOf(parse({ command: 'x', args: ['old'] })));
});
