/** Turns any value of a program into JSON text, and notes each change and loss. Runs in the guest: no imports but types. */

import type { Builtins } from './builtins.ts';

export interface Converter {
  /** JSON text; undefined where the value has none. `name` is how notes call the value; no notes without one. */
  toJson(value: unknown, name?: string): string | undefined;
}

interface Walk {
  /** Values that may still be looked at. */
  left: number;
  readonly isTold: boolean;
  /** The objects that the value is in, outermost first, and how each is reached. */
  readonly above: object[];
  readonly paths: string[];
}

type Tell = (sentence: string) => void;
type Loose = Record<string, unknown>;

/** Most values are plain data, and the machine writes those fast; only the others are copied first. */
export function makeConverter(builtins: Builtins, tell: Tell): Converter {
  const most = { values: 2_000_000, depth: 200 };
  const copyOf = makeCopier(builtins, tell, most.depth);
  const isPlain = makePlainCheck(builtins, most);
  return {
    toJson(value, name) {
      const counter = { left: most.values };
      if (isPlain(value, counter)) return builtins.stringify(value) as string | undefined;
      if (counter.left <= 0)
        throw new builtins.TypeError(`The ${name ?? 'value'} holds more than ${most.values} values.`);
      const walk: Walk = { left: most.values, isTold: name !== undefined, above: [], paths: [] };
      return builtins.stringify(copyOf(value, name ?? 'value', walk)) as string | undefined;
    },
  };
}

/** Written for speed: it sees every value of every result. It runs no getter, which would run again for the copy. */
function makePlainCheck(builtins: Builtins, most: { readonly values: number; readonly depth: number }) {
  const { getPrototypeOf, getterOf, isArray, keys, objectPrototype } = builtins;
  function isPlainObject(value: object, depth: number, counter: { left: number }): boolean {
    if (depth > most.depth || getterOf(value, 'toJSON') !== undefined) return false;
    if ((value as { toJSON?: unknown }).toJSON !== undefined) return false;
    const list = isArray(value) ? value : undefined;
    if (list === undefined) {
      const prototype: unknown = getPrototypeOf(value);
      if (prototype !== objectPrototype && prototype !== null) return false;
    }
    const names = list === undefined ? keys(value) : undefined;
    const count = list === undefined ? (names as string[]).length : list.length;
    counter.left -= count + 1;
    if (counter.left <= 0) return false;
    for (let at = 0; at < count; at += 1) {
      const name = list === undefined ? ((names as string[])[at] as string) : at;
      if (getterOf(value, name) !== undefined) return false;
      const member = (value as Loose)[name];
      const kind = typeof member;
      if (kind === 'string' || kind === 'boolean') continue;
      // A number less itself is 0, unless JSON cannot write it.
      if (kind === 'number' && (member as number) - (member as number) === 0) continue;
      if (kind === 'undefined' && list === undefined) continue;
      if (kind !== 'object' || (member !== null && !isPlainObject(member as object, depth + 1, counter))) return false;
    }
    return true;
  }
  return (value: unknown, counter: { left: number }) =>
    typeof value === 'object' && value !== null ? isPlainObject(value, 0, counter) : typeof value === 'string';
}

/** A copy that is only data. A value that JSON leaves out becomes undefined. */
function makeCopier(builtins: Builtins, tell: Tell, mostDepth: number) {
  const { isFiniteNumber, isSafeInteger, push } = builtins;
  const copyObject = makeObjectCopier(builtins, copyOf);
  function told(walk: Walk, path: string, what: string): void {
    if (walk.isTold) tell(`${shortPath(builtins, path)}: ${what}.`);
  }
  function copyOf(value: unknown, path: string, walk: Walk): unknown {
    walk.left -= 1;
    if (walk.left <= 0) throw new builtins.TypeError('The value holds too many values.');
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number') {
      if (isFiniteNumber(value)) return value;
      told(walk, path, `${value} was given as null`);
      return null;
    }
    if (typeof value === 'bigint') {
      const number = builtins.Number(value);
      const isNumber = isSafeInteger(number);
      told(walk, path, `a BigInt was given as ${isNumber ? 'a number' : 'text'}`);
      return isNumber ? number : builtins.text(value);
    }
    if (typeof value === 'function' && typeof (value as { toJSON?: unknown }).toJSON === 'function')
      return copyOf((value as unknown as { toJSON(): unknown }).toJSON(), path, walk);
    if (typeof value !== 'object') {
      if (value !== undefined) told(walk, path, `a ${typeof value} was left out`);
      return undefined;
    }
    for (let at = 0; at < walk.above.length; at += 1) {
      if (walk.above[at] !== value) continue;
      told(walk, path, `refers back to ${walk.paths[at]} and was given as text`);
      return `[refers back to ${walk.paths[at]}]`;
    }
    if (walk.above.length > mostDepth) {
      told(walk, path, `nested deeper than ${mostDepth} levels and left out`);
      return undefined;
    }
    push(walk.above, value);
    push(walk.paths, path);
    const copy = copyObject(value, path, walk, told);
    walk.above.length -= 1;
    walk.paths.length -= 1;
    return copy;
  }
  return copyOf;
}

function shortPath(builtins: Builtins, path: string): string {
  return path.length <= 90 ? path : `${builtins.slice(path, 0, 40)}…${builtins.slice(path, -40)}`;
}

type Told = (walk: Walk, path: string, what: string) => void;
type Copy = (value: unknown, path: string, walk: Walk) => unknown;

function makeObjectCopier(builtins: Builtins, copyOf: Copy) {
  const copyMembers = makeMemberCopier(builtins, copyOf);
  const copyItems = makeItemCopier(builtins, copyOf);
  return function copyObject(value: object, path: string, walk: Walk, told: Told): unknown {
    const { toJSON } = value as { toJSON?: unknown };
    if (value instanceof builtins.Date)
      return builtins.isFiniteNumber(builtins.timeOf(value)) ? builtins.isoOf(value) : null;
    if (typeof toJSON === 'function') return copyOf(builtins.apply(toJSON, value, ['']), path, walk);
    if (builtins.isArray(value)) return copyItems(value, path, walk);
    if (value instanceof builtins.Promise) {
      told(walk, path, 'a Promise was left out; put `await` before the call');
      return undefined;
    }
    if (value instanceof builtins.Error) return copyMembers(errorFields(builtins, value), path, walk);
    if (value instanceof builtins.RegExp) return builtins.text(value);
    if (value instanceof builtins.String || value instanceof builtins.Number || value instanceof builtins.Boolean)
      return copyOf(value.valueOf(), path, walk);
    if (value instanceof builtins.Map) {
      const asObject = mapAsObject(builtins, value);
      told(walk, path, `a Map was given as ${builtins.isArray(asObject) ? 'a list of pairs' : 'an object'}`);
      return builtins.isArray(asObject) ? copyItems(asObject, path, walk) : copyMembers(asObject, path, walk);
    }
    if (value instanceof builtins.Set) {
      const items: unknown[] = [];
      builtins.eachOfSet(value, (item) => builtins.push(items, item));
      told(walk, path, 'a Set was given as a list');
      return copyItems(items, path, walk);
    }
    if (typeof (value as Record<symbol, unknown>)[builtins.asyncIterator] === 'function')
      told(walk, path, 'an async generator was not read; collect what it gives: for await (const item of …)');
    const listed = listOf(builtins, value);
    if (listed === undefined) return copyMembers(value, path, walk);
    told(
      walk,
      path,
      `${listed.what} was given as a list${listed.isCut ? ` of its first ${listed.items.length} items` : ''}`,
    );
    return copyItems(listed.items, path, walk);
  };
}

function makeMemberCopier(builtins: Builtins, copyOf: Copy) {
  return function copyMembers(value: object, path: string, walk: Walk): unknown {
    // Without a prototype, so that no member of ours is mistaken for a setter or a toJSON of the program.
    const copy = builtins.create(null) as Record<string, unknown>;
    const names = builtins.keys(value);
    for (let at = 0; at < names.length; at += 1) {
      const name = names[at] as string;
      const member = copyOf((value as Record<string, unknown>)[name], `${path}.${name}`, walk);
      if (member !== undefined) copy[name] = member;
    }
    return copy;
  };
}

function makeItemCopier(builtins: Builtins, copyOf: Copy) {
  return function copyItems(items: readonly unknown[], path: string, walk: Walk): unknown {
    const copy: unknown[] = [];
    builtins.setPrototypeOf(copy, null);
    for (let at = 0; at < items.length; at += 1) {
      const item = copyOf(items[at], `${path}[${at}]`, walk);
      copy[at] = item === undefined ? null : item;
    }
    return copy;
  };
}

function errorFields(builtins: Builtins, error: Error): object {
  const fields = builtins.create(null) as Record<string, unknown>;
  fields.name = error.name;
  fields.message = error.message;
  const names = builtins.keys(error);
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] as string;
    if (name !== 'stack') fields[name] = (error as unknown as Record<string, unknown>)[name];
  }
  return fields;
}

/** An object where every key is a text or a number and none is like another, a list of pairs otherwise. */
function mapAsObject(builtins: Builtins, map: Map<unknown, unknown>): object | unknown[] {
  const object = builtins.create(null) as Record<string, unknown>;
  const pairs: unknown[] = [];
  let isNamed = true;
  builtins.eachOfMap(map, (value, key) => {
    const name = typeof key === 'string' || typeof key === 'number' ? `${key}` : undefined;
    if (name === undefined || builtins.hasOwn(object, name)) isNamed = false;
    else object[name] = value;
    builtins.push(pairs, [key, value]);
  });
  return isNamed ? object : pairs;
}

/** The items of typed arrays and of iterators that are still to be read, such as `map.values()`. */
function listOf(builtins: Builtins, value: object): { items: unknown[]; what: string; isCut: boolean } | undefined {
  const mostItems = 10_000;
  const items: unknown[] = [];
  if (builtins.isView(value) || value instanceof builtins.ArrayBuffer) {
    const view = value as { length?: number; buffer?: ArrayBuffer };
    const isList = typeof view.length === 'number';
    const bytes = isList
      ? (value as unknown as ArrayLike<unknown>)
      : new builtins.Uint8Array(view.buffer ?? (value as ArrayBuffer));
    const count = builtins.min(bytes.length, mostItems);
    for (let at = 0; at < count; at += 1) builtins.push(items, bytes[at]);
    return { items, what: 'a typed array', isCut: bytes.length > mostItems };
  }
  if (typeof (value as Record<symbol, unknown>)[builtins.iterator] !== 'function') return undefined;
  const { next } = value as { next?: unknown };
  if (typeof next !== 'function') return undefined;
  for (;;) {
    const step = builtins.apply(next, value, []) as { done?: unknown; value?: unknown };
    if (step.done) return { items, what: 'an iterator', isCut: false };
    if (items.length === mostItems) return { items, what: 'an iterator', isCut: true };
    builtins.push(items, step.value);
  }
}

/** Every function of this file that the prelude's source needs. */
export const converterParts: readonly ((...given: never[]) => unknown)[] = [
  makeConverter,
  makePlainCheck,
  makeCopier,
  shortPath,
  makeObjectCopier,
  makeMemberCopier,
  makeItemCopier,
  errorFields,
  mapAsObject,
  listOf,
];
