/** A search within one server: what is said where the server is not there, or is switched off. */

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { CliMachine } from '../kit/cli.ts';
import { openListedGateway, openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { RawSession } from '../kit/hand-made.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { askCatalog, discover, keysOf, officeServers } from '../kit/search-requests.ts';

/** Of the desk's servers the calendar is switched off, and so is one that is nobody's business. */
function servers(): Record<string, unknown> {
  const { files, mail, calendar } = officeServers();
  return {
    files,
    mail,
    calendar: { ...calendar, enabled: false },
    vault: { ...calendar, enabled: false, permissions: { '*': 'deny' } },
  };
}

let gateway: TestGateway;
before(async () => {
  gateway = await openListedGateway({ servers: servers() });
});
after(() => gateway.close());

const query = 'list the appointments';
const noSuch = /^There is no server "mial"\./;

test('[FIND-20] every tool that takes a server reports an unknown one; only an owner hears that it is off', async () => {
  const agent = new ModernAgent(gateway, '/mcp?surface=search');
  const calls = (server: string): readonly (readonly [string, Record<string, unknown>])[] => [
    ['tool_discovery', { query, server }],
    ['tool_capabilities', { server }],
    ['tool_info', { toolKey: `${server}:list_events` }],
    ['tool_execute', { toolKey: `${server}:list_events`, arguments: {} }],
  ];
  for (const [name, args] of calls('mial')) {
    const { errorType, text } = await agent.call(name, args);
    assert.equal(errorType, 'SERVER_NOT_FOUND', name);
    assert.match(text, noSuch);
    assert.match(text, /HINT: Did you mean "mail"\?/);
  }
  const owner = new ModernAgent({ url: gateway.url, agentHeaders: gateway.ownerHeaders }, '/mcp?surface=search');
  for (const [name, args] of calls('calendar')) {
    const { text } = await agent.call(name, args);
    assert.match(text, /^There is no server "calendar"\./, 'off, and no business of agents');
    const { text: told } = await owner.call(name, args);
    assert.match(told, /erver "calendar" is switched off\./);
    assert.match(told, /toolcrib enable calendar/);
  }
  assert.deepEqual(keysOf(await discover(gateway, 'send an e-mail', { server: 'mail', maxResults: 1 })), [
    'mail:send_mail',
  ]);
});

test('[FIND-20] the owner is told it of every server, by the API', async () => {
  const ask = async (operation: string, input: unknown) => {
    const response = await fetch(`${gateway.url}/api/${operation}`, {
      method: 'POST',
      headers: { ...gateway.ownerHeaders, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    const { error } = (await response.json()) as { error: { code: string; message: string; data: unknown } };
    return [response.status, error.code, error.message, error.data];
  };
  assert.deepEqual(await ask('tools/search', { query, server: 'mial' }), [
    404,
    'SERVER_NOT_FOUND',
    'There is no server "mial".',
    { nearest: ['mail'] },
  ]);
  for (const server of ['calendar', 'vault']) {
    const expected = [
      404,
      'SERVER_NOT_FOUND',
      `Server "${server}" is switched off.`,
      { nearest: [], isSwitchedOff: true },
    ];
    assert.deepEqual(await ask('tools/search', { query, server }), expected);
    assert.deepEqual(await ask('tools/info', { toolKey: `${server}:list_events` }), expected, 'never listed');
  }
});

test('[FIND-20] the command line says it too', async () => {
  await using machine = await CliMachine.make();
  await mkdir(machine.dataDir);
  await writeFile(join(machine.dataDir, 'toolcrib.json'), JSON.stringify({ mcpServers: servers() }));
  const unknown = await machine.run('search', 'mail', '--server', 'mial');
  assert.deepEqual([unknown.code, unknown.stdout], [3, '']);
  assert.match(unknown.stderr, /^There is no server "mial"\.\nhint: Did you mean "mail"\?/m);
  for (const words of [
    ['search', 'appointments', '--server', 'calendar'],
    ['info', 'calendar:list_events'],
  ]) {
    const off = await machine.run(...words);
    assert.equal(off.code, 3);
    assert.match(off.stderr, /^Server "calendar" is switched off\.\nhint: .*toolcrib enable calendar/m);
  }
});

test('[FIND-30] a search where there is no server says so, and how to add one', async () => {
  await using bare = await openTestGateway();
  const { metadata } = await discover(bare, query);
  const legacy = await RawSession.open(`${bare.url}/mcp?surface=search`, bare.agentHeaders);
  const call = { name: 'tool_discovery', arguments: { query } };
  const result = (await legacy.request('tools/call', call)).message.result as { structuredContent: unknown };
  for (const said of [metadata, (result.structuredContent as { metadata: typeof metadata }).metadata]) {
    assert.match(String(said.notice), /^There is no server here yet/);
    assert.match(String(said.hint), /^The owner of this gateway adds one/);
  }
  await using machine = await CliMachine.make();
  const { stdout } = await machine.run('search', 'appointments');
  assert.match(stdout, /There is no server here yet, so no tool can be found\.[\s\S]*toolcrib add NAME/);
});

test('[FIND-01] a program that asks the catalog gets every result, and is told where nothing fits', async () => {
  const none = await askCatalog(gateway, { query: 'resize an image' });
  assert.ok(none.results.length > 0, 'however unlikely');
  assert.equal(none.code, 'NOTHING_FITS');
  assert.match(none.notice ?? '', /^No tool here seems to do this/);
  const sure = await askCatalog(gateway, { query: 'send an e-mail' });
  assert.deepEqual([sure.code, sure.notice], [undefined, undefined]);
  const tools = [{ toolKey: 'a:b', name: 'ring_bell', server: 'a', description: 'Rings the bell.' }];
  const given = await askCatalog(gateway, { query: 'compute the inverse of a matrix', tools });
  assert.equal(given.code, 'NOTHING_FITS');
  assert.equal((await askCatalog(gateway, { query: 'ring the bell', tools })).code, undefined);
});

test('[FIND-18] where nothing fits, what has hardly anything to do with the need is not named as the nearest', async () => {
  const unlike = ['resize an image', 'water the plants', 'play some music', 'compute the inverse of a matrix'];
  let isLeftOut = false;
  for (const query of unlike) {
    const { metadata } = await discover(gateway, query);
    assert.equal(metadata.code, 'NOTHING_FITS', query);
    const { results } = await askCatalog(gateway, { query });
    const near = results.filter(({ relevance }) => relevance >= 0.02).map(({ toolKey }) => toolKey);
    assert.deepEqual(metadata.nearest, near.slice(0, 5), query);
    isLeftOut ||= near.length < results.length;
  }
  assert.ok(isLeftOut);
});
