/** The demo servers as an agent meets them: real processes, driven by the SDK's own client. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { after, test } from 'node:test';
import { Client, ProtocolError } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { isObject } from '../base/json.ts';
import { demoServers } from './demo.ts';

const servers = demoServers();

interface Connected {
  readonly client: Client;
  /** Every message that the server has sent. */
  readonly heard: unknown[];
  /** Calls a tool that must succeed and gives its structured result. */
  call(name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Calls a tool that must say no and gives what it said. */
  refused(name: string, args?: Record<string, unknown>): Promise<string>;
}

const clients: Client[] = [];
after(() => Promise.all(clients.map((client) => client.close())));

/** One process of a server for all tests that leave it as it was. */
const shared = new Map<string, Promise<Connected>>();

function share(name: string): Promise<Connected> {
  const known = shared.get(name) ?? connect(name);
  shared.set(name, known);
  return known;
}

async function connect(name: string): Promise<Connected> {
  const server = servers[name];
  assert.ok(server);
  const env = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '' };
  const transport = new StdioClientTransport({ command: server.command, args: [...server.args], env });
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  await client.connect(transport);
  clients.push(client);
  const heard: unknown[] = [];
  const pass = transport.onmessage;
  transport.onmessage = (message) => {
    heard.push(message);
    pass?.(message);
  };
  // Listing first lets the client check every structured result against the tool's output schema.
  await client.listTools();
  return {
    client,
    heard,
    async call(tool, args = {}) {
      const result = await client.callTool({ name: tool, arguments: args });
      assert.notEqual(result.isError, true, JSON.stringify(result.content));
      assert.ok(isObject(result.structuredContent));
      assert.deepEqual(JSON.parse(textOf(result.content)), result.structuredContent);
      return result.structuredContent;
    },
    async refused(tool, args = {}) {
      const result = await client.callTool({ name: tool, arguments: args });
      assert.equal(result.isError, true, JSON.stringify(result));
      return textOf(result.content);
    },
  };
}

function textOf(content: readonly { readonly type: string }[]): string {
  const [first] = content;
  assert.ok(first && 'text' in first && typeof first.text === 'string');
  return first.text;
}

const toolNames: Readonly<Record<string, readonly string[]>> = {
  notes: ['add_note', 'list_notes', 'search_notes', 'update_note', 'delete_note'],
  clock: ['current_time', 'convert_time', 'days_between', 'add_days'],
  math: ['calculate', 'convert_units', 'statistics', 'random_number'],
  weather: ['get_weather', 'get_forecast', 'get_weather_slow', 'get_radar_image'],
  meteo: ['get_weather', 'get_cloud_map', 'get_measurements'],
};

test('five servers are offered, each with a program that exists', () => {
  assert.deepEqual(Object.keys(servers), Object.keys(toolNames));
  for (const [name, { command, args, title, description }] of Object.entries(servers)) {
    assert.equal(command, process.execPath);
    assert.equal(args.length, 2);
    assert.ok(existsSync(args[0] ?? ''));
    assert.equal(args[1], name);
    assert.ok(title.length > 0 && description.length > 0);
  }
});

for (const [name, expected] of Object.entries(toolNames)) {
  test(`${name}: introduces itself and lists well-described tools`, async () => {
    const { client } = await share(name);
    assert.equal(client.getServerVersion()?.title, servers[name]?.title);
    assert.equal(client.getInstructions(), servers[name]?.description);
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map((tool) => tool.name),
      expected,
    );
    for (const tool of tools) {
      assert.match(tool.description ?? '', /^[A-Z][^.]+\. Use it [^.]+\.$/);
      assert.equal(tool.annotations?.openWorldHint, false);
      assert.equal(typeof tool.annotations?.readOnlyHint, 'boolean');
      for (const [parameter, schema] of Object.entries(tool.inputSchema.properties ?? {})) {
        assert.ok(isObject(schema) && typeof schema.description === 'string', `${tool.name}: ${parameter}`);
      }
    }
  });
}

test('notes: are added, found, changed and deleted', async () => {
  const { client, call, refused } = await connect('notes');
  assert.equal((await call('list_notes')).count, 4);
  assert.equal((await call('list_notes', { tag: 'home' })).count, 2);
  const added = await call('add_note', { title: 'Bees', text: 'Ask Ada about hives.', tags: ['garden'] });
  assert.equal(added.id, 5);
  assert.equal((await call('search_notes', { query: 'HIVES ada' })).count, 1);
  assert.equal((await call('search_notes', { query: 'hives wasps' })).count, 0);
  const { updatedAt: _, ...changed } = await call('update_note', { id: 5, text: 'Done.' });
  assert.deepEqual(changed, { id: 5, title: 'Bees', text: 'Done.', tags: ['garden'] });
  const deleted = await client.callTool({ name: 'delete_note', arguments: { id: 5 } });
  assert.equal(textOf(deleted.content), 'Note 5 ("Bees") was deleted.');
  assert.match(await refused('delete_note', { id: 5 }), /^There is no note 5\./);
  assert.match(await refused('update_note', { id: 1 }), /nothing to change/);
  assert.match(await refused('add_note', { title: 'x' }), /"text" is missing/);
  assert.equal((await call('add_note', { title: 'Next', text: 'An id is not used twice.' })).id, 6);
});

test('notes: are resources, and a change of the list is announced', async () => {
  const { client, call, heard } = await connect('notes');
  const { resources } = await client.listResources();
  assert.deepEqual(
    resources.map((resource) => resource.uri),
    ['note://1', 'note://2', 'note://3', 'note://4'],
  );
  assert.equal((await client.listResourceTemplates()).resourceTemplates[0]?.uriTemplate, 'note://{id}');
  const { contents } = await client.readResource({ uri: 'note://3' });
  assert.ok(contents[0] && 'text' in contents[0]);
  assert.match(contents[0].text, /^# Team meeting\nRelease on Thursday/);
  for (const uri of ['note://99', 'note://x', 'file:///etc/hosts']) {
    await assert.rejects(client.readResource({ uri }), (error) => error instanceof ProtocolError, uri);
  }
  await call('add_note', { title: 'New', text: 'Something.' });
  const announced = heard.filter((message) => JSON.stringify(message).includes('notifications/resources/list_changed'));
  assert.equal(announced.length, 1);
  assert.equal((await client.listResources()).resources.length, 5);
});

test('notes: a prompt asks for a summary', async () => {
  const { client } = await share('notes');
  assert.equal((await client.listPrompts()).prompts[0]?.name, 'summarize_notes');
  const promptText = async (args: Record<string, string>) => {
    const { messages } = await client.getPrompt({ name: 'summarize_notes', arguments: args });
    assert.ok(messages[0]?.content.type === 'text');
    return messages[0].content.text;
  };
  assert.match(await promptText({}), /^Summarize these notes.+# Shopping list.+# Books to read/s);
  assert.doesNotMatch(await promptText({ topic: 'peas' }), /Shopping/);
  assert.match(await promptText({ topic: 'zebra' }), /no notes/);
  await assert.rejects(client.getPrompt({ name: 'other' }), /There is no prompt "other"/);
});

test('clock: tells, converts and counts', async () => {
  const { call, refused } = await share('clock');
  const now = await call('current_time', { timezone: 'Asia/Tokyo' });
  assert.match(String(now.dateTime), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+09:00$/);
  assert.ok(Math.abs(Date.parse(String(now.dateTime)) - Date.now()) < 60_000);
  assert.equal(typeof (await call('current_time')).timezone, 'string');
  const meeting = { time: '2026-07-01T09:30', from: 'America/New_York', to: 'Europe/Berlin' };
  assert.deepEqual(await call('convert_time', meeting), {
    from: { timezone: 'America/New_York', dateTime: '2026-07-01T09:30:00-04:00', weekday: 'Wednesday' },
    to: { timezone: 'Europe/Berlin', dateTime: '2026-07-01T15:30:00+02:00', weekday: 'Wednesday' },
    differenceHours: 6,
  });
  const between = { days: 31, startWeekday: 'Thursday', endWeekday: 'Sunday' };
  assert.deepEqual(await call('days_between', { start: '2026-01-01', end: '2026-02-01' }), between);
  assert.deepEqual(await call('add_days', { date: '2026-01-01', days: -1 }), {
    date: '2025-12-31',
    weekday: 'Wednesday',
  });
  assert.match(await refused('current_time', { timezone: 'Tokio' }), /no time zone "Tokio"/);
  assert.match(await refused('days_between', { start: '2026-02-30', end: '2026-03-01' }), /"2026-02-30" is no date/);
});

test('math: calculates, converts, sums up and draws', async () => {
  const { call, refused } = await share('math');
  assert.deepEqual(await call('calculate', { expression: '0.1 + 0.2' }), { expression: '0.1 + 0.2', result: 0.3 });
  assert.equal((await call('calculate', { expression: '2 ^ 53' })).result, 9_007_199_254_740_992);
  assert.match(await refused('calculate', { expression: '1 / 0' }), /divides by zero/);
  assert.match(await refused('calculate', { expression: '1'.repeat(1_001) }), /1 to 1000 characters/);
  assert.equal((await call('convert_units', { value: 100, from: 'C', to: 'F' })).result, 212);
  assert.match(await refused('convert_units', { value: 1.7e308, from: 'GiB', to: 'B' }), /too large/);
  assert.equal((await call('statistics', { numbers: [1, 2, 3, 4] })).mean, 2.5);
  assert.match(await refused('statistics', { numbers: [1.7e308, 1.7e308] }), /too large/);
  assert.deepEqual(await call('random_number', { minimum: 6, maximum: 6 }), { number: 6 });
  const drawn = Number((await call('random_number')).number);
  assert.ok(Number.isInteger(drawn) && drawn >= 1 && drawn <= 100);
  assert.match(await refused('random_number', { minimum: 2, maximum: 1 }), /must not be above/);
});

test('weather: is made up, says so, and is the same each time', async () => {
  const { call } = await share('weather');
  const today = await call('get_weather', { city: 'sao paulo' });
  assert.equal(today.city, 'São Paulo');
  assert.match(String(today.notice), /Made-up/);
  const forecast = await call('get_forecast', { city: 'São Paulo', days: 7 });
  const { city: _city, country: _country, notice: _notice, ...day } = today;
  assert.ok(Array.isArray(forecast.days) && forecast.days.length === 7);
  assert.deepEqual(forecast.days[0], day);
  assert.deepEqual(await call('get_weather_slow', { city: 'São Paulo', seconds: 0 }), today);
});

test('meteo: knows the same weather, draws the clouds, and lists every hour', async () => {
  const { client, call } = await share('meteo');
  const weather = await share('weather');
  assert.deepEqual(await call('get_weather', { city: 'Oslo' }), await weather.call('get_weather', { city: 'Oslo' }));
  const ask = async (name: string, args = {}) => {
    const { content } = await client.callTool({ name, arguments: { city: 'Oslo', ...args } });
    return textOf(content).split('\n');
  };
  const [title, ...rows] = await ask('get_cloud_map');
  assert.match(title ?? '', /Oslo \(made up\)/);
  assert.equal(rows.length, 9);
  assert.match(rows[4] ?? '', /^.{24}\+/);
  const [, ...hours] = await ask('get_measurements', { days: 2 });
  assert.equal(hours.length, 48);
  for (const hour of hours) assert.match(hour, /^\d{4}-\d\d-\d\d \d\d:00,-?\d+\.\d,\d+$/);
});

test('weather: failures are results that say what happened', async () => {
  const { client, refused } = await share('weather');
  assert.match(
    await refused('get_weather', { city: 'Lodnon' }),
    /"Lodnon"\. Did you mean London\? This demo knows Berlin,/,
  );
  assert.match(await refused('get_forecast', { city: 'Paris', days: 30 }), /"days" must be a whole number from 1 to 7/);
  assert.equal(await refused('get_radar_image', { city: 'Paris' }), 'The radar service is out of order.');
  await assert.rejects(client.callTool({ name: 'get_tides' }), /There is no tool "get_tides"/);
});

test('weather: a slow call reports its progress', async () => {
  const { client, heard } = await connect('weather');
  const params = { name: 'get_weather_slow', arguments: { city: 'Oslo', seconds: 0.05 } };
  const result = await client.callTool(params, { onprogress: () => {} });
  assert.notEqual(result.isError, true);
  // Read off the wire: the client forgets reports that reach it together with the answer.
  const reports = heard.filter((message) => isObject(message) && message.method === 'notifications/progress');
  const steps = reports.map((message) => (message as { params: { progress: number } }).params.progress);
  assert.deepEqual(steps, [1, 2, 3, 4, 5]);
});

test('weather: a cancelled call is never answered', async () => {
  const { client, call, heard } = await connect('weather');
  const controller = new AbortController();
  const params = { name: 'get_weather_slow', arguments: { city: 'Oslo', seconds: 0.5 } };
  const cancelled = client.callTool(params, { signal: controller.signal, onprogress: () => controller.abort() });
  await assert.rejects(cancelled);
  const before = heard.length;
  // Takes as long as the cancelled one would have: had that one gone on, its answer would have come by now.
  await call('get_weather_slow', { city: 'Oslo', seconds: 0.5 });
  const answers = heard.slice(before).filter((message) => isObject(message) && 'id' in message);
  assert.equal(answers.length, 1);
});

test('a server ends when its input ends, even in the middle of a call', async () => {
  const { command, args } = servers.weather ?? assert.fail();
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const params = { name: 'get_weather_slow', arguments: { city: 'Oslo', seconds: 120 }, _meta: { progressToken: 1 } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })}\n`);
  const [answer] = await once(child.stdout, 'data');
  assert.deepEqual(JSON.parse(String(answer)), { jsonrpc: '2.0', id: 2, result: {} });
  child.stdin.end();
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});

test('requests before the end of input are answered; a message without end is refused', () => {
  const { command, args } = servers.math ?? assert.fail();
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const { stdout, status } = spawnSync(command, args, {
    input: `${'x'.repeat(3_000_000)}\n\n${ping}\n`,
    encoding: 'utf8',
  });
  const [tooLong, pong, ...rest] = stdout.split('\n');
  assert.match(tooLong ?? '', /"id":null.*The message is too long\./);
  assert.equal(pong, '{"jsonrpc":"2.0","id":1,"result":{}}');
  assert.deepEqual([rest, status], [[''], 0]);
});

test('an unknown name is refused with the names that exist', () => {
  const program = servers.math?.args[0] ?? '';
  for (const name of [['tides'], ['constructor'], []]) {
    const { status, stderr } = spawnSync(process.execPath, [program, ...name], { encoding: 'utf8' });
    assert.equal(status, 2);
    assert.match(stderr, /these exist: notes, clock, math, weather, meteo\.\n$/);
  }
});
