/** Tests of references to environment variables. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the references of the config file
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expandEnv } from './expand-env.ts';

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

test('what every object inherits is not a variable', () => {
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
