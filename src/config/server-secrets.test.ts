/** Secrets of a server's configuration: what is named or looks like one counts, what stands in many texts by chance does not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workMs } from '../../test/kit/work-ms.ts';
import { secretsOf } from './server-secrets.ts';

function ofEnv(env: Record<string, string>): string[] {
  return secretsOf({ kind: 'stdio', command: 'x', args: [], env, cwd: null });
}

test('values of telling names, and values that nobody would choose for a word, are secrets', () => {
  assert.deepEqual(new Set(ofEnv({ API_KEY: 'opensesame' })), new Set(['opensesame']));
  for (const value of ['a8f3c90d11', 'canary-7f3a9c51', 'QmFzZTY0IHRleHQ=', 'x'.repeat(40), 'two words but 9z8y7x6w'])
    assert.ok(ofEnv({ ANYTHING: value }).includes(value), value);
});

test('secrets in a table of JSON count on their own, in a variable and in an argument', () => {
  const table = JSON.stringify({
    headers: [{ Authorization: 'Bearer open-sesame', Version: '2022-06-28' }],
    retries: 3,
  });
  assert.deepEqual(new Set(ofEnv({ HEADERS_KEY: table })), new Set([table, 'Bearer open-sesame', 'open-sesame']));
  const args = ['--config', table];
  const found = secretsOf({ kind: 'stdio', command: 'x', args, env: {}, cwd: null });
  assert.deepEqual(new Set(found), new Set(['Bearer open-sesame', 'open-sesame']));
  for (const broken of ['{"apiKey": "open-sesame"', '[', '{}'])
    assert.deepEqual(secretsOf({ kind: 'stdio', command: 'x', args: [broken], env: {}, cwd: null }), [], broken);
});

test('a reference to a secret that is not set is none itself', () => {
  assert.deepEqual(ofEnv({ API_KEY: `\${secret:K1}`, AUTH_TOKEN: `Bearer \${secret:K1}` }), []);
});

test('ordinary settings are not: they would be masked all over the log', () => {
  for (const value of [
    'production',
    'true',
    '8080',
    '127.0.0.1:8080',
    'us-east-1',
    'en_US.UTF-8',
    '/usr/local/bin:/usr/bin',
    'C:\\Program Files\\x',
    '~/notes',
    'http://localhost:3000/mcp',
    'read,write,admin',
    'ada@example.com',
    'short1z',
  ])
    assert.deepEqual(ofEnv({ SETTING: value }), [], value);
});

test('of a header with a scheme, the credential alone is a secret too', () => {
  const transport = {
    kind: 'http' as const,
    url: 'https://x.example/mcp',
    headers: { Authorization: 'Bearer ab12cd34' },
  };
  assert.ok(secretsOf(transport).includes('ab12cd34'));
  assert.ok(secretsOf(transport).includes('Bearer ab12cd34'));
});

test('secrets in a URL are its password, telling parameters and odd parts of its path', () => {
  const url = 'https://x.example/api/v1/mcp/9f8e7d6c5b4a39281706/sse?profile=work&api_key=opensesame&u=a1b2c3d4e5';
  const found = secretsOf({ kind: 'http', url, headers: {} });
  assert.deepEqual(new Set(found), new Set(['opensesame', 'a1b2c3d4e5', '9f8e7d6c5b4a39281706']));
  assert.ok(ofEnv({ DATABASE: 'postgres://ada:hunter22@db.example/x' }).includes('hunter22'));
});

test('arguments behind telling flags are secrets', () => {
  const args = ['--port', '80', '--api-key', 'opensesame', '--token=sesame-open', '--secret', '--verbose', 'file.txt'];
  const found = secretsOf({ kind: 'stdio', command: 'x', args, env: {}, cwd: null });
  assert.deepEqual(found, ['opensesame', 'sesame-open']);
});

test('so are assignments, headers and whole words of a known shape among arguments', () => {
  const args = ['-e', 'API_KEY=opensesame', '-e', 'MODE=fast', '--header', 'Authorization: Bearer ab12cd34'];
  const more = ['--header=X-Api-Key: sesame-open', `ghp_${'a1'.repeat(15)}`, 'https://x.example/mcp', 'C:\\tools'];
  const found = secretsOf({ kind: 'stdio', command: 'x', args: [...args, ...more], env: {}, cwd: null });
  const secrets = ['opensesame', 'Bearer ab12cd34', 'ab12cd34', 'sesame-open', `ghp_${'a1'.repeat(15)}`];
  assert.deepEqual(new Set(found), new Set(secrets));
});

test('long hostile values take no time', () => {
  const values = ['a'.repeat(200_000), 'a-'.repeat(100_000), '1'.repeat(200_000), 'a1'.repeat(2_000)];
  const tookMs = workMs(() => {
    for (const value of values) ofEnv({ X: value });
  });
  assert.ok(tookMs < 1_000, `${tookMs} ms`);
});

test('short words for secrets at the end of a name count, unless the value is a place', () => {
  const env = {
    SMTP_PASS: 'tulip-garden-42',
    MYSQL_PWD: 'hunter2',
    ADMIN_PIN: 'magic words',
    GITHUB_PAT: 'abcdef',
    OPENAI_KEY: 'local-dev-key',
    dbPass: 'garden',
  };
  for (const [name, value] of Object.entries(env)) assert.ok(ofEnv({ [name]: value }).includes(value), name);
  assert.deepEqual(
    ofEnv({ SSH_KEY: '~/.ssh/id_ed25519', KEY: 'https://a.example/x', MONKEY: 'bananas', COMPASS: 'northern' }),
    [],
  );
});

test('a password inside a Basic header is known as it reads decoded', () => {
  const headers = { Authorization: `Basic ${Buffer.from('bob:hunter2-hunter2').toString('base64')}` };
  const found = secretsOf({ kind: 'http', url: 'https://x.example/mcp', headers });
  assert.ok(found.includes('hunter2-hunter2') && found.includes('bob:hunter2-hunter2'));
});
