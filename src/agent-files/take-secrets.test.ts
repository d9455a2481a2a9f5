/** Tests of taking secrets out of settings: where they may stand, what is left in their place, and that nothing is lost. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseServer } from '../config/config.ts';
import { withoutVariables } from './references.ts';
import { takeSecrets } from './take-secrets.ts';

const planted = 'zq81-planted-77ab';
const secret = (name: string) => `\${secret:${name}}`;

test('a secret in an argument of JSON is taken alone', () => {
  const args = ['--config', '{"region":"north","apiKey":"opensesame-91"}'];
  const { settings, secrets } = takeSecrets('hub', { command: 'x', args });
  assert.deepEqual(secrets, [{ name: 'hub.config', value: 'opensesame-91' }]);
  assert.deepEqual(settings.args, ['--config', `{"region":"north","apiKey":"\${secret:hub.config}"}`]);
});

test('[GET-04] a secret is found in every place, and a reference is left there', () => {
  const places = [
    [{ command: 'x', env: { API_TOKEN: planted } }, 'near.API_TOKEN'],
    [{ command: 'x', env: { ANYTHING: planted } }, 'near.ANYTHING'],
    [{ command: 'x', env: { DATABASE: `postgres://me:${planted}@db.example.com/x` } }, 'near.DATABASE'],
    [{ command: 'x', args: ['--api-key', planted] }, 'near.api-key'],
    [{ command: 'x', args: [`--api-key=${planted}`] }, 'near.api-key'],
    [{ command: 'docker', args: ['run', '-e', `API_KEY=${planted}`] }, 'near.API_KEY'],
    [{ command: 'x', args: ['--header', `Authorization: Bearer ${planted}`] }, 'near.header'],
    [{ command: 'x', args: [`https://x.example.com/?api_key=${planted}`] }, 'near.argument-1'],
    [{ url: `https://x.example.com/mcp?key=${planted}` }, 'near.url'],
    [{ url: 'https://x.example.com/mcp', headers: { Authorization: `Bearer ${planted}` } }, 'near.Authorization'],
    [{ url: 'https://x.example.com/mcp', headers: { 'X-Key': planted } }, 'near.X-Key'],
    [{ url: 'https://x.example.com/mcp', oauth: { clientId: 'me', clientSecret: planted } }, 'near.clientSecret'],
  ] as const;
  for (const [settings, name] of places) {
    const taken = takeSecrets('near', settings);
    const text = JSON.stringify(taken.settings);
    assert.ok(!text.includes(planted), text);
    assert.deepEqual(
      taken.secrets.map((each) => each.name),
      [name],
      JSON.stringify(settings),
    );
    assert.ok(text.includes(secret(name)), text);
  }
});

test('the scheme of a header stays readable, and references stay references', () => {
  const headers = { Authorization: `Bearer ${planted}`, 'X-Key': `\${KEY}` };
  const { settings, secrets, wanted } = takeSecrets('far', { url: 'https://x.example.com/mcp', headers });
  assert.deepEqual(settings.headers, { Authorization: `Bearer ${secret('far.Authorization')}`, 'X-Key': `\${KEY}` });
  assert.deepEqual(secrets, [{ name: 'far.Authorization', value: planted }]);
  assert.deepEqual(wanted, []);
});

test('[GET-05] a value that its agent asks for becomes a secret of that server alone, for a person to set', () => {
  const { settings, wanted } = takeSecrets('maps', { command: 'x', env: { KEY: secret('key') } });
  assert.deepEqual(settings.env, { KEY: secret('maps.key') });
  assert.deepEqual(wanted, ['maps.key']);
});

test('equal values share a name; different ones and those of others never do', () => {
  const env = { A_TOKEN: 'first-9z8y7x', B_TOKEN: 'first-9z8y7x' };
  const args = ['--token', 'second-1a2b3c', '--token', 'third-4d5e6f'];
  const { secrets } = takeSecrets('s', { command: 'x', args, env }, (name) => name === 's.A_TOKEN');
  assert.deepEqual(
    secrets.map(({ name, value }) => [name, value]),
    [
      ['s.token', 'second-1a2b3c'],
      ['s.token-2', 'third-4d5e6f'],
      ['s.A_TOKEN-2', 'first-9z8y7x'],
    ],
  );
});

test('with its secrets in their places, a server is the one that it was', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme-ascii' }),
    fc.constantFrom(planted, `Bearer ${planted}`, '$${', `\${A}`, '$', `--key=${planted}`, `x\${A}${planted}`),
  );
  const plain = (value: string) => value.replace(/(?<!\$)\$\{(?!A\})/g, '$$$${');
  const table = fc.dictionary(fc.constantFrom('A_TOKEN', 'B', 'X-Key'), text.map(plain));
  const made = fc.record({ command: fc.constant('x'), args: fc.array(text.map(plain)), env: table });
  fc.assert(
    fc.property(made, (settings) => {
      const transportOf = (raw: object, values: ReadonlyMap<string, string>) =>
        parseServer('s', raw, { A: 'value of A' }, 'store', { secrets: (name) => values.get(name) }).transport;
      const taken = takeSecrets('s', settings);
      const values = new Map(taken.secrets.map(({ name, value }) => [name, value]));
      assert.deepEqual(transportOf(taken.settings, values), transportOf(settings, new Map()));
    }),
  );
});

test('[GET-10] a variable that may not be read is a secret or its default, however it is written', () => {
  const rest = (text: string) => withoutVariables([{ text }], (name) => name === 'HOME');
  const cases = [
    [`\${HOME}/\${KEY}`, `\${HOME}/${secret('KEY')}`],
    [`\${env:KEY}`, secret('KEY')],
    [`a-\${KEY:-plain}-b`, 'a-plain-b'],
    [`\${OTHER:-$}{KEY}`, `${secret('OTHER')}{KEY}`],
    [`$\${KEY} \${secret:x.KEY}`, `$\${KEY} \${secret:x.KEY}`],
  ] as const;
  for (const [text, expected] of cases) assert.deepEqual(rest(text), [{ text: expected }]);
});

test('a reference to a secret gets the name of the server before it in every place', () => {
  const text = secret('other.KEY');
  const { settings, wanted } = takeSecrets('near', { command: text, args: [text], env: { A: text }, cwd: text });
  assert.deepEqual(wanted, ['near.other.KEY']);
  assert.doesNotMatch(JSON.stringify(settings), /secret:other/);
});
