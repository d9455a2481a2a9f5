/** Requests as agents of either era make them, by hand: the measured calls should cost the measuring side little. */

import { Connection } from './connection.ts';
import type { Reply } from './read-reply.ts';

export type Era = 'modern' | 'legacy';

/** Where an agent calls: an address, how it introduces itself there, and by which name the echo tool goes. */
export interface Target {
  readonly url: URL;
  readonly era: Era;
  readonly tool: string;
  /** Header lines of every request. */
  readonly headers: string;
}

const modernVersion = '2026-07-28';
const legacyVersion = '2025-11-25';
const clientInfo = { name: 'bench', version: '1.0.0' };
const envelope = {
  'io.modelcontextprotocol/protocolVersion': modernVersion,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Introduces an agent at an address; in the legacy era that opens a session. */
export async function introduce(url: string, era: Era, tool: string, token?: string): Promise<Target> {
  const headers = headerLines({
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': era === 'modern' ? modernVersion : legacyVersion,
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  });
  const target = { url: new URL(url), era, tool, headers };
  return era === 'modern' ? target : openSession(target);
}

async function openSession(target: Target): Promise<Target> {
  const connection = await Connection.open(target.url);
  const params = { protocolVersion: legacyVersion, capabilities: {}, clientInfo };
  const opened = await post(connection, target, { id: 0, method: 'initialize', params });
  if (opened.status !== 200) throw new Error(`${target.url} refused to open a session: ${opened.text}`);
  const session = /\r\nMcp-Session-Id: *(\S+)/i.exec(opened.head)?.[1];
  const inSession = session === undefined ? '' : headerLines({ 'Mcp-Session-Id': session });
  const known = { ...target, headers: `${target.headers}${inSession}` };
  await post(connection, known, { method: 'notifications/initialized' });
  connection.close();
  return known;
}

/** Calls the echo tool. */
export function callEcho(connection: Connection, target: Target, id: number, text: string): Promise<Reply> {
  return callTool(connection, target, id, { text });
}

/** Calls the target's tool, whatever it is. */
export function callTool(connection: Connection, target: Target, id: number, args: object): Promise<Reply> {
  const call = { name: target.tool, arguments: args };
  if (target.era === 'legacy') return post(connection, target, { id, method: 'tools/call', params: call });
  const repeated = headerLines({ 'Mcp-Method': 'tools/call', 'Mcp-Name': target.tool });
  return post(connection, target, { id, method: 'tools/call', params: { ...call, _meta: envelope } }, repeated);
}

/** Asks for the list of tools, in the modern era. */
export function listTools(connection: Connection, target: Target): Promise<Reply> {
  const repeated = headerLines({ 'Mcp-Method': 'tools/list' });
  return post(connection, target, { id: 1, method: 'tools/list', params: { _meta: envelope } }, repeated);
}

function post(connection: Connection, { url, headers }: Target, message: object, more = ''): Promise<Reply> {
  return connection.post(url, `${headers}${more}`, JSON.stringify({ jsonrpc: '2.0', ...message }));
}

function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}
