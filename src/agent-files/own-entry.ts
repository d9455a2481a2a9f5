/** Recognises the entry that leads an agent to the gateway. */

import { isObject } from '../base/json.ts';
import { type AgentId, agents } from './agents.ts';
import { type EntryPlace, entriesOf } from './edit-entry.ts';

/** The name of our entry, in every agent. */
export const ownEntry = 'toolcrib';

/** How our entry in this text connects the agent; undefined where there is none, or one in a form that `install` never writes. */
export function ownTransport(agent: AgentId, text: string, place: EntryPlace): 'http' | 'stdio' | undefined {
  const settings = settingsOf(agent, entriesOf(text, place).get(ownEntry));
  if (settings === undefined || !isOwnForm(settings)) return undefined;
  return settings.url === undefined ? 'stdio' : 'http';
}

/** Where our entry in this text leads; undefined where there is none, or it starts the bridge. */
export function ownUrl(agent: AgentId, text: string, place: EntryPlace): string | undefined {
  if (ownTransport(agent, text, place) !== 'http') return undefined;
  return String(settingsOf(agent, entriesOf(text, place).get(ownEntry))?.url);
}

/** True for a name of this machine in a URL. */
export function isLoopbackName(hostname: string): boolean {
  return /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}

/** The URL or the words of the command; agents and people may change other members of an entry. */
export function leadsTo(agent: AgentId, entry: unknown): string {
  const { url, command, args } = settingsOf(agent, entry) ?? {};
  return JSON.stringify(url ?? [command, args]);
}

function settingsOf(agent: AgentId, entry: unknown): Readonly<Record<string, unknown>> | undefined {
  return isObject(entry) ? agents[agent].entry.read(entry)?.settings : undefined;
}

/** True for the stdio bridge, and for a URL with a token of ours. */
export function isOwnForm({ command, args, url, headers }: Readonly<Record<string, unknown>>): boolean {
  if (typeof command === 'string') {
    const words = [command, ...(Array.isArray(args) ? args : [])].map(String);
    return words.includes('stdio') && words.some((word) => /(?:^|[\\/])toolcrib(?:\.(?:js|cmd|exe))?$/i.test(word));
  }
  const values = typeof url === 'string' && isObject(headers) ? Object.values(headers) : [];
  return values.some((value) => /^Bearer tc_/.test(String(value)));
}
