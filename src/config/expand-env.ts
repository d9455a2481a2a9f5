/** Replaces `${NAME}`, `${NAME:-default}` and `${secret:NAME}` in the strings of a value; `$${` stands for a plain `${`. Keys are never touched. */

import { redactText } from '../base/redact.ts';
import { formatPath, type KeyPath } from './locate.ts';

/** A reference that could not be replaced, and why, as a full sentence. */
export interface BrokenReference {
  readonly path: KeyPath;
  /** The reference as it was written. */
  readonly text: string;
  /** null: a secret that nobody could look up. */
  readonly message: string | null;
}

export interface Expanded {
  /** A copy in which references are replaced; broken ones stay as they were written. */
  readonly value: unknown;
  readonly broken: readonly BrokenReference[];
  /** Names of the secrets that are referred to. */
  readonly secrets: readonly string[];
  /** True where the string at a path holds a reference: a fault in it may then be the environment's. */
  dependsOnEnv(path: KeyPath): boolean;
}

export function expandEnv(
  value: unknown,
  path: KeyPath,
  env: NodeJS.ProcessEnv,
  readSecret: SecretReader = noSecretHere,
): Expanded {
  const secrets = new Set<string>();
  const reading: SecretReader = (name, at) => {
    secrets.add(name);
    return readSecret(name, at);
  };
  const broken: BrokenReference[] = [];
  const dependent = new Set<string>();
  const expandAt = (item: unknown, at: KeyPath): unknown => {
    if (typeof item === 'string') {
      const found = expandText(item, at, env, reading);
      broken.push(...found.broken);
      if (found.hasReference) dependent.add(JSON.stringify(at));
      return found.text;
    }
    if (Array.isArray(item)) return item.map((each, index) => expandAt(each, [...at, index]));
    if (typeof item !== 'object' || item === null) return item;
    const copy: Record<string, unknown> = Object.create(null);
    for (const [key, each] of Object.entries(item)) copy[key] = expandAt(each, [...at, key]);
    return copy;
  };
  const expanded = expandAt(value, path);
  return {
    value: expanded,
    broken,
    secrets: [...secrets].sort(),
    dependsOnEnv: (at) => dependent.has(JSON.stringify(at)),
  };
}

const reference = /\$\$\{|\$\{([^{}]*)\}|\$\{/g;
/** `${env:NAME}` is how some agents write `${NAME}`. */
const named = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

function expandText(text: string, path: KeyPath, env: NodeJS.ProcessEnv, readSecret: SecretReader) {
  const broken: BrokenReference[] = [];
  let hasReference = false;
  const expanded = text.replace(reference, (all: string, inner: string | undefined) => {
    if (all === '$${') return '${';
    hasReference = true;
    const secret = secretReference.exec(inner ?? '')?.[1];
    if (secret !== undefined) {
      const found = readSecret(secret, path);
      if ('value' in found) return found.value;
      broken.push({ path, text: all, message: found.message });
      return all;
    }
    const [, name, fallback] = named.exec(inner ?? '') ?? [];
    if (name === undefined) {
      broken.push({ path, text: all, message: malformed(path, all) });
      return all;
    }
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    // As in a shell, the default also stands in for an empty variable.
    if (fallback !== undefined) return value || fallback;
    if (value !== undefined) return value;
    broken.push({ path, text: all, message: missing(path, name) });
    return all;
  });
  return { text: expanded, broken, hasReference };
}

function missing(path: KeyPath, name: string): string {
  return `"${formatPath(path)}" refers to the environment variable ${name}, which is not set; set it, or give a default with \${${name}:-value}.`;
}

function malformed(path: KeyPath, text: string): string {
  const shown = text === '${' ? 'an unfinished or nested "${"' : `"${redactText(text.slice(0, 60))}"`;
  return `"${formatPath(path)}" holds ${shown}, which is no reference to an environment variable or a secret; write \${NAME}, \${NAME:-default} or \${secret:NAME}, or $\${ for a plain \${.`;
}

/** The value of a secret; undefined: it is not set. null: it is set, and cannot be read. */
export type SecretLookup = (name: string) => string | null | undefined;

/** A value, or why there is none. Without a message nobody could look it up, which is no mistake. */
export type FoundSecret = { readonly value: string } | { readonly message: string | null };
export type SecretReader = (name: string, path: KeyPath) => FoundSecret;

const nameForm = '[A-Za-z_][A-Za-z0-9_.-]{0,127}';
export const secretReference = new RegExp(`^secret:(${nameForm})$`);
const wholeName = new RegExp(`^${nameForm}$`);

export function isSecretName(name: string): boolean {
  return wholeName.test(name);
}

/** Members that say how to reach a server. All others are shown to agents and people. */
const reaching: ReadonlySet<unknown> = new Set('command args env cwd url httpUrl serverUrl headers oauth'.split(' '));

/** For the block of a server at `block`. */
export function secretsOfServer(block: KeyPath, find: SecretLookup | undefined): SecretReader {
  return (name, path) => {
    return reaching.has(path[block.length]) ? lookedUp(name, path, find) : noSecretHere(name, path);
  };
}

/** For all other sections: only headers that are sent to somebody may hold one. */
export function secretsOfSections(find: SecretLookup | undefined): SecretReader {
  return (name, path) => {
    if (!isHeaderOfCollector(path)) return noSecretHere(name, path);
    const found = lookedUp(name, path, find);
    if (!('value' in found) || headerValue.test(found.value)) return found;
    const why = 'whose value cannot stand in a header; set it again';
    return { message: `"${formatPath(path)}" refers to the secret ${name}, ${why}: toolcrib secret set ${name}` };
  };
}

/** Characters that can be sent in a header. */
export const headerValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

export function isHeaderOfCollector(path: KeyPath): boolean {
  return path[0] === 'telemetry' && path[1] === 'headers';
}

function lookedUp(name: string, path: KeyPath, find: SecretLookup | undefined): FoundSecret {
  if (find === undefined) return { message: null };
  const value = find(name);
  if (typeof value === 'string') return { value };
  const why = value === null ? 'which cannot be read; set it again' : 'which is not set; set it';
  return { message: `"${formatPath(path)}" refers to the secret ${name}, ${why}: toolcrib secret set ${name}` };
}

export const noSecretHere: SecretReader = (name, path) => ({
  message: `"${formatPath(path)}" refers to the secret ${name}; secrets can be used only in "command", "args", "env", "cwd", "url", "headers" and "oauth" of a server, and in "telemetry.headers".`,
});

/** Leaves every reference as it was written. */
export const asWritten: SecretReader = (name) => ({ value: `\${secret:${name}}` });
