/** Takes literal secrets out of the settings of a server: names for the vault, and references in their place. */

import { isObject, type Json, type JsonObject } from '../base/json.ts';
import { secretsOf } from '../config/config.ts';
import { escaped, secretName } from './references.ts';

export interface TakenSecret {
  readonly name: string;
  readonly value: string;
}

export interface WithoutSecrets {
  readonly settings: JsonObject;
  /** To be kept in the vault. */
  readonly secrets: readonly TakenSecret[];
  /** Names of secrets that the settings refer to and nobody has written down: a person sets them. */
  readonly wanted: readonly string[];
}

/** Names begin with that of the server, so that no two servers share one. `isTaken`: names that belong to others. */
export function takeSecrets(
  server: string,
  settings: JsonObject,
  isTaken: (name: string) => boolean = () => false,
): WithoutSecrets {
  const names = new Map<string, string>();
  const wanted = new Set<string>();
  const nameFor = (value: string, label: string): string => {
    const known = names.get(value);
    if (known !== undefined) return known;
    const used = new Set(names.values());
    const name = firstFree(secretName(`${server}.${label}`), (each) => used.has(each) || isTaken(each));
    names.set(value, name);
    return name;
  };
  const take = (text: string, found: readonly string[], label: string) =>
    withReferences(own(text, server, wanted), found, (value) => nameFor(value, label));
  const { command, args, env, cwd, url, headers, oauth } = settings;
  const taken = {
    ...settings,
    ...(typeof command === 'string' && { command: own(command, server, wanted) }),
    ...(typeof cwd === 'string' && { cwd: own(cwd, server, wanted) }),
    ...(Array.isArray(args) && { args: takeFromArguments(args.map(String), take) }),
    ...(isObject(env) && { env: eachMember(env, (value, key) => take(value, inVariable(key, value), key)) }),
    ...(typeof url === 'string' && { url: take(url, inUrl(url), 'url') }),
    ...(isObject(headers) && { headers: eachMember(headers, (value, key) => take(value, inHeader(key, value), key)) }),
    ...(isObject(oauth) && { oauth: eachMember(oauth, (value, key) => take(value, inVariable(key, value), key)) }),
  };
  const secrets = [...names].map(([value, name]) => ({ name, value }));
  return { settings: taken, secrets, wanted: [...wanted] };
}

function firstFree(name: string, isTaken: (name: string) => boolean): string {
  let free = name;
  for (let number = 2; isTaken(free); number += 1) free = `${name}-${number}`;
  return free;
}

type Take = (text: string, found: readonly string[], label: string) => string;

function takeFromArguments(args: readonly string[], take: Take): string[] {
  const found = secretsOf({ kind: 'stdio', command: '', args: args.map(plainOf), env: {}, cwd: null });
  return args.map((arg, at) => {
    // `--key=x` and `KEY=x` say what it is; otherwise the flag before it does.
    const label = /^-{0,2}([\w-]+)=/.exec(arg)?.[1] ?? /^-{1,2}([\w-]+)$/.exec(args[at - 1] ?? '')?.[1];
    return take(arg, found, label ?? `argument-${at + 1}`);
  });
}

function inVariable(key: string, value: string): readonly string[] {
  return secretsOf({ kind: 'stdio', command: '', args: [], env: { [key]: plainOf(value) }, cwd: null });
}

function inUrl(url: string): readonly string[] {
  return secretsOf({ kind: 'http', url: plainOf(url), headers: {} });
}

/** Of `Bearer x`, the scheme is no secret. */
const scheme = /^(?:bearer|basic|token|apikey|bot) +(\S+)$/i;

function inHeader(key: string, value: string): readonly string[] {
  const found = secretsOf({ kind: 'http', url: '', headers: { [key]: plainOf(value) } });
  const credential = scheme.exec(plainOf(value))?.[1];
  return credential !== undefined && found.includes(credential) ? [credential] : found;
}

function eachMember(
  table: Readonly<Record<string, unknown>>,
  change: (value: string, key: string) => string,
): Record<string, Json> {
  // Members that are no strings are numbers and truth values: the settings were parsed.
  return Object.fromEntries(
    Object.entries(table).map(([key, value]) => [
      key,
      typeof value === 'string' ? change(value, key) : (value as Json),
    ]),
  );
}

/** References to secrets get the name of the server before theirs. */
function own(text: string, server: string, wanted: Set<string>): string {
  return text.replace(/(?<!\$)\$\{secret:([^{}]*)\}/g, (_all, name: string) => {
    const full = secretName(`${server}.${name}`);
    wanted.add(full);
    return `\${secret:${full}}`;
  });
}

function hasReference(text: string): boolean {
  return text.replaceAll('$${', '').includes('${');
}

/** A text without references as its reader sees it. */
function plainOf(text: string): string {
  return hasReference(text) ? text : text.replaceAll('$${', '${');
}

/** The text with each of these values as a reference; the longest first, because one may hold another. */
function withReferences(text: string, values: readonly string[], nameOf: (value: string) => string): string {
  const plain = plainOf(text);
  const isWritten = hasReference(text);
  const usable = values.filter((value) => plain.includes(value) && !(isWritten && value.includes('${')));
  const longest = usable.reduce((best, value) => (value.length > best.length ? value : best), '');
  if (longest === '') return text;
  const rest = values.filter((value) => !longest.includes(value));
  const parts = plain.split(longest).map((part) => withReferences(isWritten ? part : escaped(part), rest, nameOf));
  return parts.join(`\${secret:${nameOf(longest)}}`);
}
