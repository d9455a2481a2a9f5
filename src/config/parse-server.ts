/** Parses a server that does not come from the config file: one that is added by hand, or kept in the store. */

import { buildServer } from './build-server.ts';
import { IssueList } from './issues.ts';
import { limits } from './limits.ts';
import { type KeyPath, valueSource } from './locate.ts';
import type { SecretLookup } from './secret-references.ts';
import type { ServerSpec } from './server-spec.ts';

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
