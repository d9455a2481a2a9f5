/** Names of tools: public ones (`{server}.{name}`, always legal, never ambiguous), keys that expire, and the tools of one viewer looked up by name. */

import { createHash } from 'node:crypto';
import { GatewayError } from '../base/errors.ts';
import { NearNames } from '../base/nearest.ts';
import type { Entry } from '../catalog/catalog.ts';
import type { Uses } from './layers.ts';
import { perViewer, visibleTools } from './view.ts';

const maxLength = 64;
const hashLength = 8;

export interface NamedEntry {
  readonly key: string;
  readonly server: string;
  readonly name: string;
}

/** A bijection between entries and public names, for one set of entries in a stable order. */
export class NameTable<T extends NamedEntry> {
  readonly #entries = new Map<string, T>();
  readonly #names = new Map<string, string>();
  /** True if two entries wanted one name. */
  readonly hasClashes: boolean;

  constructor(entries: Iterable<T>, separator: string) {
    let hasClashes = false;
    for (const entry of entries) {
      // Two tools can want one name, by chance ("b__c" of server "a" and "c" of server "a__b") or because one of them
      // bears the shortened name of the other: the later one gets a hash.
      let name = publicName(entry, separator);
      for (let salt = 0; this.#entries.has(name); salt += 1) {
        hasClashes = true;
        name = shortened(entry, separator, salt);
      }
      this.#entries.set(name, entry);
      this.#names.set(entry.key, name);
    }
    this.hasClashes = hasClashes;
  }

  find(name: string): T | undefined {
    return this.#entries.get(name);
  }

  nameOf(entry: NamedEntry): string {
    return this.#names.get(entry.key) ?? entry.name;
  }

  names(): IterableIterator<string> {
    return this.#entries.keys();
  }
}

/** The name an entry has wherever names carry their server. The same entry gets the same name in every process. */
export function publicName(entry: NamedEntry, separator: string): string {
  const full = `${entry.server}${separator}${entry.name}`;
  return full.length <= maxLength && /^[A-Za-z0-9_.-]+$/.test(full) ? full : shortened(entry, separator);
}

function shortened(entry: NamedEntry, separator: string, salt = 0): string {
  const salted = salt === 0 ? entry.key : `${entry.key}\n${salt}`;
  const hash = createHash('sha256').update(salted).digest('hex').slice(0, hashLength);
  const legal = `${entry.server}${separator}${entry.name}`.replace(/[^A-Za-z0-9_.-]+/g, '_');
  return `${legal.slice(0, maxLength - hashLength - 1)}_${hash}`;
}

const secondMs = 1_000;
/** `server:tool~` and the second of its making in base 36, which fits into seven characters for two thousand years. */
const stamped = /^(.+)~([0-9a-z]{7})$/s;
const stampLength = 7;

interface Expiration {
  readonly expiresAt: string;
  readonly expiresInSeconds: number;
  readonly ttlMinutes: number;
}

export interface KeyStamps {
  readonly ttlMinutes: number;
  /** Wall clock. */
  readonly now: number;
}

export function stampsOf({ config, clock }: Uses<'config' | 'clock'>): KeyStamps {
  return { ttlMinutes: config().keys.ttlMinutes, now: clock.now() };
}

/** The key as an agent is given it. */
export function stampKey(key: string, { ttlMinutes, now }: KeyStamps): string {
  if (ttlMinutes === 0) return key;
  return `${key}~${secondOf(now).toString(36).padStart(stampLength, '0')}`;
}

function secondOf(ms: number): number {
  return Math.floor(ms / secondMs);
}

/** In milliseconds, for a key that was made at a second. */
function untilOf(second: number, ttlMinutes: number): number {
  return (second + ttlMinutes * 60) * secondMs;
}

/** Until when keys that are given now can be used; undefined: for ever. */
export function expirationOf({ ttlMinutes, now }: KeyStamps): Expiration | undefined {
  if (ttlMinutes === 0) return undefined;
  const until = untilOf(secondOf(now), ttlMinutes);
  return {
    expiresAt: new Date(until).toISOString(),
    expiresInSeconds: Math.max(0, Math.round((until - now) / secondMs)),
    ttlMinutes,
  };
}

/** The key without its stamp. Throws TOOLKEY_EXPIRED. `isTool`: a tool may be called like a stamped one, and goes first. */
export function readKey(key: string, { ttlMinutes, now }: KeyStamps, isTool: (key: string) => boolean): string {
  const [, bare, stamp] = stamped.exec(key) ?? [];
  if (bare === undefined || stamp === undefined || isTool(key)) return key;
  const until = untilOf(Number.parseInt(stamp, 36), ttlMinutes);
  if (ttlMinutes === 0 || now < until) return bare;
  throw new GatewayError('TOOLKEY_EXPIRED', `The toolKey "${key}" has expired: keys are valid for ${ttlMinutes} min.`, {
    hint: `"${bare}" without the stamp is always valid.`,
  });
}

/** Tools that are named where there is none of the name that was written. */
const nearTools = 3;

class ToolNames {
  readonly #tools: readonly Entry[];
  readonly #byServer: ReadonlyMap<string, readonly Entry[]>;
  readonly #byName: ReadonlyMap<string, readonly Entry[]>;
  readonly #joined = new Map<string, Entry[]>();
  /** By server; those of all servers are under undefined. Made when a name is not found there. */
  readonly #near = new Map<string | undefined, NearNames>();

  constructor(tools: readonly Entry[]) {
    this.#tools = tools;
    this.#byServer = Map.groupBy(tools, ({ server }) => server);
    this.#byName = Map.groupBy(tools, ({ name }) => name);
    for (const tool of tools)
      for (const sign of ['.', '__']) {
        const joined = `${tool.server}${sign}${tool.name}`;
        this.#joined.set(joined, [...(this.#joined.get(joined) ?? []), tool]);
      }
  }

  ofServer(server: string): readonly Entry[] {
    return this.#byServer.get(server) ?? [];
  }

  named(name: string): readonly Entry[] {
    return this.#byName.get(name) ?? [];
  }

  /** Those that are meant by `server.tool` or `server__tool`. */
  joined(text: string): readonly Entry[] {
    return this.#joined.get(text) ?? [];
  }

  /** Keys of the tools, of one server or of all, whose names are nearest to one that there is not. */
  nearest(name: string, server: string | undefined): string[] {
    const tools = server === undefined ? this.#tools : this.ofServer(server);
    const near = this.#near.get(server) ?? new NearNames(new Set(tools.map((tool) => tool.name)));
    // Only servers that there are, so that nobody fills it with names of his own.
    if (tools.length > 0) this.#near.set(server, near);
    const names = new Set(near.to(name));
    const found = [...names]
      .flatMap((one) => this.named(one))
      .filter((tool) => tools === this.#tools || tool.server === server);
    return found.map(({ key }) => key).slice(0, nearTools);
  }
}

export const toolNames = perViewer((snapshot, principal) => new ToolNames(visibleTools(snapshot, principal)));
