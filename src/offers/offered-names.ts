/** The URIs and names under which resources, templates and prompts of several servers are shown together, and the answer where there is none. */

import type { Entry, ServerEntry } from '../catalog/catalog.ts';
import type { Config } from '../config/config.ts';
import type { Era } from '../protocol/eras.ts';
import { RpcError, rpcCodes } from '../protocol/messages.ts';
import { NameTable } from '../tools/tools.ts';
import { ownScheme } from './own/own-address.ts';

/** A resource whose URI two servers use is shown under its server's name. */
const qualifiedPrefix = `${ownScheme}server/`;

export interface Offered {
  readonly entry: Entry;
  /** How agents know it: a URI or a name. */
  readonly name: string;
}

export interface Target {
  readonly server: string;
  readonly uri: string;
}

interface OfferScope {
  /** Ordered by name. */
  readonly servers: () => readonly ServerEntry[];
  /** Names are the server's own, which needs a single server. */
  readonly isPlain: boolean;
  readonly config: () => Pick<Config, 'names'>;
}

/** Everything is in the order of servers and, of each, of its own names. */
export class OfferedNames {
  readonly #scope: OfferScope;

  constructor(scope: OfferScope) {
    this.#scope = scope;
  }

  get isPlain(): boolean {
    return this.#scope.isPlain;
  }

  servers(): readonly ServerEntry[] {
    return this.#scope.servers();
  }

  resources(): Offered[] {
    const entries = this.servers().flatMap((server) => server.resources.filter((entry) => !this.#isForeign(entry)));
    const uses = Map.groupBy(entries, (entry) => entry.name);
    return entries.map((entry) => {
      const isUnique = (uses.get(entry.name)?.length ?? 0) < 2;
      return { entry, name: isUnique ? entry.name : qualified(entry.server, entry.name) };
    });
  }

  /** A template that fits everything says nothing about whose a resource is, where there are several servers. */
  templates(): Offered[] {
    const isAlone = this.servers().length === 1;
    return this.servers()
      .flatMap((server) => server.templates)
      .filter((entry) => !this.#isForeign(entry) && (isAlone || literalPrefix(entry.name) !== ''))
      .map((entry) => ({ entry, name: entry.name }));
  }

  prompts(): Offered[] {
    const entries = this.servers().flatMap((server) => server.prompts);
    if (this.isPlain) return entries.map((entry) => ({ entry, name: entry.name }));
    const table = this.#promptTable(entries);
    return entries.map((entry) => ({ entry, name: table.nameOf(entry) }));
  }

  findPrompt(name: string): Target | undefined {
    const server = this.servers()[0];
    if (this.isPlain) return server && { server: server.spec.name, uri: name };
    const entry = this.#promptTable(this.servers().flatMap((item) => item.prompts)).find(name);
    return entry && { server: entry.server, uri: entry.name };
  }

  #promptTable(entries: readonly Entry[]): NameTable<Entry> {
    return new NameTable(entries, this.#scope.config().names.separator);
  }

  /** Nobody but the gateway itself may speak in its scheme, where it does. */
  #isForeign({ name }: Entry): boolean {
    return !this.isPlain && isOwnScheme(name);
  }
}

/** Any text after the colon: no server gets near our addresses by another spelling of them. */
export function isOwnScheme(uri: string): boolean {
  return /^toolcrib:/i.test(uri);
}

export function qualified(server: string, uri: string): string {
  // Half a surrogate pair cannot be encoded, and no server can be asked for it either.
  return `${qualifiedPrefix}${server}/resource/${encodeURIComponent(uri.toWellFormed())}`;
}

/** The target of a URI that `qualified` wrote; undefined for any other. */
export function readQualified(uri: string): Target | undefined {
  if (!uri.startsWith(qualifiedPrefix)) return undefined;
  const [server = '', kind, encoded = '', ...rest] = uri.slice(qualifiedPrefix.length).split('/');
  if (kind !== 'resource' || rest.length > 0) return undefined;
  try {
    return { server, uri: decodeURIComponent(encoded) };
  } catch {
    return undefined;
  }
}

export function matchesTemplate(template: string, uri: string): boolean {
  const literals = template.split(/\{[^{}]*\}/);
  const first = literals[0] ?? '';
  const last = literals.at(-1) ?? '';
  if (literals.length === 1) return template === uri;
  if (!uri.startsWith(first) || !uri.endsWith(last) || uri.length < first.length + last.length) return false;
  let at = first.length;
  const end = uri.length - last.length;
  for (const literal of literals.slice(1, -1)) {
    const found = uri.indexOf(literal, at);
    if (found === -1 || found + literal.length > end) return false;
    at = found + literal.length;
  }
  return true;
}

/** The text that every URI of a template begins with. */
export function literalPrefix(template: string): string {
  return template.split(/\{[^{}]*\}/, 1)[0] ?? '';
}

/** The protocol's own answer, which differs by era. `near`: what was probably meant. `unlisted`: servers that may still bring it. */
export function resourceNotFound(uri: string, era: Era, near?: string, unlisted?: string): RpcError {
  const code = era === 'modern' ? rpcCodes.invalidParams : rpcCodes.legacyResourceNotFound;
  const meant = near === undefined ? '' : `. Did you mean "${near}"?`;
  const shown = shownUri(uri);
  const more = unlisted === undefined || meant !== '' ? meant : `.${mayHave(unlisted)}`;
  return new RpcError(code, `Resource not found: ${shown}${more}`, { uri: shown });
}

export function mayHave(unlisted: string | undefined): string {
  return unlisted === undefined ? '' : ` Servers that are still being listed may have it: ${unlisted}. Try again soon.`;
}

/** Characters of an address that are told back. */
const shownChars = 2_000;

function shownUri(uri: string): string {
  return uri.length <= shownChars ? uri : `${uri.slice(0, shownChars).toWellFormed()}…`;
}

/** True if a server says that it has no such method. */
export function isUnknownMethod(error: unknown): boolean {
  return error instanceof RpcError && error.code === rpcCodes.methodNotFound;
}
