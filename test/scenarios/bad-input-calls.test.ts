/** Calls and names that make no sense or mean harm: explained, passed on exactly or refused, and harmless. */

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { after, before, test } from 'node:test';
import { routeTable } from '../../src/door/door.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { sendRaw } from '../kit/raw-http.ts';

const parameters = {
  type: 'object',
  properties: {
    owner: { type: 'string' },
    count: { type: 'integer' },
    mode: { type: 'string', enum: ['fast', 'slow'] },
  },
  required: ['owner'],
  additionalProperties: false,
};
const mirror = { name: 'mirror', description: 'Gives back what it got.', inputSchema: { type: 'object' } };
const strict = { name: 'create_issue', description: 'Creates an issue.', inputSchema: parameters };
const heir = {
  name: 'constructor',
  description: 'Has the name of an inherited member.',
  inputSchema: { type: 'object' },
};

/** A server may write anything in the place of a text. */
const wordless = { name: 'wordless_ledger', description: { text: 'Keeps a ledger.' }, inputSchema: { type: 'object' } };

const plan = hostServers({ good: { tools: [mirror, strict, heir, wordless as unknown as typeof mirror] } });
let gateway: TestGateway;
let agent: ModernAgent;

before(async () => {
  gateway = await openTestGateway({ servers: plan.servers });
  agent = new ModernAgent(gateway);
  await agent.tools();
});
after(() => gateway.close());

function assertUnpolluted(): void {
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
  assert.equal(Object.keys(Object.prototype).length, 0);
}

test('[BAD-09] a tool that does not exist is answered with the nearest names', async () => {
  for (const [name, nearest] of [
    ['good.create_isue', 'good.create_issue'],
    ['good.createissue', 'good.create_issue'],
    ['tool_discover', 'tool_discovery'],
  ] as const) {
    const { errorType, hint, result } = await agent.call(name);
    assert.equal(errorType, 'TOOL_NOT_FOUND');
    assert.ok(hint.includes(`"${nearest}"`), `${name}: ${hint}`);
    assert.ok((result.structuredContent as { suggestedTools: string[] }).suggestedTools.includes(nearest));
  }
  const search = new ModernAgent(gateway, '/mcp?surface=search');
  const { errorType, hint } = await search.call('tool_execute', { toolKey: 'good:create_isue', arguments: {} });
  assert.equal(errorType, 'TOOL_NOT_FOUND');
  assert.match(hint, /"good:create_issue"/);
  for (const name of ['toString', 'hasOwnProperty', '__proto__', 'good.toString', 'good.__proto__', ''])
    assert.equal((await agent.call(name)).errorType, 'TOOL_NOT_FOUND', name);
});

test('[BAD-10] a wrong argument is named, with what is allowed, and never reaches the server', async () => {
  for (const [args, what] of [
    [{}, /the parameter "owner" is missing/],
    [{ owner: ['x'] }, /owner: must be a string, got an array/],
    [{ owner: 'a', count: 1.5 }, /count: /],
    [{ owner: 'a', mode: 'medium' }, /mode: .*fast/],
    [{ owner: 'a', cuont: 1 }, /there is no parameter "cuont"; did you mean "count"\?/],
  ] as const) {
    const { errorType, text, hint } = await agent.call('good.create_issue', args);
    assert.equal(errorType, 'ARGUMENTS_INVALID', text);
    assert.match(text, what);
    assert.match(text, /"good:create_issue"/);
    assert.equal(hint, 'It takes: owner, count?: integer, mode?: fast|slow');
  }
  const answer = await agent.ask('tools/call', { name: 'good.mirror', arguments: [1, 2] });
  assert.match(JSON.stringify(answer), /the arguments must be an object|must be an object/);
  assert.equal(plan.noted('good', 'tool').length, 0);
});

test('[BAD-11] keys of prototypes are data: passed on exactly, and nothing is changed by them', async () => {
  const args = JSON.parse(
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":"t","hasOwnProperty":1,"deep":{"__proto__":{"polluted":1}}}',
  ) as Record<string, unknown>;
  const { text } = await agent.call('good.mirror', args);
  const said = text.slice(text.indexOf('"arguments":') + '"arguments":'.length, -1);
  assert.equal(said, JSON.stringify(args));
  assert.match(said, /^\{"__proto__":\{"polluted":true\}/);
  const search = new ModernAgent(gateway, '/mcp?surface=search');
  const executed = await search.call('tool_execute', { toolKey: 'good:mirror', arguments: args });
  assert.ok(executed.text.includes('"__proto__":{"polluted":true}'), executed.text);
  const byOwner = await fetch(`${gateway.url}/api/tools.call`, {
    method: 'POST',
    headers: { ...gateway.ownerHeaders, 'content-type': 'application/json' },
    body: JSON.stringify({ toolKey: 'good:mirror', arguments: args }),
  });
  assert.ok(
    (await byOwner.text()).includes(String.raw`\"__proto__\":{\"polluted\":true}`),
    'nothing is dropped in silence',
  );
  await agent.ask('tools/call', {
    name: 'good.mirror',
    arguments: {},
    _meta: JSON.parse('{"__proto__":{"polluted":1}}'),
  });
  assert.ok(!(await agent.call('good.constructor')).isError, 'a tool may have such a name');
  assertUnpolluted();
});

const hostile = [
  '../../etc/x',
  '..\\..\\x',
  '/etc/x',
  'a\0b',
  'CON',
  '.',
  '..',
  '.hidden',
  '__proto__',
  'constructor',
  'x'.repeat(4_096),
];

test('[BAD-12] names that mean harm become safe names or are refused, and nothing is written elsewhere', async () => {
  const before = new Set(await readdir(tmpdir()));
  const spec = { command: 'no-such-command-at-all' };
  const names: string[] = [];
  for (const name of hostile) {
    const response = await fetch(`${gateway.url}/api/servers.add`, {
      method: 'POST',
      headers: { ...gateway.ownerHeaders, 'content-type': 'application/json' },
      body: JSON.stringify({ name, spec }),
    });
    const body = (await response.json()) as { name?: string; error?: { message: string } };
    assert.ok([200, 400].includes(response.status), `${name}: ${response.status} ${JSON.stringify(body)}`);
    if (body.name === undefined) continue;
    assert.match(body.name, /^[a-z0-9][a-z0-9_-]{0,62}$/);
    names.push(body.name);
  }
  assert.equal(new Set(names).size, names.length, 'each has a name of its own');
  for (const name of names) await gateway.gateway.admin.run('servers.remove', { name });
  assert.deepEqual(
    (await readdir(tmpdir())).filter((name) => !before.has(name) && hostile.some((item) => item.includes(name))),
    [],
  );
  for (const path of [
    '..%2f..%2fetc',
    '%2e%2e',
    '__proto__',
    'constructor',
    '%00',
    '%ff',
    'good%2f..%2fgood',
    'GOOD',
  ]) {
    const { status } = await fetch(`${gateway.url}/servers/${path}/mcp`, {
      method: 'POST',
      headers: { ...gateway.agentHeaders, 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    assert.ok(status === 404 || status === 400, `${path}: ${status}`);
  }
  assertUnpolluted();
  assert.equal((await agent.call('good.mirror', { still: 'here' })).isError, false);
});

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE'];
const concrete = (pattern: string) => pattern.replace('{server}', 'good').replace('*', 'servers.list');
const paths = [
  ...routeTable.map(({ pattern }) => concrete(pattern)),
  ...[
    '/',
    '/metrics',
    '/catalog/search',
    '/projects/x/mcp',
    '/mcp/',
    '//mcp',
    '/MCP',
    '/api',
    '/api/',
    '/api/openapi.json',
  ],
  ...[
    '/servers/none/mcp',
    '/../mcp',
    '/healthz/x',
    '/readyz?token=x',
    '/mcp?token=x',
    '/.well-known/x',
    '/favicon.ico',
  ],
];
const disguises: Readonly<Record<string, string>>[] = [
  {},
  { Authorization: 'Bearer tc_wrong-token-that-nobody-has' },
  { Authorization: 'Basic dXNlcjpwYXNz' },
  {
    'X-Forwarded-User': 'admin',
    'X-Forwarded-For': '127.0.0.1',
    'X-Original-URL': '/healthz',
    'X-Real-IP': '127.0.0.1',
  },
];

test('[BAD-13] without a valid token every route answers no to every method, except for the two probes and the dashboard', async () => {
  const host = new URL(gateway.url).host;
  for (const path of paths) {
    for (const method of methods) {
      for (const disguise of disguises) {
        const lines = Object.entries({
          Host: host,
          'Content-Type': 'application/json',
          'Content-Length': '2',
          ...disguise,
        });
        const head = lines.map(([name, value]) => `${name}: ${value}`).join('\r\n');
        const { status } = await sendRaw(
          gateway.url,
          `${method} ${path} HTTP/1.1\r\n${head}\r\nConnection: close\r\n\r\n{}`,
        );
        const isReading = method === 'GET' || method === 'HEAD';
        // Its files are the same for everybody; in a checkout without a build there are none.
        if (isReading && /^\/(\?|$)/.test(path)) assert.ok(status === 200 || status === 404, `${method} ${path}`);
        else if (isReading && /^\/(healthz|readyz)(\?|$)/.test(path)) assert.equal(status, 200, `${method} ${path}`);
        else assert.ok(status >= 400 && status < 500, `${method} ${path}: ${status}`);
      }
    }
  }
});

test('[BAD-14] with a token an unknown path is 404 and a wrong method 405 with those that are allowed', async () => {
  const ask = (path: string, method: string) =>
    fetch(`${gateway.url}${path}`, { method, headers: gateway.ownerHeaders, redirect: 'manual' });
  for (const path of ['/nothing', '/mcp/', '/servers/mcp', '/servers/none/mcp', '/s//mcp', '/api2', '/healthz/'])
    assert.equal((await ask(path, 'POST')).status, 404, path);
  for (const { pattern, methods: allowed } of routeTable) {
    const response = await ask(concrete(pattern), 'PUT');
    assert.equal(response.status, 405, pattern);
    assert.equal(response.headers.get('allow'), allowed.join(', '));
  }
  const unknown = await fetch(`${gateway.url}/api/servers.destroy`, {
    method: 'POST',
    headers: { ...gateway.ownerHeaders, 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(unknown.status, 404);
  assert.match(await unknown.text(), /There is no operation/);
});

test('[BAD-15] the owner door and API are closed to an agent, and an agent learns nothing from the refusal', async () => {
  for (const path of ['/gateway/mcp', '/g/mcp', '/api/servers.list', '/api/openapi.json', '/api/nothing']) {
    const response = await fetch(`${gateway.url}${path}`, {
      method: path.endsWith('.json') ? 'GET' : 'POST',
      headers: { ...gateway.agentHeaders, 'content-type': 'application/json' },
      ...(path.endsWith('.json') ? {} : { body: '{}' }),
    });
    assert.equal(response.status, 403, path);
    assert.doesNotMatch(await response.text(), /good|command/);
  }
});

test('[BAD-20] a description that is no text is shown as none, wherever tools are shown', async () => {
  const { admin } = gateway.gateway;
  const full = new ModernAgent(gateway, '/mcp?surface=full');
  const shown = [
    await admin.run('tools.list', {}),
    await admin.run('tools.search', { query: 'wordless ledger' }),
    ...(await Promise.all([
      full.call('recommend_tools', { task: 'wordless ledger' }),
      full.call('tool_discovery', { query: 'wordless ledger' }),
      full.call('tool_info', { toolKey: 'good:wordless_ledger' }),
      full.call('list_tools_meta'),
    ])),
  ].map((answer) => JSON.stringify(answer));
  for (const text of shown) {
    assert.match(text, /wordless_ledger/);
    assert.doesNotMatch(text, /object Object/);
  }
});
