/** Tests of references to environment variables and secrets. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the references of the config file
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceOf } from '../downstream/link-opener.ts';
import { parseServer } from './build-server.ts';
import { expandEnv, type SecretLookup } from './expand-env.ts';

const env = { A: 'one', EMPTY: '', LINES: 'x\ny' };
const expand = (value: unknown) => expandEnv(value, ['root'], env);

test('references are replaced by the value of their variable', () => {
  const cases: readonly [string, string][] = [
    ['${A}', 'one'],
    ['x${A}y${A}', 'xoneyone'],
    ['${env:A}', 'one'],
    ['${EMPTY}', ''],
    ['${EMPTY:-default}', 'default'],
    ['${NOT_SET:-default}', 'default'],
    ['${NOT_SET:-}', ''],
    ['${A:-default}', 'one'],
    ['${NOT_SET:-a:-b $x}', 'a:-b $x'],
    ['$A $ $$ {A}', '$A $ $$ {A}'],
    ['$${A}', '${A}'],
    ['$${A} ${A} $${', '${A} one ${'],
    ['${LINES}', 'x\ny'],
  ];
  for (const [text, expected] of cases) {
    const expanded = expand(text);
    assert.equal(expanded.value, expected, text);
    assert.deepEqual(expanded.broken, [], text);
  }
});

test('a value is never expanded a second time', () => {
  assert.equal(expandEnv('${X}', [], { X: '${A}', A: 'no' }).value, '${A}');
});

test('a missing variable stays as written and is named with its key', () => {
  const { value, broken } = expand({ args: ['ok', 'x-${NOPE}'] });
  assert.deepEqual(JSON.parse(JSON.stringify(value)), { args: ['ok', 'x-${NOPE}'] });
  assert.deepEqual(broken, [
    {
      path: ['root', 'args', 1],
      text: '${NOPE}',
      message:
        '"root.args[1]" refers to the environment variable NOPE, which is not set; set it, or give a default with ${NOPE:-value}.',
    },
  ]);
});

test('members that every object inherits are not variables', () => {
  for (const name of ['constructor', 'toString', '__proto__']) {
    assert.equal(expand(`\${${name}}`).broken.length, 1, name);
  }
});

test('a malformed reference is told with how to write one', () => {
  for (const text of ['${input:token}', '${}', '${A', '${A:-${B}}', '${1X}']) {
    const { broken } = expand(text);
    assert.equal(broken.length > 0, true, text);
    assert.match(
      broken[0]?.message ?? '',
      /write \$\{NAME\}, \$\{NAME:-default\} or \$\{secret:NAME\}, or \$\$\{ for a plain \$\{\.$/,
    );
  }
});

test('keys are never expanded, and only strings are touched', () => {
  const { value } = expand({ '${A}': 1, b: [true, null, 2.5] });
  assert.equal(JSON.stringify(value), '{"${A}":1,"b":[true,null,2.5]}');
});

test('it is known which values depend on the environment', () => {
  const { dependsOnEnv } = expand({ a: '${A}', b: '$${A}', c: 'x' });
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => dependsOnEnv(['root', key])),
    [true, false, false],
  );
});

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
