/** A server as the rest of the gateway knows it: parsed, defaulted and frozen. */

import { isDeepStrictEqual } from 'node:util';
import type { CategoryName, Permission, UpgradePolicy } from './server-schema.ts';

export interface StdioSpec {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Without a prototype: its keys are the user's. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | null;
}

export interface HttpSpec {
  /** `http` is streamable HTTP, `sse` the transport before it. */
  readonly kind: 'http' | 'sse';
  readonly url: string;
  /** Without a prototype: its keys are the user's. */
  readonly headers: Readonly<Record<string, string>>;
  /** Left out where the owner says nothing about signing in. */
  readonly oauth?: OAuthSettings | undefined;
}

/** The owner's settings for signing in to a server; null: none. */
export interface OAuthSettings {
  /** Never sign in, whatever the server says. */
  readonly isOff: boolean;
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  readonly scopes: readonly string[] | null;
  /** The only authorization server that the client is meant for. */
  readonly issuer: string | null;
}

export interface ServerSpec {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  /** Servers of the file follow the file; those of the store were added at run time. */
  readonly origin: 'file' | 'store';
  readonly isEnabled: boolean;
  readonly transport: StdioSpec | HttpSpec;
  readonly projects: readonly string[];
  /** The only tools that are shown; null: all. */
  readonly tools: readonly string[] | null;
  readonly permissions: ReadonlyMap<string, Permission>;
  /** null: as `calls.timeoutMs` says. */
  readonly timeoutMs: number | null;
  readonly cacheTtlMs: number;
  /** null: as `connect.idleMs` says; 0: never. */
  readonly idleMs: number | null;
  readonly maxConcurrent: number;
  readonly perSession: boolean;
  /** null: as `access.upgrades` says. */
  readonly upgrades: UpgradePolicy | null;
  /** From the alias to the tool it stands for. */
  readonly aliases: ReadonlyMap<string, string>;
  /** The category that the owner chose; null: found by meaning. */
  readonly category: CategoryName | null;
  /** The same for single tools, by the server's own name of the tool. */
  readonly categories: ReadonlyMap<string, CategoryName>;
  /** Names of the secrets that it is reached with. */
  readonly secrets: readonly string[];
  /** The transport as it was written, where it refers to secrets: a new value makes no other server of it. */
  readonly identity?: StdioSpec | HttpSpec | undefined;
  /** Why the server cannot be used although the rest of the configuration can, such as a variable that is not set. */
  readonly problem: string | null;
}

/** True if two specs are equal. */
export function sameServer(a: ServerSpec, b: ServerSpec): boolean {
  return isDeepStrictEqual(a, b);
}

/** True where the links of one spec serve the other, so that only settings change. */
export function hasSameLinks(a: ServerSpec, b: ServerSpec): boolean {
  return isDeepStrictEqual(linkPartOf(a), linkPartOf(b));
}

function linkPartOf({ name, isEnabled, transport, perSession, problem }: ServerSpec) {
  return { name, isEnabled, transport, perSession, problem };
}

/** Variables that a child inherits from us; the owner must give it all others. */
export const inheritedVariables: readonly string[] = [
  'HOME',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'TMPDIR',
  'TZ',
  'USER',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
  'XDG_CACHE_HOME',
  'XDG_DATA_HOME',
  // Without these nothing can be fetched where a proxy or a certificate of the house stands in between.
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  // Where npm keeps its settings: under another Node than the owner's it would look beside that one, and miss proxy and registry.
  'npm_config_globalconfig',
  'npm_config_userconfig',
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATHEXT',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
];
