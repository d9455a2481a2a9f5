/** Tests of how agents are connected: a token in a file, no token, and paths with spaces. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentSetups } from './connect-agents.ts';

const url = 'http://127.0.0.1:3333/mcp';
const command = 'npx --prefix "/my apps" toolcrib';

function linesFor(tokenFile: string | null): Record<string, string> {
  const setups = agentSetups({ url, tokenFile, command });
  return Object.fromEntries(setups.map(({ agent, lines }) => [agent, lines.join('\n')]));
}

test('with a token, a line reads its file, and settings start the bridge, which reads it too', () => {
  const lines = linesFor('/data/agent-token');
  const header = '--header "Authorization: Bearer $(cat /data/agent-token)"';
  assert.equal(lines['Claude Code'], `claude mcp add --transport http toolcrib ${url} \\\n  ${header}`);
  assert.equal(lines.Codex, `codex mcp add toolcrib \\\n  -- ${command} stdio`);
  assert.equal(
    lines['Gemini CLI'],
    `gemini mcp add --scope user --transport http \\\n  ${header} \\\n  toolcrib ${url}`,
  );
  const entry = { command: 'npx', args: ['--prefix', '/my apps', 'toolcrib', 'stdio'] };
  assert.deepEqual(JSON.parse(lines['VS Code'] ?? ''), { servers: { toolcrib: entry } });
  assert.deepEqual(JSON.parse(lines.Cursor ?? ''), { mcpServers: { toolcrib: entry } });
  assert.equal(lines.Others, `${command} stdio`);
});

test('without one, every agent gets the address alone', () => {
  const lines = linesFor(null);
  assert.equal(lines['Claude Code'], `claude mcp add --transport http toolcrib ${url}`);
  assert.equal(lines.Codex, `codex mcp add toolcrib --url ${url}`);
  assert.deepEqual(JSON.parse(lines.Cursor ?? ''), { mcpServers: { toolcrib: { url } } });
});

test('a token file in a folder with a space is quoted for the shell', () => {
  assert.match(linesFor('/my data/agent-token')['Claude Code'] ?? '', /\$\(cat '\/my data\/agent-token'\)/);
});
