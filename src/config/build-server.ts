/** Turns one member of `mcpServers` into a `ServerSpec`. A missing variable or secret fails that server, not the file. */

import assert from 'node:assert/strict';
import { buildTransport, type ServerContext } from './build-transport.ts';
import { asWritten, type Expanded, expandEnv, type SecretLookup, secretsOfServer } from './expand-env.ts';
import { deepFreeze } from './freeze.ts';
import { formatFault, IssueList, type Report } from './issues.ts';
import { limits } from './limits.ts';
import { formatPath, type KeyPath, quoteKey, valueSource } from './locate.ts';
import { zodFaults } from './schema-parts.ts';
import { legalName, titleOfKey } from './server-names.ts';
import { ignoredKeys, ignoredNames, type Permission, type ServerInput, serverSchema } from './server-schema.ts';
import type { ServerSpec } from './server-spec.ts';

/**
 * null: mistakes were reported. A mistake in a value that comes from a variable, or a variable that is missing,
 * is not reported but becomes the `problem` of the spec.
 */
export function buildServer(
  key: string,
  raw: unknown,
  origin: ServerSpec['origin'],
  outer: ServerContext,
): ServerSpec | null {
  const expanded = expandEnv(raw, outer.path, outer.env, secretsOfServer(outer.path, outer.secrets));
  const faults = new FaultSorter(expanded, outer);
  const context: ServerContext = { ...outer, report: faults.report };
  const input = checkShape(expanded, context);
  if (input === null) return faults.giveUp();
  warnIgnored(input, context);
  // A block with mistakes may lack its "command" or "url" only because of them: that is no further mistake.
  const transport = faults.hasMistakes && !hasAddress(input) ? null : buildTransport(input, context);
  const spec = {
    name: legalName(key),
    title: input.title?.trim() || titleOfKey(key),
    description: input.description?.trim() || null,
    origin,
    isEnabled: isEnabled(input, context),
    projects: [...new Set(input.projects)],
    tools: shownTools(input, context),
    permissions: permissionsOf(input),
    timeoutMs: input.timeoutMs ?? null,
    cacheTtlMs: input.cacheTtlMs ?? 0,
    idleMs: input.idleMs ?? null,
    maxConcurrent: input.maxConcurrent ?? limits.defaultMaxConcurrent,
    perSession: input.perSession ?? false,
    upgrades: input.upgrades ?? null,
    aliases: checkedAliases(input, context),
    category: input.category ?? null,
    categories: new Map(Object.entries(input.categories ?? {})),
  };
  if (faults.hasMistakes || transport === null) return faults.giveUp();
  const { secrets } = expanded;
  const identity = secrets.length === 0 ? null : identityOf(raw, outer);
  return deepFreeze({ ...spec, transport, secrets, ...(identity && { identity }), problem: faults.problem });
}

/** The transport with references to secrets as they were written. */
function identityOf(raw: unknown, outer: ServerContext): ServerSpec['transport'] | null {
  const written = expandEnv(raw, outer.path, outer.env, asWritten);
  const input = serverSchema.safeParse(written.value);
  // Its mistakes were reported when the values were in it.
  return input.success ? buildTransport(input.data, { ...outer, report() {}, warn() {} }) : null;
}

/** Keeps mistakes of the file apart from gaps in the environment. */
class FaultSorter {
  readonly #expanded: Expanded;
  readonly #outer: ServerContext;
  readonly #problems: string[];
  readonly #broken: ReadonlySet<string>;
  #hasMistakes = false;

  constructor(expanded: Expanded, outer: ServerContext) {
    this.#expanded = expanded;
    this.#outer = outer;
    this.#problems = expanded.broken.flatMap(({ path, text, message }) =>
      message === null ? [] : [formatFault(outer.source, { path, within: text, message })],
    );
    this.#broken = new Set(expanded.broken.map(({ path }) => formatPath(path)));
  }

  readonly report: Report = (fault) => {
    const isBlock = fault.path.length <= this.#outer.path.length;
    if (isBlock || fault.at === 'key' || !this.#expanded.dependsOnEnv(fault.path)) {
      this.#hasMistakes = true;
      this.#outer.report(fault);
    } else if (!this.#broken.has(formatPath(fault.path))) {
      // A value with a missing variable was reported already; that it is also malformed follows from that.
      this.#problems.push(formatFault(this.#outer.source, fault));
    }
  };

  get hasMistakes(): boolean {
    return this.#hasMistakes;
  }

  /** A server is only ever left out for mistakes that were reported: none may vanish in silence. */
  giveUp(): null {
    assert(this.#hasMistakes, `The server at ${formatPath(this.#outer.path)} was left out without a reason.`);
    return null;
  }

  get problem(): string | null {
    return this.#problems.length === 0 ? null : this.#problems.join('\n');
  }
}

/** The block with its shape checked. Wrong values are reported and left out of it, so that the rest can be checked as well. */
function checkShape(expanded: Expanded, context: ServerContext): ServerInput | null {
  const first = serverSchema.safeParse(expanded.value);
  if (first.success) return first.data;
  const faults = zodFaults(first.error, context.path, context.source);
  for (const fault of faults) context.report(fault);
  const dropped = new Set(faults.map(({ path }) => JSON.stringify(toList(path))));
  const second = serverSchema.safeParse(without(expanded.value, context.path, dropped));
  return second.success ? second.data : null;
}

/** The path up to the first list: leaving out single items would shift the others. */
function toList(path: KeyPath): KeyPath {
  const index = path.findIndex((step) => typeof step === 'number');
  return index === -1 ? path : path.slice(0, index);
}

function without(value: unknown, path: KeyPath, dropped: ReadonlySet<string>): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, item] of Object.entries(value)) {
    const at = [...path, key];
    if (!dropped.has(JSON.stringify(at))) copy[key] = without(item, at, dropped);
  }
  return copy;
}

function hasAddress(input: ServerInput): boolean {
  return [input.command, input.url, input.httpUrl, input.serverUrl].some((address) => address !== undefined);
}

function warnIgnored(input: ServerInput, context: ServerContext): void {
  for (const key of ignoredNames) {
    if (input[key] === undefined) continue;
    const path = [...context.path, key];
    context.warn({ path, at: 'key', message: `"${formatPath(path)}" is ignored: ${ignoredKeys[key]}.` });
  }
}

function isEnabled(input: ServerInput, context: ServerContext): boolean {
  if (input.enabled !== undefined && input.enabled === input.disabled) {
    const message = `"${formatPath(context.path)}" has "enabled" and "disabled" that contradict each other; keep one of them.`;
    context.report({ path: [...context.path, 'disabled'], at: 'key', message });
  }
  return input.enabled ?? !input.disabled;
}

function shownTools(input: ServerInput, context: ServerContext): readonly string[] | null {
  if (input.tools !== undefined && input.includeTools !== undefined) {
    const message = `"${formatPath(context.path)}" has both "tools" and "includeTools", which mean the same; keep one of them.`;
    context.report({ path: [...context.path, 'includeTools'], at: 'key', message });
  }
  const tools = input.tools ?? input.includeTools ?? null;
  // Some agents demand a list and write "*" for all tools.
  return tools === null || tools.includes('*') ? null : [...new Set(tools)];
}

function permissionsOf(input: ServerInput): Map<string, Permission> {
  const denied = [...(input.excludeTools ?? []), ...(input.disabledTools ?? [])];
  const entries = denied.map((tool): [string, Permission] => [tool, 'deny']);
  return new Map([...entries, ...Object.entries(input.permissions ?? {})]);
}

const aliasName = /^[A-Za-z0-9_.-]{1,128}$/;

function checkedAliases(input: ServerInput, context: ServerContext): Map<string, string> {
  const aliases = new Map(Object.entries(input.aliases ?? {}));
  for (const alias of aliases.keys()) {
    if (aliasName.test(alias)) continue;
    const message = `${quoteKey(alias)} cannot be an alias; allowed are 1 to 128 letters, digits, "_", "-" and ".".`;
    context.report({ path: [...context.path, 'aliases', alias], at: 'key', message });
  }
  return aliases;
}

interface ParseOptions {
  /** The folder that a relative `cwd` starts from. */
  readonly baseDir?: string | null;
  readonly secrets?: SecretLookup | undefined;
}

/**
 * Throws `CONFIG_INVALID` for mistakes. A missing environment variable or secret is none: it becomes the spec's `problem`.
 * A name that is not legal becomes one and stays as title. A relative `cwd` is refused unless `baseDir` says to what.
 */
export function parseServer(
  name: string,
  raw: unknown,
  env: NodeJS.ProcessEnv,
  origin: ServerSpec['origin'],
  { baseDir = null, secrets }: ParseOptions = {},
): ServerSpec {
  const members: Record<string, unknown> = Object.create(null);
  const root: Record<string, unknown> = Object.create(null);
  root.mcpServers = members;
  const source = valueSource(root);
  const issues = new IssueList(source);
  const path = ['mcpServers', name];
  if (name === '__proto__') issues.add({ path, at: 'key', message: 'a server cannot be named "__proto__".' });
  members[name] = withoutPrototypes(raw, path, issues);
  const context = { source, path, env, secrets, baseDir, report: issues.add, warn: () => {} };
  const spec = issues.isEmpty ? buildServer(name, members[name], origin, context) : null;
  if (spec === null) throw issues.toError();
  return spec;
}

/** A copy whose objects have no prototype; a key that would reach one is a mistake. */
function withoutPrototypes(value: unknown, path: KeyPath, issues: IssueList): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (path.length > limits.maxConfigDepth) {
    const message = `objects and lists are nested deeper than ${limits.maxConfigDepth} levels.`;
    issues.add({ path: path.slice(0, 2), message });
    return null;
  }
  if (Array.isArray(value)) return value.map((item, index) => withoutPrototypes(item, [...path, index], issues));
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') {
      issues.add({ path: [...path, key], at: 'key', message: 'the key "__proto__" is not allowed in a server.' });
    } else if (item !== undefined) {
      copy[key] = withoutPrototypes(item, [...path, key], issues);
    }
  }
  return copy;
}
