/** Tests of loading the config file: places, defaults, mistakes and their positions. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the references of the config file
import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { GatewayError } from '../base/errors.ts';
import { defaultDataDir } from '../base/folders.ts';
import { type ConfigIssue, inspectConfig, type LoadedConfig, limits } from './config.ts';

const base = await mkdtemp(join(tmpdir(), 'toolcrib-config-'));
after(() => rm(base, { recursive: true, force: true }));

let count = 0;
const env = { HOME: '/homes/me', SET: 'value', URL: 'https://h/mcp' };

/** A fresh folder that holds this config file, if any. */
async function place(text?: string | Uint8Array) {
  count += 1;
  const cwd = join(base, String(count));
  await mkdir(join(cwd, 'data'), { recursive: true });
  const file = join(cwd, 'toolcrib.json');
  if (text !== undefined) await writeFile(file, text);
  return { cwd, dataDir: join(cwd, 'data'), env, file };
}

async function load(text: string): Promise<LoadedConfig> {
  return inspectConfig(await place(text));
}

/** The lines of the error, with the file left out, and its issues. */
async function mistakes(text: string): Promise<{ lines: string[]; issues: readonly ConfigIssue[] }> {
  const at = await place(text);
  const error = await inspectConfig(at).then(
    () => assert.fail('The file was accepted.'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof GatewayError, String(error));
  assert.equal(error.code, 'CONFIG_INVALID');
  // The shape is what this file tests.
  const issues = error.data?.issues as readonly ConfigIssue[];
  return { lines: error.message.split('\n').map((line) => line.replace(`${at.file}:`, '')), issues };
}

const whole = `{
  "$schema": "./config.schema.json",
  "mcpServers": {
    "files":  { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."], "env": { "A": "\${A:-1}" } },
    "linear": { "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer \${SET}" } },   // "type": "sse" for old ones
  },
  "listen":   { "host": "127.0.0.1", "port": 3333 },
  "connect":  { "lazy": true, "preconnect": [], "timeoutMs": 30000, "maxRetries": 3, "idleMs": 900000, "roots": [] },
  "names":    { "separator": "." },
  "search":   { "mode": "hybrid", "maxResults": 10, "synonyms": {}, "usage": true,
                "embedding": { "provider": "builtin" },
                "cloud": { "url": null, "tokenEnv": null, "timeoutMs": 5000 } },
  "llm":      { "provider": null },
  "calls":    { "timeoutMs": 60000, "maxFallbacks": 3, "autoRetryFallback": false, "maxResultBytes": 20000, "includeMetrics": true, "resultTtlMinutes": 60, "resultStoreBytes": 268435456 },
  "keys":     { "ttlMinutes": 0 }, "surfaces": { "tokens": {}, "projects": {} }, "projects": {},
  "metrics":  { "retentionDays": 7 },
  "chains":   { "enabled": true, "timeoutMs": 30000, "memoryMb": 64, "maxCalls": 100, "maxOutputBytes": 20000 },
  "access":   { "auth": "token", "approveNew": false, "allowedHosts": [], "trustedFrontEnds": [] },
  "audit":    { "arguments": false, "retentionDays": 365 },
  "limits":   { "bodyBytes": 4194304, "sessions": 1000, "streamsPerToken": 64, "callsPerMinute": 0, "failedSignInsPerMinute": 20 },
  "telemetry":{ "prometheus": true, "otlpUrl": null },
  "optimize": { "enabled": false, "minOverall": 0.85, "minNegative": 0.80, "minImprovement": 0.05, "maxRegression": 0.10, "maxChars": 280 },
  "store":    { "url": "sqlite:~/.toolcrib/toolcrib.db" }
}`;

test('servers and projects know where they stand in the file', async () => {
  const at = await place(`{
  "projects": { "shop": { "servers": ["till"] } },
  "mcpServers": {
    "Till One": { "command": "till" }
  }
}`);
  const { places } = await inspectConfig(at);
  assert.deepEqual([...places.projects], [['shop', `${at.file}:2:17`]]);
  assert.deepEqual([...places.servers.values()], [`${at.file}:4:5`]);
});

test('without a file the defaults apply', async () => {
  const at = await place();
  const { config, file, warnings } = await inspectConfig(at);
  assert.equal(file, null);
  assert.deepEqual(warnings, []);
  assert.equal(config.servers.size, 0);
  assert.deepEqual(config.store, { url: `sqlite:${at.dataDir}/toolcrib.db`, path: `${at.dataDir}/toolcrib.db` });
});

test('the complete example says what the defaults are', async () => {
  const defaults = (await load('{}')).config;
  const { config } = await load(whole);
  const { servers, store, telemetrySecrets, ...settings } = config;
  const { servers: none, store: usual, telemetrySecrets: noSecrets, ...usualSettings } = defaults;
  assert.deepEqual([settings, telemetrySecrets], [usualSettings, noSecrets]);
  assert.equal(none.size, 0);
  assert.match(usual.path ?? '', /\/data\/toolcrib\.db$/);
  assert.deepEqual(store, { url: 'sqlite:/homes/me/.toolcrib/toolcrib.db', path: '/homes/me/.toolcrib/toolcrib.db' });
  assert.deepEqual([...servers.keys()], ['files', 'linear']);
  assert.deepEqual(
    { ...servers.get('files')?.transport },
    {
      kind: 'stdio',
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-filesystem', '.'],
      env: Object.assign(Object.create(null), { A: '1' }),
      cwd: null,
    },
  );
  assert.deepEqual(
    { ...servers.get('linear')?.transport },
    {
      kind: 'http',
      url: 'https://example.com/mcp',
      headers: Object.assign(Object.create(null), { Authorization: 'Bearer value' }),
    },
  );
  const keys =
    'access audit calls chains connect keys limits listen llm metrics names oauth optimize projects search servers store surfaces telemetry';
  assert.equal(
    Object.keys({ ...settings, servers, store })
      .toSorted()
      .join(' '),
    keys,
  );
});

test('the file that was asked for wins, then the working folder, then the data folder', async () => {
  const at = await place();
  await writeFile(join(at.dataDir, 'toolcrib.json'), '{ "calls": { "maxFallbacks": 1 } }');
  assert.equal((await inspectConfig(at)).config.calls.maxFallbacks, 1);
  await writeFile(at.file, '{ "calls": { "maxFallbacks": 2 } }');
  assert.equal((await inspectConfig(at)).config.calls.maxFallbacks, 2);
  await writeFile(join(at.cwd, 'other.json'), '{ "calls": { "maxFallbacks": 4 } }');
  const { config, file } = await inspectConfig({ ...at, path: 'other.json' });
  assert.equal(config.calls.maxFallbacks, 4);
  assert.equal(file, join(at.cwd, 'other.json'));
});

test('a file that cannot be used is named', async () => {
  const at = await place();
  const refused = (path: string) =>
    inspectConfig({ ...at, path }).then(
      () => assert.fail('The file was accepted.'),
      (error: unknown) =>
        error instanceof GatewayError ? `${error.code} ${error.message}` : assert.fail(String(error)),
    );
  assert.equal(await refused('no.json'), `CONFIG_INVALID The config file ${at.cwd}/no.json does not exist.`);
  assert.equal(await refused('data'), `CONFIG_INVALID The config file ${at.cwd}/data is a folder, not a file.`);
  await writeFile(join(at.cwd, 'big.json'), ' '.repeat(limits.maxConfigBytes + 1));
  assert.equal(await refused('big.json'), `CONFIG_INVALID The config file ${at.cwd}/big.json is larger than 1 MiB.`);
  // The superuser reads everything.
  if (process.getuid?.() === 0) return;
  await writeFile(join(at.cwd, 'closed.json'), '{}');
  await chmod(join(at.cwd, 'closed.json'), 0);
  assert.equal(
    await refused('closed.json'),
    `CONFIG_INVALID The config file ${at.cwd}/closed.json can't be read (EACCES).`,
  );
});

test('the loaded configuration cannot be changed', async () => {
  const { config } = await load(whole);
  const files = config.servers.get('files');
  assert.ok(Object.isFrozen(config) && Object.isFrozen(config.search.embedding) && Object.isFrozen(files?.transport));
  // A caller without types could try.
  const servers = config.servers as Map<string, unknown>;
  assert.throws(() => servers.set('x', {}), TypeError);
  assert.throws(() => servers.delete('files'), TypeError);
  assert.throws(() => servers.clear(), TypeError);
  assert.deepEqual(files?.permissions, new Map());
});

test('all mistakes are reported at once, in the order of the file', async () => {
  const { lines, issues } = await mistakes(`{
  "mcpServers": {
    "files": { "comand": "npx", "args": ["-y", 5] },
    "b": { "type": "sse", "command": "x", "permissions": { "t": "maybe" } },
    "c": {}
  },
  "calls": { "timeoutMs": "60s", "constructor": 1 },
  "serch": {},
  "store": { "url": "mysql://u:secret@h/db" },
  "connect": { "maxRetries": 1.5, "roots": ["http://x"] }
}`);
  assert.deepEqual(lines, [
    '3:16: In "mcpServers.files": unknown key "comand"; did you mean "command"?',
    '3:48: "mcpServers.files.args[1]" must be a string, but a number was found.',
    '4:20: "mcpServers.b.type" is "sse", but the server has a "command"; leave "type" out or correct it.',
    '4:65: "mcpServers.b.permissions.t" must be "allow", "ask" or "deny", but the string "maybe" was found.',
    '5:5: "mcpServers.c" has neither "command" nor "url"; one of them must say how the server is reached.',
    '7:27: "calls.timeoutMs" must be a whole number from 1 to 2147483647, but the string "60s" was found.',
    '7:34: In "calls": unknown key "constructor"; allowed here: timeoutMs, maxFallbacks, autoRetryFallback, maxResultBytes, includeMetrics, resultTtlMinutes, resultStoreBytes.',
    '8:3: unknown key "serch"; did you mean "search"?',
    '9:21: "store.url" must be "sqlite:" and the path of a file, or "postgres://" and a database, but the string "mysql://***@h/db" was found.',
    '10:30: "connect.maxRetries" must be a whole number from 0 to 20, but the number 1.5 was found.',
    '10:45: "connect.roots[0]" must be a folder, as a path or a file:// URI, but the string "http://x" was found.',
  ]);
  const { file, ...first } = issues[0] ?? assert.fail();
  assert.match(file ?? '', /toolcrib\.json$/);
  assert.deepEqual(first, {
    line: 3,
    column: 16,
    path: 'mcpServers.files.comand',
    message: 'In "mcpServers.files": unknown key "comand"; did you mean "command"?',
    found: 'the key "comand"',
    allowed:
      'command, args, env, cwd, url, headers, oauth, type, enabled, title, description, projects, tools, permissions, timeoutMs, cacheTtlMs, idleMs, maxConcurrent, perSession, upgrades, category, categories, aliases',
    nearest: 'command',
  });
  assert.deepEqual(issues.map(({ path }) => path).slice(1, 4), [
    'mcpServers.files.args[1]',
    'mcpServers.b.type',
    'mcpServers.b.permissions.t',
  ]);
});

test('each kind of value says what it allows', async () => {
  const cases: readonly [string, string][] = [
    ['[]', 'The configuration must be an object, but a list was found.'],
    ['{ "mcpServers": [] }', '"mcpServers" must be an object with a member for each server, but a list was found.'],
    ['{ "calls": null }', '"calls" must be an object, but null was found.'],
    ['{ "chains": { "enabled": "yes" } }', '"chains.enabled" must be true or false, but the string "yes" was found.'],
    ['{ "names": { "separator": "/" } }', '"names.separator" must be "." or "__", but the string "/" was found.'],
    [
      '{ "optimize": { "minOverall": 85 } }',
      '"optimize.minOverall" must be a number from 0 to 1, but the number 85 was found.',
    ],
    [
      '{ "connect": { "preconnect": "a" } }',
      '"connect.preconnect" must be a list of server names, but the string "a" was found.',
    ],
    [
      '{ "connect": { "idleMs": 2147483648 } }',
      '"connect.idleMs" must be a whole number from 0 to 2147483647, but the number 2147483648 was found.',
    ],
    [
      '{ "search": { "synonyms": { "a": [1] } } }',
      '"search.synonyms.a[0]" must be a word, but the number 1 was found.',
    ],
    [
      '{ "search": { "cloud": { "url": "ftp://x" } } }',
      '"search.cloud.url" must be an http:// or https:// URL without spaces, user name or password, but the string "ftp://x" was found.',
    ],
    [
      '{ "search": { "embedding": { "apiKeyEnv": "sk-abc" } } }',
      '"search.embedding.apiKeyEnv" must be the name of an environment variable (letters, digits and _), not a value, but a string was found.',
    ],
    [
      '{ "store": { "url": "mysql://x" } }',
      '"store.url" must be "sqlite:" and the path of a file, or "postgres://" and a database, but the string "mysql://x" was found.',
    ],
    [
      '{ "store": { "url": "sqlite::memory:" } }',
      '"store.url" must be "sqlite:" and the path of a file, or "postgres://" and a database, but the string "sqlite::memory:" was found.',
    ],
    [
      '{ "calls": { "timeoutMs": 1e999 } }',
      '"calls.timeoutMs" must be a whole number from 1 to 2147483647, but the number Infinity was found.',
    ],
  ];
  for (const [text, expected] of cases) {
    const { lines } = await mistakes(text);
    assert.deepEqual(
      lines.map((line) => line.replace(/^\d+:\d+: /, '')),
      [expected],
    );
  }
});

test('so many mistakes that nobody would read them are counted instead', async () => {
  const keys = Array.from({ length: limits.maxConfigIssues + 5 }, (_, index) => `"zz${index}": 1`);
  const { lines, issues } = await mistakes(`{ ${keys.join(', ')} }`);
  assert.equal(issues.length, limits.maxConfigIssues);
  assert.equal(lines.at(-1), '… and 5 more.');
});

test('secrets are not repeated in mistakes', async () => {
  const { lines, issues } = await mistakes(`{ "mcpServers": {
    "a": { "url": "https://me:hunter2secret@h/", "headers": { "Authorization": 12345678, "X": "hunter2secret\\n" } },
    "b": { "command": "x", "env": "TOKEN=hunter2secret", "args": "hunter2secret" }
  } }`);
  assert.equal(issues.length, 5);
  assert.doesNotMatch(JSON.stringify([lines, issues]), /hunter2|12345678/);
});

test('two keys that become one name are told with both places', async () => {
  const { lines } = await mistakes(
    '{ "mcpServers": {\n "GitHub": { "command": "a" },\n "github": { "command": "b" } } }',
  );
  assert.deepEqual(lines, [
    '3:2: the servers "GitHub" (line 2, column 2) and "github" would both be named "github"; rename one of them.',
  ]);
});

test('a missing variable fails its server alone', async () => {
  const at = await place(`{ "mcpServers": {
  "good": { "command": "x" },
  "bad": { "url": "https://\${HOST_OF_BAD}/mcp", "headers": { "A": "Bearer \${NO_TOKEN}" } },
  "odd": { "command": "x", "args": ["\${input:key}"] }
} }`);
  const { config } = await inspectConfig(at);
  assert.equal(config.servers.get('good')?.problem, null);
  assert.equal(
    config.servers.get('bad')?.problem,
    `${at.file}:3:28: "mcpServers.bad.url" refers to the environment variable HOST_OF_BAD, which is not set; set it, or give a default with \${HOST_OF_BAD:-value}.\n` +
      `${at.file}:3:75: "mcpServers.bad.headers.A" refers to the environment variable NO_TOKEN, which is not set; set it, or give a default with \${NO_TOKEN:-value}.`,
  );
  assert.match(config.servers.get('odd')?.problem ?? '', /"mcpServers\.odd\.args\[0\]" holds "\$\{input:key\}"/);
});

test('a missing variable elsewhere is a mistake of the file', async () => {
  const { lines } = await mistakes('{ "telemetry": {\n "otlpUrl": "${NO_URL}" } }');
  assert.deepEqual(lines, [
    '2:14: "telemetry.otlpUrl" refers to the environment variable NO_URL, which is not set; set it, or give a default with ${NO_URL:-value}.',
  ]);
});

test('headers for the collector are checked, and only they may refer to secrets', async () => {
  const { lines } = await mistakes('{ "telemetry": { "headers": { "a b": "1", "X": "2", "x": "3", "y": "4\\n" } } }');
  assert.deepEqual(lines, [
    '1:31: "a b" is not a legal name for an HTTP header.',
    '1:53: the headers "X" and "x" are the same header; keep one of them.',
    '1:68: "telemetry.headers.y" must not contain line breaks, other control characters or characters beyond Latin-1.',
  ]);
  const elsewhere = await mistakes('{ "telemetry": { "otlpUrl": "http://${secret:HOST}" } }');
  assert.match(elsewhere.lines[0] ?? '', /secrets can be used only in .* of a server, and in "telemetry\.headers"/);
});

test('a header for the collector whose secret is missing or cannot be sent is left out with a warning', async () => {
  const at = await place('{ "telemetry": { "headers": { "A": "Bearer ${secret:KEY}", "B": "x" } } }');
  const read = (secrets?: () => string | null | undefined) => inspectConfig({ ...at, secrets });
  const values: readonly (readonly [value: string | null | undefined, why: RegExp])[] = [
    [undefined, /which is not set; set it: toolcrib secret set KEY$/],
    [null, /which cannot be read; set it again/],
    ['two\nlines', /whose value cannot stand in a header/],
  ];
  for (const [value, why] of values) {
    const { config, warnings } = await read(() => value);
    assert.deepEqual({ ...config.telemetry.headers }, { B: 'x' });
    assert.match(warnings.join('\n'), why);
  }
  assert.deepEqual([(await read()).config.telemetry.headers.A, (await read()).warnings], [undefined, []]);
  assert.equal((await read(() => 'v')).config.telemetry.headers.A, 'Bearer v');
});

test('settings are expanded, "$schema" and keys are not', async () => {
  const { config } = await load(
    '{ "$schema": "${NO_SCHEMA}", "telemetry": { "otlpUrl": "${URL}" }, "search": { "synonyms": { "${SET}": ["x"] } } }',
  );
  assert.equal(config.telemetry.otlpUrl, 'https://h/mcp');
  assert.deepEqual(config.search.synonyms, new Map([['${SET}', ['x']]]));
});

test('paths are absolute: relative to the file, or from home', async () => {
  const at = await place(
    '{ "connect": { "roots": [".", "~/code", { "uri": "file:///srv", "name": "srv" }], "preconnect": ["My Server", "my-server"] }, "store": { "url": "sqlite:db/x.db" }, "mcpServers": { "a": { "command": "~/bin/a", "cwd": "sub" }, "b": { "command": "x", "cwd": "~" } } }',
  );
  const { config } = await inspectConfig({ ...at, cwd: base, path: at.file });
  assert.deepEqual(config.connect.roots, [
    { uri: `file://${at.cwd}`, name: null },
    { uri: 'file:///homes/me/code', name: null },
    { uri: 'file:///srv', name: 'srv' },
  ]);
  assert.deepEqual(config.connect.preconnect, ['my-server']);
  assert.equal(config.store.path, join(at.cwd, 'db/x.db'));
  const [a, b] = [...config.servers.values()].map(({ transport }) => transport);
  assert.ok(a?.kind === 'stdio' && b?.kind === 'stdio');
  assert.equal(a.command, '/homes/me/bin/a');
  assert.equal(a.cwd, join(at.cwd, 'sub'));
  assert.equal(b.cwd, '/homes/me');
});

test('a mode that lacks its partner is a warning', async () => {
  const { warnings } = await load('{ "search": { "mode": "cloud" } }');
  assert.equal(warnings.length, 1);
  assert.match(
    warnings[0] ?? '',
    /toolcrib\.json:1:23: "search\.mode" is "cloud", but "search\.cloud\.url" is not set/,
  );
});

test('odd server names are safe', async () => {
  const long = 'n'.repeat(4_096);
  const odd = ['constructor', 'toString', 'hasOwnProperty', '../x', 'a\u0000b', '', long, 'My Server'];
  const { config } = await load(
    JSON.stringify({
      mcpServers: Object.fromEntries(odd.map((key) => [key, { command: 'x', env: { constructor: 'y' } }])),
    }),
  );
  assert.equal(config.servers.size, odd.length);
  for (const [name, spec] of config.servers) {
    assert.match(name, /^[a-z0-9][a-z0-9_-]{0,62}$/);
    assert.equal(spec.name, name);
    assert.equal(spec.transport.kind === 'stdio' && spec.transport.env.constructor, 'y');
  }
  assert.equal(config.servers.get('my-server')?.title, 'My Server');
  assert.equal(config.servers.get('constructor')?.title, null);
});

test('a key "__proto__" is an explicit mistake', async () => {
  const { lines } = await mistakes(
    '{ "mcpServers": { "__proto__": { "command": "x" }, "a": { "command": "x", "env": { "__proto__": "y" } } } }',
  );
  assert.deepEqual(lines, [
    '1:19: the key "__proto__" is not allowed anywhere in this file.',
    '1:84: the key "__proto__" is not allowed anywhere in this file.',
  ]);
  assert.equal('command' in {}, false);
});

test('mistakes in oddly named servers stay on one line', async () => {
  const { lines } = await mistakes(
    JSON.stringify({ mcpServers: { 'a\nb\u202e': { command: 5 }, [`${'q'.repeat(4_096)}`]: { command: 5 } } }),
  );
  assert.deepEqual(lines, [
    `1:35: "mcpServers['a\\nb'].command" must be a string, but the number 5 was found.`,
    `1:4148: "mcpServers['${'q'.repeat(80)}…'].command" must be a string, but the number 5 was found.`,
  ]);
});

test('the data folder is in the home folder', () => {
  assert.equal(defaultDataDir({ HOME: '/homes/me' }), '/homes/me/.toolcrib');
  assert.ok(defaultDataDir({}).endsWith('.toolcrib'));
});
