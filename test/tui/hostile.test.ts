/** Whatever servers and agents say, the terminal gets only what Ink itself sends, and without Unicode only ASCII. */

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { destinations } from '../../src/surfaces/tui/views.ts';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { ModernAgent } from '../kit/modern-agent.ts';
import { hostServers } from '../kit/planned-servers.ts';
import { openProgram, terminalTest } from './story.ts';

/** A title of the window, colours, a cleared screen, single bytes that do the same, text that runs backwards, and what overwrites a line. */
const evil = 'evil\x1b]0;owned\x07\x1b[35m\x1b[3J\x9b35m\u202egnp\u2066\b\b\x00\x7f\r\u200bé€😀 end';

const folder = await mkdtemp(join(tmpdir(), 'toolcrib-tui-'));
after(() => rm(folder, { recursive: true }));

function openEvil(): Promise<TestGateway> {
  const respond = { content: [{ type: 'text', text: evil }], isError: true };
  const inputSchema = { type: 'object' };
  const tools = [
    { name: 'held', title: evil, description: evil, inputSchema, respond },
    { name: 'fail', description: 'Fails.', inputSchema, respond },
  ];
  const { servers } = hostServers({ talker: { title: evil, instructions: evil, tools } });
  const said = `process.stderr.write(${JSON.stringify(`${evil}\n`)}); process.exitCode = 1;`;
  return openTestGateway({ servers: { ...servers, broken: { command: process.execPath, args: ['-e', said] } } });
}

/** Every view that can be reached at once, and what is behind its first row. */
async function lookAround(
  gateway: TestGateway,
  env: Readonly<Record<string, string>>,
  expected: string,
): Promise<string> {
  const record = join(folder, `${env.LANG}.bytes`);
  await using terminal = await openProgram(['tui', '--data', gateway.dataDir], { columns: 200, rows: 50, env, record });
  await terminal.shows(expected);
  for (const { key } of destinations.filter((destination) => destination.key.length === 1)) {
    await terminal.press(key, 'Enter');
    await terminal.shows('Toolcrib');
    // Out of the tool and out of the field in which it was looked for.
    await terminal.press('Escape', 'Escape');
    await terminal.shows('Toolcrib');
  }
  await terminal.press('?');
  await terminal.shows('PgUp PgDn');
  await terminal.press('C-c');
  await terminal.shows('ended 0, line as before');
  return readFile(record, 'latin1');
}

/** Colours that we use, the cursor, erasing, the other screen, frames drawn at once. */
const inkSequences =
  /\x1b\[(?:(?:[0127]|2[2-9]|3[0-47-9]|90)?m|\d*[A-G]|\d*;?\d*H|[012]?[JK]|\?(?:25|1049|2026|2004)[hl])/g;

terminalTest('[TUI-48] nothing that a server or an agent says steers the terminal', async () => {
  await using gateway = await openEvil();
  const agent = new ModernAgent(gateway, '/mcp');
  await agent.call('tool_execute', { toolKey: 'talker:fail', arguments: {} });
  await agent.call('tool_execute', { toolKey: `talker:${evil}` });
  const bytes = Buffer.from(await lookAround(gateway, { LANG: 'C.UTF-8' }, 'evil'), 'latin1').toString('utf8');
  const rest = bytes.replaceAll(inkSequences, '');
  assert.deepEqual(rest.match(/[^\P{C}\r\n].{0,20}/gu), null);
  const ascii = await lookAround(gateway, { LANG: 'C' }, 'evil');
  assert.deepEqual(ascii.match(/[^\x00-\x7f].{0,20}/g), null);
  assert.match(ascii, /\?\?\? end/);
});
