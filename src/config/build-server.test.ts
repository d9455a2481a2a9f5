/** Tests of what a server block may hold, and of what other agents write into it. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the references of the config file
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { GatewayError } from '../base/errors.ts';
import { inspectConfig, parseServer, sameServer } from './config.ts';

const env = { HOME: '/homes/me', TOKEN: 'abc', BROKEN: 'a\r\nb', EMPTY: '', KIND: 'carrier-pigeon' };
const parse = (raw: unknown, name = 's') => parseServer(name, raw, env, 'store');

function refusal(raw: unknown, name = 's'): string {
  try {
    parse(raw, name);
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    assert.equal(error.code, 'CONFIG_INVALID');
    return error.message;
  }
  return assert.fail('The server was accepted.');
}

const folder = await mkdtemp(join(tmpdir(), 'toolcrib-server-'));
const noNames = { aliases: new Map(), category: null, categories: new Map() };
after(() => rm(folder, { recursive: true, force: true }));

async function warningsOf(server: object): Promise<string[]> {
  const file = join(folder, 'toolcrib.json');
  await writeFile(file, JSON.stringify({ mcpServers: { s: server } }));
  const { warnings } = await inspectConfig({ cwd: folder, dataDir: folder, env });
  return warnings.map((line) => line.replace(/^.*?:\d+:\d+: /, ''));
}

test('a started server has every default', () => {
  assert.deepEqual(parse({ command: 'npx' }), {
    name: 's',
    title: null,
    description: null,
    origin: 'store',
    isEnabled: true,
    transport: { kind: 'stdio', command: 'npx', args: [], env: Object.create(null), cwd: null },
    projects: [],
    tools: null,
    permissions: new Map(),
    timeoutMs: null,
    cacheTtlMs: 0,
    idleMs: null,
    maxConcurrent: 16,
    ...{ perSession: false, upgrades: null },
    ...noNames,
    ...{ secrets: [], problem: null },
  });
});

test('every member is taken over', () => {
  const spec = parse({
    url: 'https://h/mcp',
    headers: { Authorization: 'Bearer ${TOKEN}' },
    enabled: false,
    title: 'T',
    description: 'D',
    projects: ['p', 'p', 'q'],
    tools: ['a', 'b', 'a'],
    permissions: { a: 'ask', toString: 'deny' },
    timeoutMs: 1,
    cacheTtlMs: 2,
    idleMs: 0,
    maxConcurrent: 3,
    ...{ perSession: true, upgrades: 'mark' },
    aliases: { short: 'a' },
  });
  assert.deepEqual(spec, {
    name: 's',
    title: 'T',
    description: 'D',
    origin: 'store',
    isEnabled: false,
    transport: {
      kind: 'http',
      url: 'https://h/mcp',
      headers: Object.assign(Object.create(null), { Authorization: 'Bearer abc' }),
    },
    projects: ['p', 'q'],
    tools: ['a', 'b'],
    permissions: new Map([
      ['a', 'ask'],
      ['toString', 'deny'],
    ]),
    timeoutMs: 1,
    cacheTtlMs: 2,
    idleMs: 0,
    maxConcurrent: 3,
    ...{ perSession: true, upgrades: 'mark' },
    ...noNames,
    aliases: new Map([['short', 'a']]),
    ...{ secrets: [], problem: null },
  });
  assert.ok(Object.isFrozen(spec) && Object.isFrozen(spec.tools));
});

test('each spelling of a transport is understood', () => {
  const kinds: readonly [object, string][] = [
    [{ command: 'x' }, 'stdio'],
    [{ command: 'x', type: 'stdio' }, 'stdio'],
    [{ command: 'x', type: 'local' }, 'stdio'],
    [{ command: 'x', transportType: 'stdio' }, 'stdio'],
    [{ url: 'http://h' }, 'http'],
    [{ url: 'http://h', type: 'http' }, 'http'],
    [{ url: 'http://h', type: 'streamable-http' }, 'http'],
    [{ url: 'http://h', type: 'streamableHttp' }, 'http'],
    [{ url: 'http://h', transport: 'streamable_http' }, 'http'],
    [{ url: 'http://h', type: 'sse' }, 'sse'],
    [{ url: 'http://h', type: 'sse', transportType: 'sse' }, 'sse'],
    [{ httpUrl: 'http://h' }, 'http'],
    [{ serverUrl: 'http://h' }, 'http'],
  ];
  for (const [raw, kind] of kinds) assert.equal(parse(raw).transport.kind, kind, JSON.stringify(raw));
});

test('a contradiction about the transport is explained', () => {
  const cases: readonly [unknown, string][] = [
    [{}, '"mcpServers.s" has neither "command" nor "url"; one of them must say how the server is reached.'],
    [
      { command: 'x', url: 'http://h' },
      '"mcpServers.s" has both "command" and "url"; a server is either started by a command or reached at a URL.',
    ],
    [
      { command: 'x', type: 'http' },
      '"mcpServers.s.type" is "http", but the server has a "command"; leave "type" out or correct it.',
    ],
    [
      { url: 'http://h', type: 'stdio' },
      '"mcpServers.s.type" is "stdio", but the server has a URL; leave "type" out or correct it.',
    ],
    [
      { url: 'http://h', serverUrl: 'http://i' },
      '"mcpServers.s" has both "url" and "serverUrl", which mean the same; keep one of them.',
    ],
    [
      { url: 'http://h', type: 'ws' },
      '"mcpServers.s.type" must be "stdio", "http", "streamable-http" or "sse", but the string "ws" was found.',
    ],
    [5, '"mcpServers.s" must be an object, but the number 5 was found.'],
    ['${TOKEN}', '"mcpServers.s" must be an object, but the string "${TOKEN}" was found.'],
  ];
  for (const [raw, expected] of cases) assert.equal(refusal(raw), expected);
});

test('URLs are http or https and nothing else', () => {
  assert.equal(parse({ url: 'http://[::1]:3000/mcp?x=1#y' }).problem, null);
  const cases: readonly [string, string][] = [
    ['ftp://h', '"mcpServers.s.url" must begin with http:// or https://, but the string "ftp://h" was found.'],
    [
      'javascript:alert(1)',
      '"mcpServers.s.url" must begin with http:// or https://, but the string "javascript:alert(1)" was found.',
    ],
    [
      'h/mcp',
      '"mcpServers.s.url" must be a complete URL such as "https://example.com/mcp", but the string "h/mcp" was found.',
    ],
    ['', '"mcpServers.s.url" must be a complete URL such as "https://example.com/mcp", but the string "" was found.'],
    [
      ' http://h',
      '"mcpServers.s.url" must not contain spaces or control characters, but the string " http://h" was found.',
    ],
    [
      'http://h/\u0000',
      '"mcpServers.s.url" must not contain spaces or control characters, but the string "http://h/" was found.',
    ],
    [
      'http://u:p@h/',
      '"mcpServers.s.url" must not hold a user name or password (a header can), but the string "http://***@h/" was found.',
    ],
  ];
  for (const [url, expected] of cases) assert.equal(refusal({ url }), expected);
});

test('headers cannot smuggle lines or stand twice', () => {
  const withHeaders = (headers: object) => refusal({ url: 'http://h', headers });
  assert.equal(withHeaders({ 'A b': 'x' }), '"A b" is not a legal name for an HTTP header.');
  assert.equal(withHeaders({ '': 'x' }), '"" is not a legal name for an HTTP header.');
  assert.equal(withHeaders({ 'X-A\r\nB': 'x' }), '"X-A\\r\\nB" is not a legal name for an HTTP header.');
  for (const value of ['a\r\nB: c', 'a\nb', '\u0000', 'é✓']) {
    assert.equal(
      withHeaders({ A: value }),
      '"mcpServers.s.headers.A" must not contain line breaks, other control characters or characters beyond Latin-1.',
    );
  }
  assert.equal(
    withHeaders({ Authorization: 'a', authorization: 'b' }),
    'the headers "Authorization" and "authorization" are the same header; keep one of them.',
  );
});

test('values that a process cannot get are refused', () => {
  const control = 'must not be empty or contain control characters';
  assert.equal(refusal({ command: ' ' }), `"mcpServers.s.command" ${control}, but the string " " was found.`);
  assert.equal(refusal({ command: 'a\nb' }), `"mcpServers.s.command" ${control}, but the string "a b" was found.`);
  assert.equal(
    refusal({ command: 'x', cwd: '' }).split('\n')[0],
    `"mcpServers.s.cwd" ${control}, but the string "" was found.`,
  );
  assert.equal(
    refusal({ command: 'x', args: ['a', '\u0000'] }),
    '"mcpServers.s.args[1]" must not contain the character NUL.',
  );
  assert.equal(
    refusal({ command: 'x', env: { A: '\u0000' } }),
    '"mcpServers.s.env.A" must not contain the character NUL.',
  );
  for (const name of ['', 'A=B', 'A\u0000']) {
    assert.match(refusal({ command: 'x', env: { [name]: 'y' } }), /cannot be an environment variable/);
  }
});

test('numbers and truth values in an environment become text', () => {
  const { transport } = parse({ command: 'x', env: { PORT: 8080, DEBUG: true } });
  assert.deepEqual(transport.kind === 'stdio' && { ...transport.env }, { PORT: '8080', DEBUG: 'true' });
  assert.equal(
    refusal({ command: 'x', env: { A: null } }),
    '"mcpServers.s.env.A" must be a string, but null was found.',
  );
});

test('a relative folder needs something to be relative to', () => {
  assert.equal(
    refusal({ command: 'x', cwd: 'sub' }),
    '"mcpServers.s.cwd" must be an absolute path, but the string "sub" was found.',
  );
  const cwdOf = (cwd: string, baseDir: string | null) => {
    const { transport } = parseServer('s', { command: 'x', cwd }, env, 'store', { baseDir });
    return transport.kind === 'stdio' && transport.cwd;
  };
  assert.equal(cwdOf('sub', '/base'), '/base/sub');
  assert.equal(cwdOf('/abs', null), '/abs');
  assert.equal(cwdOf('~/x', null), '/homes/me/x');
});

test('only a leading ~/ of a command is expanded', () => {
  const commandOf = (command: string) => {
    const { transport } = parse({ command, args: ['~/a'] });
    return transport.kind === 'stdio' && [transport.command, ...transport.args];
  };
  assert.deepEqual(commandOf('~/bin/x'), ['/homes/me/bin/x', '~/a']);
  assert.deepEqual(commandOf('a/~/x'), ['a/~/x', '~/a']);
  assert.deepEqual(commandOf('~root/x'), ['~root/x', '~/a']);
});

test('a name becomes legal and stays as title', () => {
  const spec = parse({ command: 'x' }, 'My Server');
  assert.equal(spec.name, 'my-server');
  assert.equal(spec.title, 'My Server');
  assert.equal(parse({ command: 'x', title: 'Mine' }, 'My Server').title, 'Mine');
});

test('a missing variable is a problem of the server, not an error', () => {
  const spec = parse({ url: 'https://${NO_HOST}/mcp', headers: { A: '${TOKEN}' } });
  assert.equal(
    spec.problem,
    '"mcpServers.s.url" refers to the environment variable NO_HOST, which is not set; set it, or give a default with ${NO_HOST:-value}.',
  );
  assert.equal(spec.transport.kind === 'http' && spec.transport.url, 'https://${NO_HOST}/mcp');
});

test('a variable with a value that cannot be used is a problem of the server too', () => {
  const problemOf = (raw: object) => parse(raw).problem;
  assert.match(
    problemOf({ url: 'http://h', headers: { A: '${BROKEN}' } }) ?? '',
    /^"mcpServers\.s\.headers\.A" must not contain line breaks/,
  );
  assert.match(problemOf({ url: '${EMPTY}' }) ?? '', /^"mcpServers\.s\.url" must be a complete URL/);
  assert.match(problemOf({ command: '${EMPTY}' }) ?? '', /^"mcpServers\.s\.command" must not be empty/);
  assert.equal(
    problemOf({ url: 'http://h', type: '${KIND}' }),
    '"mcpServers.s.type" must be "stdio", "http", "streamable-http" or "sse", but the string "${KIND}" was found.',
  );
  assert.match(
    problemOf({ command: 'x', permissions: { a: '${NO_PERMISSION}' } }) ?? '',
    /NO_PERMISSION, which is not set/,
  );
  assert.match(problemOf({ url: 'http://h', type: '${NO_TYPE:-stdio}' }) ?? '', /is "stdio", but the server has a URL/);
});

test('a mistake of the file beside a missing variable is still an error', () => {
  assert.equal(
    refusal({ command: '${NO_COMMAND}', timeoutMs: 0 }),
    '"mcpServers.s.timeoutMs" must be a whole number from 1 to 2147483647, but the number 0 was found.',
  );
});

test('keys of other agents are translated where they mean something', () => {
  assert.equal(parse({ command: 'x', disabled: true }).isEnabled, false);
  assert.equal(parse({ command: 'x', disabled: false }).isEnabled, true);
  assert.equal(parse({ command: 'x', enabled: true, disabled: false }).isEnabled, true);
  assert.equal(
    refusal({ command: 'x', enabled: true, disabled: true }),
    '"mcpServers.s" has "enabled" and "disabled" that contradict each other; keep one of them.',
  );
  assert.equal(parse({ command: 'x', tools: ['*'] }).tools, null);
  assert.equal(parse({ command: 'x', tools: null }).tools, null);
  assert.deepEqual(parse({ command: 'x', tools: [] }).tools, []);
  assert.deepEqual(parse({ command: 'x', includeTools: ['a'] }).tools, ['a']);
  const { permissions } = parse({
    command: 'x',
    disabledTools: ['a', 'b'],
    excludeTools: ['c'],
    permissions: { b: 'ask' },
  });
  assert.deepEqual(
    permissions,
    new Map([
      ['a', 'deny'],
      ['b', 'ask'],
      ['c', 'deny'],
    ]),
  );
});

test('keys of other agents that mean nothing here are left out with a warning', async () => {
  assert.deepEqual(
    await warningsOf({ command: 'x', alwaysAllow: ['a'], autoApprove: [], timeout: 60, disabled: false }),
    [
      '"mcpServers.s.alwaysAllow" is ignored: whether a call needs approval is set by "permissions".',
      '"mcpServers.s.autoApprove" is ignored: whether a call needs approval is set by "permissions".',
      '"mcpServers.s.timeout" is ignored: its unit differs between agents; write "timeoutMs" instead.',
    ],
  );
});

test('members without use beside the others are a warning', async () => {
  assert.deepEqual(await warningsOf({ url: 'http://h', env: { A: '1' }, args: [] }), [
    '"mcpServers.s.env" is ignored, because it has no use beside "url".',
  ]);
  assert.deepEqual(await warningsOf({ command: 'x', headers: { A: '1' } }), [
    '"mcpServers.s.headers" is ignored, because it has no use beside "command".',
  ]);
  assert.deepEqual(await warningsOf({ command: 'npx -y thing' }), [
    '"mcpServers.s.command" contains a space and no shell will split it; put the words after the first into "args".',
  ]);
  assert.deepEqual(await warningsOf({ command: '/Program Files/x' }), []);
});

test('unknown keys name the nearest', () => {
  assert.equal(
    refusal({ command: 'x', timeoutMS: 5 }),
    'In "mcpServers.s": unknown key "timeoutMS"; did you mean "timeoutMs"?',
  );
  assert.match(
    refusal({ command: 'x', zzz: 5 }),
    /^In "mcpServers\.s": unknown key "zzz"; allowed here: command, args, env, /,
  );
  assert.match(refusal({ command: 'x', toString: 5 }), /^In "mcpServers\.s": unknown key "toString"; allowed here/);
});

test('aliases are legal tool names', () => {
  assert.equal(
    refusal({ command: 'x', aliases: { 'a b': 't' } }),
    '"a b" cannot be an alias; allowed are 1 to 128 letters, digits, "_", "-" and ".".',
  );
  assert.equal(
    refusal({ command: 'x', aliases: { a: '' } }),
    '"mcpServers.s.aliases.a" must be the name of a tool, but the string "" was found.',
  );
});

test('"__proto__" is refused as name and as key, and nothing is polluted', () => {
  assert.equal(refusal({ command: 'x' }, '__proto__'), 'a server cannot be named "__proto__".');
  const raw: unknown = JSON.parse('{ "command": "x", "env": { "__proto__": { "polluted": "yes" } } }');
  assert.equal(refusal(raw), 'the key "__proto__" is not allowed in a server.');
  const own: unknown = JSON.parse(
    '{ "command": "x", "permissions": { "constructor": "deny", "hasOwnProperty": "ask" } }',
  );
  assert.equal(parse(own).permissions.get('constructor'), 'deny');
  assert.equal('polluted' in {}, false);
});

test('a value nested too deep is refused', () => {
  let deep: unknown = 'x';
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  assert.match(refusal({ command: 'x', args: deep }), /^objects and lists are nested deeper than 32 levels\.$/);
});

test('servers are the same when everything about them is', () => {
  const raw = { command: 'x', args: ['a'], env: { A: '1', B: '2' }, permissions: { a: 'ask', b: 'deny' } };
  assert.ok(sameServer(parse(raw), parse({ ...raw, env: { B: '2', A: '1' }, permissions: { b: 'deny', a: 'ask' } })));
  const others = [
    { ...raw, args: ['b'] },
    { ...raw, env: { A: '1' } },
    { ...raw, permissions: { a: 'ask', b: 'ask' } },
    { ...raw, perSession: true },
    { ...raw, title: 'T' },
    { ...raw, disabled: true },
    { url: 'http://h' },
  ];
  for (const other of others) assert.equal(sameServer(parse(raw), parse(other)), false, JSON.stringify(other));
  assert.equal(sameServer(parse(raw), parse(raw, 't')), false);
});
