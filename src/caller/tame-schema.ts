/**
 * A stranger's schema, made harmless to look at: references lead only within it, patterns are run without backtracking,
 * and nothing is walked through before somebody asks.
 */

import { isObject } from '../base/json.ts';
import { type Pattern, tamePattern } from './tame-schema-patterns.ts';
import type { Schema } from './validate-arguments-place.ts';

/** Objects and lists that are walked through to find what has a name; in a larger schema references are not followed. */
const maxNodes = 10_000;
/** Nesting of a schema beyond which names are not looked for. */
const maxDepth = 256;
/** Patterns of one schema that are run. */
const maxPatterns = 200;

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
  readonly root: Schema;
}

interface Names {
  readonly resources: ReadonlyMap<string, Resource>;
  /** By address and name: `uri#name`. */
  readonly anchors: ReadonlyMap<string, Schema>;
  /** How often a name is given to a place that may be replaced from outside. */
  readonly dynamicAnchors: ReadonlyMap<string, number>;
  /** Where each schema that refers to another begins from. */
  readonly homes: ReadonlyMap<Schema, Resource>;
}

export class TamedSchema {
  readonly root: Schema;
  /** Up to draft-07: what stands beside a reference does not count, and newer keywords mean nothing. */
  readonly isOldDraft: boolean;
  readonly #patterns = new Map<string, Pattern | undefined>();
  readonly #targets = new Map<Schema, unknown>();
  #names: Names | null | undefined;

  constructor(root: Schema) {
    this.root = root;
    this.isOldDraft = /draft-0[3-7]/.test(typeof root.$schema === 'string' ? root.$schema.slice(0, 200) : '');
  }

  /** What a schema's reference leads to; undefined where it leads nowhere inside this schema. */
  target(schema: Schema): unknown {
    if (!this.#targets.has(schema)) this.#targets.set(schema, this.#find(schema));
    return this.#targets.get(schema);
  }

  /** undefined for a pattern that cannot be run safely. */
  pattern(source: string): Pattern | undefined {
    if (!this.#patterns.has(source)) {
      if (this.#patterns.size >= maxPatterns) return undefined;
      this.#patterns.set(source, tamePattern(source));
    }
    return this.#patterns.get(source);
  }

  #find(schema: Schema): unknown {
    const { $ref, $dynamicRef, $recursiveRef } = schema;
    this.#names ??= findNames(this.root);
    const home = this.#names?.homes.get(schema);
    if (this.#names === null || home === undefined) return undefined;
    if (typeof $ref === 'string') return resolve($ref, home, this.#names);
    if (typeof $dynamicRef === 'string') {
      // With one place of that name in all of the schema there is nothing to choose.
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

/** What a JSON pointer leads to. */
export function atPointer(pointer: string, root: Schema): unknown {
  let at: unknown = root;
  for (const part of pointer.slice(1).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Schema)[key];
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
function findNames(root: Schema): Names | null {
  const walk = new NameWalk();
  return walk.visit(root, undefined, 0) ? walk : null;
}

/** Whether a schema is said to be what another is. */
export function refers(schema: Schema): boolean {
  return schema.$ref !== undefined || schema.$dynamicRef !== undefined || schema.$recursiveRef !== undefined;
}

class NameWalk implements Names {
  readonly resources = new Map<string, Resource>();
  readonly anchors = new Map<string, Schema>();
  readonly dynamicAnchors = new Map<string, number>();
  readonly homes = new Map<Schema, Resource>();
  #nodes = 0;

  /** False when there is too much to walk through. */
  visit(schema: unknown, outer: Resource | undefined, depth: number): boolean {
    if (typeof schema !== 'object' || schema === null) return true;
    this.#nodes += 1;
    const isList = Array.isArray(schema);
    // A list that alone is too long need not be begun.
    if (this.#nodes + (isList ? schema.length : 0) > maxNodes || depth > maxDepth) return false;
    if (isList) return schema.every((item) => this.visit(item, outer, depth + 1));
    const own: Schema = schema as Schema;
    const home = this.#home(own, outer);
    for (const [key, value] of Object.entries(own)) {
      if (dataKeywords.has(key)) continue;
      const inner = mapKeywords.has(key) && isObject(value) ? Object.values(value) : value;
      if (!this.visit(inner, home, depth + 1)) return false;
    }
    return true;
  }

  #home(schema: Schema, outer: Resource | undefined): Resource {
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
