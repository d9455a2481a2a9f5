/** The parameters of a tool as they can be compared with those of another one: by their words, their types and their choices. */

import { isObject } from '../../base/json.ts';
import { stemOf, tokensOf } from '../words.ts';

/** Real tools stay far below these; a hostile schema must not cost time. */
const limits = { parameters: 64, branches: 8, choices: 200, depth: 3 };

export interface ToolParameter {
  readonly name: string;
  /** The same for `repo_name`, `repoName` and `repository`. */
  readonly words: string;
  /** null: any. */
  readonly types: ReadonlySet<string> | null;
  /** null: any. */
  readonly choices: ReadonlySet<unknown> | null;
  /** Those of an array's items, where they are simple; null: any. */
  readonly itemTypes: ReadonlySet<string> | null;
  readonly isRequired: boolean;
  /** A credential of one server is no business of another. */
  readonly isSecret: boolean;
}

/** Short forms and other words for the same, one word each. */
const sameWords: ReadonlyMap<string, string> = new Map(
  [
    'repository repo',
    'directory dir folder',
    'query q',
    'message msg',
    'url uri link href',
    'language lang',
    'number num',
    'maximum max',
    'minimum min',
    'description desc',
    'latitude lat',
    'longitude lon lng',
    'organization org organisation',
    'database db',
    'path filepath pathname',
    'file filename',
    'user username',
    'timezone tz',
    'identifier id',
    'identifiers ids',
    'environment env',
    'configuration config',
  ].flatMap((group) => {
    const [first = '', ...others] = group.split(' ');
    return others.map((other) => [other, first] as const);
  }),
);

/** Words that add nothing beside certain others (all, where there are none): a branch name is a branch, a file path a path. */
const fillers: ReadonlyMap<string, readonly string[]> = new Map([
  ['name', []],
  ['the', []],
  ['input', []],
  ['file', ['path']],
  ['search', ['query', 'text', 'term']],
  ['full', ['path', 'name']],
]);

const secretWords: ReadonlySet<string> = new Set(
  'token password passwd passphrase secret credential credentials apikey auth authorization cookie otp'.split(' '),
);

export function toolParametersOf(inputSchema: unknown): ToolParameter[] {
  const schema = isObject(inputSchema) ? inputSchema : {};
  const properties = isObject(schema.properties) ? schema.properties : {};
  const listed: unknown[] = Array.isArray(schema.required) ? schema.required.slice(0, limits.parameters) : [];
  const required = new Set(listed.filter((name) => typeof name === 'string'));
  // Required parameters come first, and may lack a description.
  const names = new Set([...required, ...Object.keys(properties).slice(0, limits.parameters)]);
  return [...names].slice(0, limits.parameters).map((name) => {
    const described = Object.hasOwn(properties, name) ? properties[name] : {};
    return parameterFrom(name, described, required.has(name), schema);
  });
}

/** One that a schema does not name: no more than its name is known. */
export function unknownParameter(name: string): ToolParameter {
  return parameterFrom(name, {}, false, {});
}

/** True where a value for the one may fit the other; an undeclared type may be anything. */
export function areCompatible(from: ToolParameter, to: ToolParameter): boolean {
  if (!meet(from.types, to.types) || !meet(from.itemTypes, to.itemTypes)) return false;
  return from.choices === null || to.choices === null || !from.choices.isDisjointFrom(to.choices);
}

/** True where a parameter takes this value, judged by its top level alone. */
export function takes({ types, itemTypes, choices }: ToolParameter, value: unknown): boolean {
  if (!isOfType(value, types)) return false;
  if (Array.isArray(value) && !value.every((item) => isOfType(item, itemTypes))) return false;
  return choices === null || choices.has(value);
}

/** The words of a name in one form and order. */
export function wordsOfName(name: string): string {
  const parts = tokensOf(name)
    .flatMap((token) => token.parts)
    .map((part) => sameWords.get(part) ?? part);
  const kept = parts.filter((part) => !isFiller(part, parts));
  return [...new Set((kept.length > 0 ? kept : parts).map(stemOf))].sort().join(' ');
}

function isFiller(part: string, parts: readonly string[]): boolean {
  const beside = fillers.get(part);
  if (!beside) return false;
  return beside.length === 0 ? parts.length > 1 : parts.some((other) => beside.includes(other));
}

function isSecretName(name: string): boolean {
  const words = tokensOf(name).flatMap((token) => token.parts);
  const isKey = words.includes('key') && words.some((word) => ['api', 'access', 'private', 'secret'].includes(word));
  // `max_tokens` and `page_token` count and turn pages; they open nothing.
  const isHarmless = words.some((word) => ['page', 'next', 'cursor', 'continuation', 'sync'].includes(word));
  return isKey || (!isHarmless && words.some((word) => secretWords.has(word)));
}

function parameterFrom(
  name: string,
  schema: unknown,
  isRequired: boolean,
  root: Record<string, unknown>,
): ToolParameter {
  const branches = branchesOf(schema, root, 0);
  // A null type says nothing about the other values that it takes.
  const told = branches.filter((branch) => branch.type !== 'null');
  const items = told.filter((branch) => typesIn(branch)?.includes('array')).map((branch) => branch.items);
  return {
    name,
    words: wordsOfName(name),
    types: union(branches.map(typesIn)),
    itemTypes: union(items.map((item) => (isObject(item) ? typesIn(item) : null))),
    choices: union(told.map(choicesIn)),
    isRequired,
    isSecret: isSecretName(name),
  };
}

/** A schema without alternatives is its own only branch; references within the schema are followed a few steps. */
function branchesOf(schema: unknown, root: Record<string, unknown>, depth: number): Record<string, unknown>[] {
  if (!isObject(schema) || depth > limits.depth) return [{}];
  if (typeof schema.$ref === 'string') return branchesOf(definitionAt(schema.$ref, root), root, depth + 1);
  const alternatives: unknown = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(alternatives)) return [schema];
  const read = alternatives.slice(0, limits.branches).map((branch) => branchesOf(branch, root, depth + 1));
  return read.flat().slice(0, limits.branches);
}

function definitionAt(reference: string, root: Record<string, unknown>): unknown {
  const [, place = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? [];
  const definitions = root[place];
  return isObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}

/** null: any. */
function typesIn(schema: Record<string, unknown>): string[] | null {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.slice(0, limits.branches).filter((item) => typeof item === 'string');
  return choicesIn(schema)?.map(typeOf) ?? null;
}

/** null: any. */
function choicesIn(schema: Record<string, unknown>): unknown[] | null {
  if (Object.hasOwn(schema, 'const')) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum.slice(0, limits.choices) : null;
}

/** null where one of them is: then anything goes. */
function union<T>(lists: readonly (readonly T[] | null)[]): ReadonlySet<T> | null {
  if (lists.length === 0) return null;
  const all = new Set<T>();
  for (const list of lists) {
    if (list === null) return null;
    for (const item of list) all.add(item);
  }
  return all;
}

function meet(a: ReadonlySet<string> | null, b: ReadonlySet<string> | null): boolean {
  if (a === null || b === null) return true;
  const isShared = (type: string) => b.has(type) || (type === 'integer' && b.has('number'));
  return [...a].some((type) => type !== 'null' && (isShared(type) || (type === 'number' && b.has('integer'))));
}

function isOfType(value: unknown, types: ReadonlySet<string> | null): boolean {
  if (types === null) return true;
  return types.has(typeOf(value)) || (types.has('integer') && Number.isInteger(value));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
