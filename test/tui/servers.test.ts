/** Servers in the terminal UI: one in detail, adding one by keys, choosing its tools, connecting agents, signing in. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { declareLooking, sharedDay } from '../browser/shared-day.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { visit } from '../kit/oauth-browser.ts';
import { openOAuthSetup } from '../kit/oauth-setup.ts';
import { planServers } from '../kit/planned-servers.ts';
import { allGone, isAlive } from '../kit/processes.ts';
import { serverCommand } from '../servers/launch.ts';
import { openTui, tellStory, terminalTest } from './story.ts';

declareLooking();
const day = async () => (await sharedDay()).dataDir;

tellStory('[TUI-10] a server in detail: why it fails, its tools, its output', day, async ({ press, shows, sees }) => {
  await shows('forge-oss');
  await press('End', ...Array<string>(6).fill('Up'), 'Enter');
  await shows('delete_notes');
  await sees('server');
  await press('Escape');
  await shows('NAME');
  await press('Down', 'Down', 'Down', 'Enter');
  await shows('Server tickets');
  const failed = await shows(/Output\n(?:.*\n)*.*TICKETS_URL is not set/);
  assert.match(failed, /✗ Server "tickets" exited with code 1/);
  await press('t');
  await shows('This server is in the config file. Change its settings there:');
});

tellStory('[TUI-13] how each agent is connected, without the token', day, async ({ press, shows }) => {
  const dataDir = await day();
  await shows('forge-oss');
  await press('i');
  await shows(/claude mcp add --transport http toolcrib http:\/\/127\.0\.0\.1:\d+\/mcp \\\n +--header/);
  await press('Down');
  await shows(/codex mcp add toolcrib \\\n +-- .*/);
  await press('Down');
  await shows('gemini mcp add');
  await press('Down');
  await shows('.vscode/mcp.json');
  await press('Down');
  await shows('~/.cursor/mcp.json');
  await press('Down');
  const screen = await shows('An agent that starts a program:');
  assert.match(screen, /Token +kept in\s.*agent-token/);
  const token = (await readFile(join(dataDir, 'agent-token'), 'utf8')).trim();
  assert.ok(!screen.includes(token));
});

const inputSchema = { type: 'object' };
const notes = serverCommand({
  name: 'notes',
  tools: [
    { name: 'add_note', description: 'Adds a note to a folder.', inputSchema },
    { name: 'find_notes', description: 'Finds notes by the words in them.', inputSchema },
    { name: 'wipe_notes', description: 'Deletes every note of a folder.', inputSchema },
  ],
});
function lineOf({ command, args }: { readonly command: string; readonly args: readonly string[] }): string {
  return [command, ...args].map((word) => `'${word.replaceAll("'", `'"'"'`)}'`).join(' ');
}

let own: TestGateway | undefined;
after(() => own?.close());
const ownGateway = async () => {
  own ??= await openTestGateway();
  return own.dataDir;
};
async function shownServer(name: string) {
  assert.ok(own);
  return own.gateway.admin.run('servers.show', { name });
}
const folder = '/';

tellStory(
  '[TUI-11] [TUI-12] a form tries the first server, keeps it with a tool denied, and the owner chooses its tools',
  ownGateway,
  async ({ terminal, press, type, shows, sees }) => {
    const empty = await shows('Three ways on:');
    assert.match(empty, / init\n +takes over servers(?:.*\n)*.*Ctrl-A\n +adds a server here\n(?:.*\n)*.*start --demo/);
    await press('C-a');
    await type('Notes');
    await press('Tab');
    await type('serve | sort');
    await press('Tab');
    await type(folder);
    await press('Tab');
    await type('API_KEY=hidden-value');
    await press('Tab');
    await type('nonsense');
    await press('Enter');
    await shows('✗ Write NAME=value.');
    await sees('add-server');
    await press('C-u', 'Up', 'Up', 'Up', 'C-u');
    await type(lineOf(notes));
    await press('BTab', 'C-u');
    await type('notes');
    await press('Enter');
    await shows('It works, and offers 3 tools');
    await assert.rejects(shownServer('notes'), /There is no server/);
    await press('End', 'Space', 'Space');
    await shows(/deny +wipe_notes/);
    // Another trial begins with its own permissions.
    await press('Escape');
    await shows('Add a server');
    await press('Enter');
    await shows(/allow +wipe_notes/);
    await press('End', 'Space', 'Space');
    await shows(/deny +wipe_notes/);
    await sees('tried-server');
    await press('Enter');
    await shows('notes is kept.');
    await shows(/Server notes\nState +connected/);
    const { settings, connection } = await shownServer('notes');
    assert.deepEqual(settings.permissions, { wipe_notes: 'deny' });
    assert.equal('cwd' in connection && connection.cwd, folder);
    await press('t');
    await shows('Selected: 3/3 tools');
    await press('End', 'Space');
    await sees('exposed-tools');
    await press('Enter');
    await shows('Saved.');
    await press('t');
    await shows('Selected: 2/3 tools');
    await press('a');
    await shows('All tools, also those that the server adds later.');
    await press('a');
    await shows('Only these: tools that the server adds later stay hidden.');
    await press('n', 'Enter');
    await shows('Select at least one tool.');
    await press('a', 'Enter');
    const isForAll = async () => (await shownServer('notes')).settings.tools === null || undefined;
    await terminal.eventually('all are exposed', isForAll);
    await press('x', 'y');
    await shows('There is no server notes any more.');
    await press('Escape');
    await shows('Three ways on:');
  },
);

terminalTest(
  '[TUI-11] [TUI-15] the older transport is chosen by a key; a pasted text fills one field and sends nothing',
  async () => {
    await using terminal = await openTui(await ownGateway());
    await terminal.shows('Three ways on:');
    // Nothing of it is a command.
    await terminal.paste('q');
    await terminal.press('C-a');
    await terminal.type('far');
    await terminal.press('Tab');
    await terminal.paste('http://127.0.0.1:9/sse\n');
    await terminal.shows(/URL +http:\/\/127\.0\.0\.1:9\/sse█/);
    await terminal.press('Tab', 'Space');
    await terminal.shows('[x] HTTP+SSE');
    await terminal.press('Tab');
    await terminal.paste('X-Team: one\ntwo\n');
    await terminal.shows('X-Team: one two█');
    await terminal.press('Enter');
    await terminal.shows('✗');
    await terminal.press('Enter');
    await terminal.shows('Server far');
    const { written } = await shownServer('far');
    assert.ok(written?.kind === 'url' && written.isSse);
    assert.deepEqual(Object.keys(written.headers), ['X-Team']);
  },
);

terminalTest('[TUI-11] [SET-08] leaving the view or the terminal UI ends the trial of a server', async () => {
  const planned = planServers({ guest: { tools: [{ name: 'greet', inputSchema }] } });
  const { command, args } = planned.servers.guest as { command: string; args: string[] };
  await using opened = await openTestGateway();
  const names = async () => (await opened.gateway.admin.run('servers.list', {})).map(({ name }) => name);
  for (const leave of ['Escape', 'C-c']) {
    await using terminal = await openTui(opened.dataDir);
    await terminal.shows('Three ways on:');
    await terminal.press('C-a');
    await terminal.type('guest');
    await terminal.press('Tab');
    await terminal.type(lineOf({ command, args }));
    await terminal.press('Enter');
    await terminal.shows('It works, and offers 1 tool');
    assert.ok(isAlive(planned.pidsOf('guest').at(-1) ?? 0));
    await terminal.press(leave);
    await allGone(planned.pidsOf('guest'));
    assert.deepEqual(await names(), []);
  }
});

terminalTest('[TUI-14] a server that needs a sign-in shows the address to open, and waits', async () => {
  await using setup = await openOAuthSetup();
  await setup.test.gateway.admin.run('servers.refresh', { name: 'far', once: true });
  // So wide that the address is on one line.
  await using terminal = await openTui(setup.test.dataDir, { columns: 800, rows: 24 });
  await terminal.shows('far');
  await terminal.press('Enter');
  await terminal.shows('This server needs a sign-in');
  await terminal.press('a');
  const screen = await terminal.shows('Waiting for the sign-in.');
  const address = /^https?:\/\/\S*authorize\S*|^http:\/\/\S+\?\S+/m.exec(screen)?.[0] ?? '';
  await visit(address);
  await terminal.shows('You are signed in to this server.');
  assert.equal(await setup.state(), 'signed-in');
});
