/** How agents are connected to the gateway, and how servers come to it: for the output of `start` and for the terminal UI. */

import { splitLine } from './server-form.ts';

/** The agent door, as far as a setting of an agent names it. */
interface ConnectOptions {
  readonly url: string;
  /** The file with the token that agents send; null where they need none, or sign in by themselves. */
  readonly tokenFile: string | null;
  /** How the program is called in any folder. */
  readonly command: string;
}

interface AgentSetup {
  readonly agent: string;
  /** Where the text goes. */
  readonly place: string;
  /** As it can be copied. */
  readonly lines: readonly string[];
}

const shell = 'In a shell:';

/** For each agent, a line for a shell or an entry of its settings. The token itself is in none of them. */
export function agentSetups(door: ConnectOptions): readonly AgentSetup[] {
  const token = door.tokenFile === null ? null : `$(cat ${quoted(door.tokenFile)})`;
  return [
    { agent: 'Claude Code', place: shell, lines: inShell(claudeParts(door.url, token)) },
    { agent: 'Codex', place: shell, lines: inShell(codexParts(door)) },
    { agent: 'Gemini CLI', place: shell, lines: inShell(geminiParts(door.url, token)) },
    {
      agent: 'VS Code',
      place: 'In .vscode/mcp.json, or "MCP: Open User Configuration":',
      lines: entry('servers', door),
    },
    { agent: 'Cursor', place: 'In ~/.cursor/mcp.json:', lines: entry('mcpServers', door) },
    { agent: 'Others', place: 'An agent that starts a program:', lines: [`${door.command} stdio`] },
  ];
}

/** The parts of the line that adds the gateway to Claude Code. */
export function claudeParts(url: string, token: string | null): readonly string[] {
  return [`claude mcp add --transport http toolcrib ${url}`, ...headerPart(token)];
}

function geminiParts(url: string, token: string | null): readonly string[] {
  return ['gemini mcp add --scope user --transport http', ...headerPart(token), `toolcrib ${url}`];
}

/** Codex takes the token of a URL from a variable alone: the bridge reads it from its file. */
function codexParts({ url, tokenFile, command }: ConnectOptions): readonly string[] {
  return tokenFile === null
    ? [`codex mcp add toolcrib --url ${url}`]
    : ['codex mcp add toolcrib', `-- ${command} stdio`];
}

function headerPart(token: string | null): readonly string[] {
  return token === null ? [] : [`--header "Authorization: Bearer ${token}"`];
}

function quoted(path: string): string {
  return /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

/** How agents prove who they are. */
export function tokenInWords(tokenFile: string | null, issuer: string | null): string {
  if (issuer !== null) return `agents sign in at ${issuer}`;
  return tokenFile === null ? 'none needed' : `kept in ${tokenFile}`;
}

/** One part a line. */
function inShell(parts: readonly string[]): readonly string[] {
  return parts.map((part, at) => `${at === 0 ? '' : '  '}${part}${at === parts.length - 1 ? '' : ' \\'}`);
}

/** The bridge where a token is needed: the settings then hold none. */
function entry(block: string, { url, tokenFile, command }: ConnectOptions): readonly string[] {
  const [program = '', ...rest] = splitLine(command).words;
  const args = [...rest, 'stdio'].map((word) => JSON.stringify(word)).join(', ');
  const members =
    tokenFile === null
      ? [`  "url": ${JSON.stringify(url)}`]
      : [`  "command": ${JSON.stringify(program)},`, `  "args": [${args}]`];
  return [`{ "${block}": { "toolcrib": {`, ...members, '} } }'];
}

type WayOn = readonly [way: string, meaning: string];

interface WaysOnOptions {
  /** How this surface adds a server. */
  readonly add: WayOn;
  /** `14 servers of Cursor`: those that other agents on this machine have; null where nobody looked or none are there. */
  readonly found: string | null;
  readonly command: string;
}

/** For an owner who has no server yet. */
export function waysOn({ add, found, command }: WaysOnOptions): readonly WayOn[] {
  return [
    [
      `${command} init`,
      `takes over ${found === null ? 'servers of other agents' : `the ${found}`} and connects agents`,
    ],
    add,
    [`${command} start --demo`, 'tries things out with a few small offline servers'],
  ];
}
