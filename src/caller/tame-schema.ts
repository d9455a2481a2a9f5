/**
 * Makes a server's schema harmless to evaluate: references are written out within a budget, and what could take long or
 * reach out is left out. The result refuses nothing that the schema allows; what it no longer checks, the server does.
 */

import { isObject } from '../base/json.ts';

const maxNodes = 5_000;
const maxDepth = 64;
const maxPatternLength = 200;

/** Checks that are left out: slow ones, and those that need the whole schema or another document. */
const droppedChecks: ReadonlySet<string> = new Set([
  'format',
  'uniqueItems',
  '$dynamicRef',
  '$recursiveRef',
  'unevaluatedProperties',
  'unevaluatedItems',
]);
/** Members that check nothing themselves once references are written out. */
const droppedMembers: ReadonlySet<string> = new Set(['$id', '$anchor', '$dynamicAnchor', '$defs', 'definitions']);
/** Where something inside was left out, these could refuse what the whole schema allows. */
const unsoundKeywords: ReadonlySet<string> = new Set([
  'not',
  'if',
  'then',
  'else',
  'contains',
  'minContains',
  'maxContains',
]);
/** Keywords whose value is data, not a schema. */
const dataKeywords: ReadonlySet<string> = new Set([
  'enum',
  'const',
  'default',
  'examples',
  'required',
  'dependentRequired',
]);
/** Keywords whose value maps names to schemas. */
const mapKeywords: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas']);

export function tameSchema(schema: Record<string, unknown>): Record<string, unknown> {
  const exact = new Taming(schema, false);
  const tamed = exact.tame(schema);
  return (exact.hasDropped ? new Taming(schema, true).tame(schema) : tamed) as Record<string, unknown>;
}

class Taming {
  readonly #root: Record<string, unknown>;
  readonly #isLoose: boolean;
  readonly #open: string[] = [];
  #nodes = 0;
  /** Something that the schema checks is not checked any more. */
  hasDropped = false;

  constructor(root: Record<string, unknown>, isLoose: boolean) {
    this.#root = root;
    this.#isLoose = isLoose;
  }

  tame(node: unknown, depth = 0): unknown {
    if (typeof node !== 'object' || node === null) return node;
    if (Array.isArray(node)) return node.map((item) => this.tame(item, depth + 1));
    this.#nodes += 1;
    if (this.#nodes > maxNodes || depth > maxDepth) return this.#drop();
    const out: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(node)) {
      if (key === '$ref' || droppedMembers.has(key)) continue;
      if (droppedChecks.has(key) || (key === 'pattern' && !isSafePattern(value))) this.#drop();
      else if (!this.#isLoose) out[key] = this.#member(key, value, depth);
      else if (key === 'oneOf') out.anyOf ??= this.#member(key, value, depth);
      else if (!unsoundKeywords.has(key)) out[key] = this.#member(key, value, depth);
    }
    const reference = (node as Record<string, unknown>).$ref;
    return reference === undefined ? out : { allOf: [out, this.#target(reference, depth)] };
  }

  /** A schema that allows everything, in place of one that is not looked at. */
  #drop(): Record<string, unknown> {
    this.hasDropped = true;
    return {};
  }

  #member(key: string, value: unknown, depth: number): unknown {
    if (dataKeywords.has(key)) return value;
    if (!mapKeywords.has(key) || !isObject(value)) return this.tame(value, depth + 1);
    const isKept = (name: string) => key !== 'patternProperties' || isSafePattern(name);
    const entries = Object.entries(value).filter(([name]) => isKept(name));
    if (entries.length < Object.keys(value).length) this.#drop();
    return Object.fromEntries(entries.map(([name, schema]) => [name, this.tame(schema, depth + 1)]));
  }

  /** What a reference points to, written out; only within the schema, and never in a circle. */
  #target(reference: unknown, depth: number): unknown {
    const isUsable = typeof reference === 'string' && reference.startsWith('#/') && !this.#open.includes(reference);
    const target = isUsable ? this.#find(reference) : undefined;
    if (!isUsable || target === undefined) return this.#drop();
    this.#open.push(reference);
    const tamed = this.tame(target, depth + 1);
    this.#open.pop();
    return tamed;
  }

  #find(reference: string): unknown {
    let at: unknown = this.#root;
    for (const part of reference.slice(2).split('/')) {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
      at = (at as Record<string, unknown>)[key];
    }
    return at;
  }
}

/** Time grows with the text at most linearly: one unbounded repetition at most, none of a group, no back references. */
function isSafePattern(pattern: unknown): boolean {
  if (typeof pattern !== 'string' || pattern.length > maxPatternLength) return false;
  const bare = pattern.replace(/\\[\s\S]/g, 'x').replace(/\[[^\]]*\]/g, 'x');
  if (/\\[1-9k]/.test(pattern) || /\)[*+?{]/.test(bare)) return false;
  return (bare.match(/[*+]|\{\d+,\d*\}/g) ?? []).length <= 1;
}
