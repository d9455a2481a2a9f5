/**
 * A stranger's schema, made harmless to look at: references lead only within it, patterns are run without backtracking,
 * and nothing is walked through before somebody asks.
 */

import { isObject } from '../base/json.ts';
import { type TamedPattern, tamePattern } from './tame-pattern.ts';
import { type JsonSchema, typeOfValue } from './value-keywords.ts';

/** Objects and lists that are walked through to find what has a name; in a larger schema references are not followed. */
const maxNodes = 10_000;
/** Nesting of a schema beyond which names are not looked for. */
const maxDepth = 256;
/** Patterns of one schema that are run. */
const maxPatterns = 200;

/** References that are followed one after another. */
const maxFollowed = 8;
/** Parameters that are known by name for this; a schema with more is no help to anybody. */
const maxParameters = 1_000;
/** Parts of a schema that are searched for names. */
const maxParts = 50;

/** Keywords whose value is data, not a schema. */
const dataKeywords: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'example', 'required']);
/** Keywords whose value maps names to schemas. */
const mapKeywords: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
]);

/** A schema with an address of its own, which references inside it begin from. */
interface Resource {
  readonly uri: string;
  readonly root: JsonSchema;
}

interface Names {
  readonly resources: ReadonlyMap<string, Resource>;
  /** By address and name: `uri#name`. */
  readonly anchors: ReadonlyMap<string, JsonSchema>;
  /** How often each dynamic anchor is declared. */
  readonly dynamicAnchors: ReadonlyMap<string, number>;
  /** The resource that each referring schema belongs to. */
  readonly homes: ReadonlyMap<JsonSchema, Resource>;
}

export class TamedSchema {
  readonly root: JsonSchema;
  /** Up to draft-07: what stands beside a reference does not count, and newer keywords mean nothing. */
  readonly isOldDraft: boolean;
  readonly #patterns = new Map<string, TamedPattern | undefined>();
  readonly #targets = new Map<JsonSchema, unknown>();
  #names: Names | null | undefined;

  constructor(root: JsonSchema) {
    this.root = root;
    this.isOldDraft = /draft-0[3-7]/.test(typeof root.$schema === 'string' ? root.$schema.slice(0, 200) : '');
  }

  /** The target of a schema's reference; undefined if it is not inside this schema. */
  target(schema: JsonSchema): unknown {
    if (!this.#targets.has(schema)) this.#targets.set(schema, this.#find(schema));
    return this.#targets.get(schema);
  }

  /** undefined for a pattern that cannot be run safely. */
  pattern(source: string): TamedPattern | undefined {
    if (!this.#patterns.has(source)) {
      if (this.#patterns.size >= maxPatterns) return undefined;
      this.#patterns.set(source, tamePattern(source));
    }
    return this.#patterns.get(source);
  }

  #find(schema: JsonSchema): unknown {
    const { $ref, $dynamicRef, $recursiveRef } = schema;
    this.#names ??= findNames(this.root);
    const home = this.#names?.homes.get(schema);
    if (this.#names === null || home === undefined) return undefined;
    if (typeof $ref === 'string') return resolve($ref, home, this.#names);
    if (typeof $dynamicRef === 'string') {
      // With one anchor of that name in the schema there is nothing to choose.
      const name = $dynamicRef.slice($dynamicRef.indexOf('#') + 1);
      return (this.#names.dynamicAnchors.get(name) ?? 0) > 1 ? undefined : resolve($dynamicRef, home, this.#names);
    }
    return $recursiveRef === '#' && this.#names.resources.size === 1 ? this.root : undefined;
  }
}

function resolve(reference: string, home: Resource, names: Names): unknown {
  const hash = reference.indexOf('#');
  const address = hash === -1 ? reference : reference.slice(0, hash);
  const fragment = decode(hash === -1 ? '' : reference.slice(hash + 1));
  const resource = address === '' ? home : names.resources.get(absolute(address, home.uri));
  if (resource === undefined || fragment === undefined) return undefined;
  if (fragment === '') return resource.root;
  return fragment.startsWith('/')
    ? atPointer(fragment, resource.root)
    : names.anchors.get(`${resource.uri}#${fragment}`);
}

/** The value at a JSON pointer. */
export function atPointer(pointer: string, root: JsonSchema): unknown {
  let at: unknown = root;
  for (const part of pointer.slice(1).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as JsonSchema)[key];
  }
  return at;
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

/** An address that is none stays what it is, and leads nowhere. */
function absolute(address: string, base: string): string {
  return URL.parse(address, base)?.href.replace(/#$/, '') ?? address;
}

const nowhere = 'schema://tool/';

/** null where the schema is too large or too deep to walk through. */
function findNames(root: JsonSchema): Names | null {
  const walk = new NameWalk();
  return walk.visit(root, undefined, 0) ? walk : null;
}

/** True if the schema refers to another. */
export function refers(schema: JsonSchema): boolean {
  return schema.$ref !== undefined || schema.$dynamicRef !== undefined || schema.$recursiveRef !== undefined;
}

class NameWalk implements Names {
  readonly resources = new Map<string, Resource>();
  readonly anchors = new Map<string, JsonSchema>();
  readonly dynamicAnchors = new Map<string, number>();
  readonly homes = new Map<JsonSchema, Resource>();
  #nodes = 0;

  /** False when there is too much to walk through. */
  visit(schema: unknown, outer: Resource | undefined, depth: number): boolean {
    if (typeof schema !== 'object' || schema === null) return true;
    this.#nodes += 1;
    const isList = Array.isArray(schema);
    // A list that alone is too long need not be begun.
    if (this.#nodes + (isList ? schema.length : 0) > maxNodes || depth > maxDepth) return false;
    if (isList) return schema.every((item) => this.visit(item, outer, depth + 1));
    const own: JsonSchema = schema as JsonSchema;
    const home = this.#home(own, outer);
    for (const [key, value] of Object.entries(own)) {
      if (dataKeywords.has(key)) continue;
      const inner = mapKeywords.has(key) && isObject(value) ? Object.values(value) : value;
      if (!this.visit(inner, home, depth + 1)) return false;
    }
    return true;
  }

  #home(schema: JsonSchema, outer: Resource | undefined): Resource {
    const { $id, $anchor, $dynamicAnchor } = schema;
    const isAddress = typeof $id === 'string' && !$id.startsWith('#');
    const uri = isAddress ? absolute($id, outer?.uri ?? nowhere) : nowhere;
    const home = outer === undefined || isAddress ? { uri, root: schema } : outer;
    if (home !== outer) this.resources.set(uri, home);
    const name = (anchor: unknown) => typeof anchor === 'string' && this.anchors.set(`${home.uri}#${anchor}`, schema);
    name($anchor);
    name($dynamicAnchor);
    // The way to write an anchor up to draft-07.
    if (typeof $id === 'string' && $id.startsWith('#')) name($id.slice(1));
    if (typeof $dynamicAnchor === 'string')
      this.dynamicAnchors.set($dynamicAnchor, (this.dynamicAnchors.get($dynamicAnchor) ?? 0) + 1);
    if (refers(schema)) this.homes.set(schema, home);
    return home;
  }
}

/** The values that a schema lists, if it does. */
export function choicesOf(schema: JsonSchema): readonly unknown[] | undefined {
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum;
  return schema.const === undefined ? undefined : [schema.const];
}

/** A schema, or the one that it refers to. */
export function followed(schema: unknown, tamed: TamedSchema): JsonSchema {
  let at = schema;
  for (let count = 0; count < maxFollowed && isObject(at) && refers(at); count += 1) at = tamed.target(at);
  return isObject(at) ? at : {};
}

/** True if the schema allows values of this type. */
export function isOfType(schema: JsonSchema, value: unknown): boolean {
  if (schema.type === undefined) return true;
  const names: readonly unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  const actual = typeOfValue(value);
  return names.some((name) => name === actual || (name === 'integer' && actual === 'number'));
}

/** Parameters with their schemas, of schemas and of those that they are made of. */
export function namedParameters(schemas: readonly unknown[], tamed: TamedSchema): Map<string, unknown> {
  const found = new Map<string, unknown>();
  const waiting = [...schemas];
  const seen = new Set<unknown>();
  // The list grows while it is walked along.
  for (const schema of waiting) {
    if (seen.size >= maxParts) break;
    if (!isObject(schema) || seen.has(schema)) continue;
    seen.add(schema);
    if (isObject(schema.properties)) {
      for (const name of Object.keys(schema.properties).slice(0, maxParameters))
        if (!found.has(name)) found.set(name, schema.properties[name]);
    }
    if (refers(schema)) waiting.push(tamed.target(schema));
    for (const parts of [schema.allOf, schema.anyOf, schema.oneOf])
      if (Array.isArray(parts)) waiting.push(...parts.slice(0, maxParts));
    waiting.push(schema.then, schema.else);
  }
  return found;
}
