/** Tests of masking: secrets go by name, by shape and where they are known, in every spelling; the rest of a text stays. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isSecretKey,
  KnownSecrets,
  knownSecrets,
  maskShapes,
  mostMaskedChars,
  redact,
  redactedBeginning,
  redactText,
  secretShapes,
} from './redact.ts';

test('values known to be secret are masked wherever they stand, unless they are too short to tell', () => {
  assert.equal(redactText('a hunter2-x b hunter2-x', ['hunter2-x']), 'a *** b ***');
  assert.equal(redactText('port 8080 is open', ['8080']), 'port 8080 is open');
});

test('secrets are known by their shape', () => {
  for (const secret of [
    'Bearer abcdefgh12345678',
    'Basic dXNlcjpwYXNzd29yZA==',
    'tc_0123456789abcdefABCDEF',
    'sk-0123456789abcdef0123',
    'ghp_0123456789abcdef0123456789',
    'github_pat_0123456789abcdef0123',
    'xoxb-0123456789-abc',
    'AKIA0123456789ABCDEF',
    'eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl',
  ]) {
    const text = redactText(`before ${secret} after`);
    assert.ok(!text.includes(secret.slice(-8)), `${secret}: ${text}`);
    assert.match(text, /^before .*after$/);
  }
});

test('user information in addresses and assignments to telling names are masked', () => {
  assert.equal(redactText('see https://ada:pass@example.com/x'), 'see https://***@example.com/x');
  assert.equal(redactText('API_KEY=abcd1234 next'), 'API_KEY=*** next');
  assert.equal(redactText('password: "opensesame"'), 'password: "***"');
  assert.equal(redactText('tokens used: 12'), 'tokens used: 12');
});

test('an object keeps its shape and loses its secrets', () => {
  const value = redact({
    authorization: 'Bearer abcdefgh12345678',
    nested: { apiKey: 'x', list: ['sk-0123456789abcdef0123'], count: 3, none: null },
    error: new Error('failed with Bearer abcdefgh12345678'),
    password: null,
  });
  assert.deepEqual(JSON.parse(JSON.stringify(value)), {
    authorization: '***',
    nested: { apiKey: '***', list: ['***'], count: 3, none: null },
    error: { name: 'Error', message: 'failed with ***' },
    password: null,
  });
});

test('depth and width are bounded, and odd keys do no harm', () => {
  const deep = Array.from({ length: 20 }).reduce<unknown>((inner) => ({ inner }), 'end');
  assert.ok(!JSON.stringify(redact(deep)).includes('end'));
  const wide = Array.from({ length: 1_000 }, () => 1);
  assert.deepEqual((redact(wide) as unknown[]).slice(49), [1, '… 950 more']);
  const members = redact(Object.fromEntries(wide.map((one, at) => [`m${at}`, one]))) as object;
  assert.deepEqual(Object.entries(members).slice(49), [
    ['m49', 1],
    ['…', '… 950 more'],
  ]);
  redact(JSON.parse('{"__proto__":{"polluted":1}}'));
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
});

test('however long a text is, only so much of it is looked at', () => {
  const token = 'tc_0123456789abcdefABCDEF';
  const text = redactText(`${token} ${'x'.repeat(5_000_000)} ${token}`);
  assert.ok(text.startsWith('*** x') && text.endsWith('x…') && text.length === mostMaskedChars, String(text.length));
  const logged = JSON.stringify(redact(Array.from({ length: 50 }, () => [token, 'y'.repeat(1_000_000)])));
  assert.ok(logged.length < 100_000 && !logged.includes(token), String(logged.length));
});

test('a beginning never ends in half a secret, wherever the secret stands and whatever is masked before it', () => {
  const known = `known-${'7f3a'.repeat(600)}`;
  const issued = `tc_${'b'.repeat(3_000)}`;
  knownSecrets.set('test', [known]);
  try {
    for (let at = 0; at < 4_000; at += 97) {
      for (const before of ['x'.repeat(at), `${known} `.repeat(at / 1_000)]) {
        for (const secret of [known, issued]) {
          const text = redactedBeginning(`${before} ${secret} after`, 200);
          assert.ok(text.length <= 200 && !/known-|tc_b/.test(text), `${at}: ${text}`);
        }
      }
    }
  } finally {
    knownSecrets.forget('test');
  }
  assert.equal(redactedBeginning('short', 200), 'short');
  assert.equal(redactedBeginning(`${'a'.repeat(8)}\u{1f600}b`, 10), `${'a'.repeat(8)}…`);
});

test('names of secrets are recognised in every spelling', () => {
  for (const key of ['Authorization', 'x-api-key', 'API_KEY', 'accessKey', 'client_secret', 'sessionId', 'Set-Cookie'])
    assert.ok(isSecretKey(key), key);
  for (const key of ['name', 'author', 'keyboard', 'path']) assert.ok(!isSecretKey(key), key);
});

test('known secrets are masked in every text, in each of their spellings, until they are forgotten', () => {
  const odd = 'a"b\\c d/é';
  const pem = `first line of it\n${'k'.repeat(30)}\nend`;
  knownSecrets.set('test', [odd, pem, 'x', 'secret-1', 'secret-1-longer']);
  try {
    const forms = [
      odd,
      JSON.stringify(odd),
      encodeURIComponent(odd),
      pem,
      'k'.repeat(30),
      'secret-1',
      'secret-1-longer',
    ];
    for (const form of forms) assert.match(redactText(`<${form}>`), /^<"?\*\*\*"?>$/, form);
    assert.equal(redactText('x stays'), 'x stays');
    assert.deepEqual(JSON.parse(JSON.stringify(redact({ text: ['a secret-1 b'] }))), { text: ['a *** b'] });
  } finally {
    knownSecrets.forget('test');
  }
  assert.equal(redactText('secret-1'), 'secret-1');
});

test('more shapes: keys of many services, private keys, addresses of hooks, cookies, JSON', () => {
  const bodies = '0123456789abcdefghijABCDEFGHIJklmnopqrst';
  const starts = [
    'npm_',
    'glpat-',
    'AIza',
    'hf_',
    'gsk_',
    'shpat_',
    'whsec_',
    'dop_v1_',
    'dckr_pat_',
    'xapp-',
    'ya29.',
  ];
  for (const start of starts) assert.equal(redactText(`(${start}${bodies})`), '(***)', start);
  assert.equal(redactText(`SG.${bodies}.${bodies}`), '***');
  assert.equal(redactText('ASIA0123456789ABCDEF'), '***');
  const pem = '-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nabc+/=\n-----END EC PRIVATE KEY-----';
  assert.equal(redactText(`a ${pem} b`), 'a *** b');
  assert.equal(redactText('-----BEGIN PRIVATE KEY-----\nabc without an end'), '***');
  assert.equal(redactText('https://hooks.slack.com/services/T0/B0/abc x'), 'https://hooks.slack.com/*** x');
  assert.equal(redactText('Set-Cookie: a=b; Path=/\nnext'), '***\nnext');
  assert.equal(redactText('{"client_secret": "opensesame"}'), '{"client_secret": "***"}');
  assert.equal(redactText('{\\"password\\":\\"opensesame\\"}'), '{\\"password\\":\\"***\\"}');
  assert.equal(redactText('https://x.example/a?key=opensesame&b=1'), 'https://x.example/a?key=***&b=1');
});

test('keys of objects are masked like any other text', () => {
  knownSecrets.set('test', ['opensesame-1']);
  try {
    const value = { 'opensesame-1': 1, 'Bearer abcdefgh12345678': { deep: true } };
    assert.ok(!/opensesame|abcdefgh/.test(JSON.stringify(redact(value))));
  } finally {
    knownSecrets.forget('test');
  }
});

test('names that end in a short word for a secret count, ordinary words with the same letters do not', () => {
  assert.equal(redactText('SMTP_PASS=tulip-garden MYSQL_PWD: hunter2'), 'SMTP_PASS=*** MYSQL_PWD: ***');
  for (const text of ['compass: north', 'a_pass_through=value', 'spin=fast', 'path: /usr/bin'])
    assert.equal(redactText(text), text);
  for (const key of ['SMTP_PASS', 'github-pat', 'ADMIN_PIN', 'SENTRY_DSN']) assert.ok(isSecretKey(key), key);
  for (const key of ['compass', 'spin', 'pass_through', 'key', 'auth', 'toolKey']) assert.ok(!isSecretKey(key), key);
});

test('a password that holds the sign that ends it is masked whole', () => {
  assert.equal(redactText('postgres://ada:p@ss@db.example/x'), 'postgres://***@db.example/x');
});

test('names are masked by shape alone where nobody may hide them', () => {
  knownSecrets.set('test', ['github:delete_repo']);
  try {
    assert.equal(maskShapes('github:delete_repo'), 'github:delete_repo');
    assert.equal(maskShapes('x?token=opensesame'), 'x?token=***');
  } finally {
    knownSecrets.forget('test');
  }
});

/** How the shapes begin, and what could make one look far ahead in vain. */
const beginnings = [
  '',
  'a',
  '1',
  'eyJ',
  'eyJaaaaaaaa',
  'SG',
  'SG.aaaaaaaaaaaaaaaa',
  'sk',
  'tc_',
  'gho_',
  'glpat',
  'xoxb',
  'xapp',
  'AKIA',
  'AIza',
  'ya29',
  'npm_',
  'AGE-SECRET-KEY-1',
  '12345678:',
  'Bearer',
  'Basic',
  'cookie:',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN ',
  'https://',
  'https://a.webhook.office.com/webhook',
  'https://discord.com/api/webhooks/',
  'a://b:',
  '?key=',
  'token',
  'password"',
  'x_pass',
  'apikey   ',
];
const between = ['', '-', '.', '_', ' ', '@', '=', '\n', '"', '/', 'a-', '\\'];

function cpuMicros(pattern: RegExp, by: string, text: string): number {
  const before = process.cpuUsage();
  text.replace(pattern, by);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Below this the clock says nothing; what grows by the square is far above it at these lengths. */
const leastMicros = 10_000;
const length = 25_000;

test('twice the length takes about twice the time, for each shape and whatever the text is made of', () => {
  for (const beginning of beginnings) {
    for (const sign of between) {
      const piece = `${beginning}${sign}` || 'x';
      const text = piece.repeat(Math.ceil(length / piece.length));
      for (const { pattern, by } of secretShapes) {
        if (cpuMicros(pattern, by, text) < leastMicros) continue;
        // Once may have been an accident of the machine.
        const single = Math.min(...[1, 2, 3].map(() => cpuMicros(pattern, by, text)));
        const double = Math.min(...[1, 2, 3].map(() => cpuMicros(pattern, by, text + text)));
        assert.ok(
          double < leastMicros || double < 3 * single,
          `${pattern} over ${JSON.stringify(piece)}: ${single}, ${double} µs`,
        );
      }
    }
  }
});

test('signed tokens are found behind a dash and where their end was cut off, names with the same letters are not', () => {
  const masked = (text: string) => secretShapes.reduce((out, { pattern, by }) => out.replace(pattern, by), text);
  const token = 'eyJhbGciOiJI.eyJzdWIiOiIxMjM.c2lnbmF0dXJl';
  assert.equal(masked(`(${token})`), '(***)');
  assert.equal(masked(`x-${token} y`), '*** y');
  assert.equal(masked(`host.example.${token}`), 'host.example.***');
  assert.equal(masked(`cut ${token.slice(0, 24)}`), 'cut ***');
  for (const text of ['ForeignKeyJoinColumn.something.else', 'a.monkeyJumpsOver.thefences.x'])
    assert.equal(masked(text), text);
});

test('a value is found however it is passed on', () => {
  const secret = 'Zx9!kQ2/pL+7 vB%4&mN"é';
  const known = new KnownSecrets();
  known.set('o', [secret]);
  const json = JSON.stringify(secret);
  const bytes = Buffer.from(secret);
  const forms: Record<string, string> = {
    plain: secret,
    json: json.slice(1, -1),
    slashes: json.slice(1, -1).replaceAll('/', '\\/'),
    ascii: json.slice(1, -1).replace('é', '\\u00e9'),
    twice: JSON.stringify(json).slice(3, -3),
    component: encodeURIComponent(secret),
    lower: encodeURIComponent(secret).replace(/%../g, (sign) => sign.toLowerCase()),
    form: new URLSearchParams({ a: secret }).toString().slice(2),
    url: new URL(`https://x.example/?q=${secret}`).search.slice(3),
    markup: secret.replace('&', '&amp;').replace('"', '&quot;'),
    base64: bytes.toString('base64'),
    base64url: bytes.toString('base64url'),
    basic: Buffer.from(`ada:${secret}`).toString('base64'),
    hex: bytes.toString('hex'),
    capitals: bytes.toString('hex').toUpperCase(),
  };
  for (const [name, form] of Object.entries(forms)) {
    const rest = known.mask(`<${form}>`, '***');
    // In base64 a character or two at the ends belong to what stands beside the value.
    assert.ok(rest.includes('***') && rest.length <= 14, `${name}: ${rest}`);
  }
  known.forget('o');
  assert.equal(known.mask(secret, '***'), secret);
});

test('a value issued by others counts as a secret only if it can be one', () => {
  const known = new KnownSecrets();
  const token = 'q7Xk-20fZ_mN9vB4pL1s';
  const words = [
    'github:delete_repo',
    'signed in to everything',
    'read,write,delete-everything',
    'https://a.example/x1y2z3a4b5',
    'aB3$xY9',
  ];
  const lines = Array.from({ length: 11_000 }, (_, at) => `line-${at}-aaaa1bbbb2cccc`).join('\n');
  known.setIssued('far', [token, ...words, lines]);
  assert.equal(known.mask(`a ${token} b`, '***'), 'a *** b');
  for (const text of [...words, 'line-7-aaaa1bbbb2cccc']) assert.equal(known.mask(text, '***'), text);
  assert.equal(known.maskGiven(token, '***'), token);
});

test('the number of spellings is bounded, and the values themselves go first', () => {
  const known = new KnownSecrets();
  const values = Array.from({ length: 1_500 }, (_, at) => `value/${at}+x y`);
  known.set('o', values);
  for (const value of values) assert.equal(known.mask(value, '***'), '***');
  known.set('p', [Array.from({ length: 11_000 }, (_, at) => `a long line of it, number ${100_000 + at}`).join('\n')]);
  assert.equal(known.mask('a long line of it, number 110999', '***'), 'a long line of it, number 110999');
});
