/** What `${secret:NAME}` stands for, and where it may stand: in how a server is reached, and nowhere that is shown. */

import { formatPath, type KeyPath } from './locate.ts';

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

/** Members of a server that say how it is reached. What else is said of it is shown to agents and people. */
const reaching: ReadonlySet<unknown> = new Set('command args env cwd url httpUrl serverUrl headers oauth'.split(' '));

/** For the block of a server at `block`. */
export function secretsOfServer(block: KeyPath, find: SecretLookup | undefined): SecretReader {
  return (name, path) => {
    if (!reaching.has(path[block.length])) return noSecretHere(name, path);
    if (find === undefined) return { message: null };
    const value = find(name);
    if (typeof value === 'string') return { value };
    const why = value === null ? 'which cannot be read; set it again' : 'which is not set; set it';
    return { message: `"${formatPath(path)}" refers to the secret ${name}, ${why}: toolcrib secret set ${name}` };
  };
}

export const noSecretHere: SecretReader = (name, path) => ({
  message: `"${formatPath(path)}" refers to the secret ${name}; secrets can be used only in "command", "args", "env", "cwd", "url", "headers" and "oauth" of a server.`,
});

/** Leaves every reference as it was written. */
export const asWritten: SecretReader = (name) => ({ value: `\${secret:${name}}` });
