/** Finds the result that a program meant: calls functions, chooses exports, awaits promises. Runs in the guest: no imports but types. */

import type { Builtins } from './builtins.ts';
import type { GuestFunction } from './functions.ts';

type Loose = Record<string, unknown>;

export interface Finisher {
  finish(evaluated: unknown, mode: string): Promise<unknown>;
  /** True if the program ended in a `return` of its own. */
  hasReturned(): boolean;
}

export interface FinisherOptions {
  /** The argument for a function of the program. */
  readonly kit: unknown;
  readonly isNode: (value: unknown) => boolean;
  readonly tell: (sentence: string) => void;
  /** The `module` that a program may have set the `exports` of. */
  readonly module: { exports: unknown };
}

export function makeFinisher(builtins: Builtins, options: FinisherOptions): Finisher {
  const { kit, isNode, tell, module } = options;
  const firstExports = module.exports;
  const awaitInside = makeInnerAwait(builtins, tell);
  let hasReturned = false;
  async function finish(evaluated: unknown, mode: string): Promise<unknown> {
    hasReturned = mode === 'body';
    let value = mode === 'script' ? (evaluated as { value: unknown }).value : evaluated;
    if (mode === 'module') value = chosenExport(builtins, evaluated as Loose);
    value = await value;
    const exported = module.exports;
    const hasExported = exported !== firstExports || builtins.keys(firstExports as object).length > 0;
    if (value === undefined && hasExported) value = await exported;
    // A function may give a function, for example where a module exports one that makes the handler.
    for (let times = 0; times < 3; times += 1) {
      const entry = isNode(value) ? undefined : entryOf(builtins, value);
      if (entry === undefined) break;
      tell(entry.name === '' ? 'The function was called.' : `The function ${entry.name} was called.`);
      hasReturned = false;
      value = await entry.run(kit, kit);
    }
    return await awaitInside(value);
  }
  return { finish, hasReturned: () => hasReturned };
}

/** How a function is named that is plainly meant to be run, or an export that is the result; the likeliest first. */
export function entryNames(): string[] {
  return ['default', 'main', 'run', 'execute', 'handler', 'handle', 'start'];
}

function chosenExport(builtins: Builtins, exports: Loose): unknown {
  const names = builtins.keys(exports);
  const first = entryNames();
  builtins.push(first, 'result');
  for (let at = 0; at < first.length; at += 1) {
    const name = first[at] as string;
    if (builtins.hasOwn(exports, name)) return exports[name];
  }
  if (names.length === 0) return undefined;
  const only = exports[names[0] as string];
  if (names.length === 1 && typeof only === 'function') return only;
  const plain = builtins.create(null) as Loose;
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] as string;
    if (typeof exports[name] !== 'function') plain[name] = exports[name];
  }
  return plain;
}

/** A function, or the one of an object of functions that is plainly meant to be run. */
function entryOf(builtins: Builtins, value: unknown): { name: string; run: GuestFunction } | undefined {
  if (typeof value === 'function') {
    // A class cannot be called, and nobody knows what to make it with.
    if (builtins.startsWith(builtins.sourceOf(value), 'class')) return undefined;
    const name = (value as { name?: unknown }).name;
    return { name: typeof name === 'string' ? name : '', run: value as GuestFunction };
  }
  if (typeof value !== 'object' || value === null || builtins.isArray(value)) return undefined;
  const names = builtins.keys(value);
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] as string;
    // Beside functions there may be a name or a description; with data in it, or with a getter, it is a result.
    if (builtins.getterOf(value, name) !== undefined) return undefined;
    const kind = typeof (value as Loose)[name];
    if (kind !== 'function' && kind !== 'string' && kind !== 'undefined') return undefined;
  }
  const first = entryNames();
  for (let at = 0; at < first.length; at += 1) {
    const name = first[at] as string;
    if (!builtins.hasOwn(value, name) || typeof (value as Loose)[name] !== 'function') continue;
    return { name, run: (...given) => builtins.apply((value as Loose)[name] as GuestFunction, value, given) };
  }
  return undefined;
}

/** A frozen object does not take it; the promise is then reported when the result is written. */
function put(target: Loose, name: string, value: unknown): void {
  try {
    target[name] = value;
  } catch {
    // As above.
  }
}

/** A list or an object of promises is nearly always a forgotten `await Promise.all(…)`. */
function makeInnerAwait(builtins: Builtins, tell: (sentence: string) => void) {
  const { getPrototypeOf, getterOf, isArray, keys, objectPrototype } = builtins;
  const mostDepth = 4;
  let left = 10_000;
  /** Finds the promises, as pairs of holder and name. Runs first, because most results hold none. */
  function findPromises(value: object, depth: number, found: unknown[]): unknown[] {
    const prototype: unknown = isArray(value) ? null : getPrototypeOf(value);
    if (depth > mostDepth || (prototype !== null && prototype !== objectPrototype)) return found;
    const names = keys(value);
    for (let at = 0; at < names.length && left > 0; at += 1) {
      left -= 1;
      // A getter runs only when the result is written.
      if (getterOf(value, names[at] as string) !== undefined) continue;
      const member = (value as Loose)[names[at] as string];
      if (typeof member !== 'object' || member === null) continue;
      if (!(member instanceof builtins.Promise)) findPromises(member, depth + 1, found);
      else {
        builtins.push(found, value);
        builtins.push(found, names[at]);
      }
    }
    return found;
  }
  return async function awaitInside(value: unknown): Promise<unknown> {
    if (typeof value !== 'object' || value === null) return value;
    const found = findPromises(value, 0, []);
    if (found.length > 0) tell('The result held promises; they were awaited. Write await Promise.all(…).');
    for (let at = 0; at < found.length; at += 2) {
      const holder = found[at] as Loose;
      const name = found[at + 1] as string;
      put(holder, name, await awaitInside(await holder[name]));
    }
    return value;
  };
}

/** Every function of this file that the prelude's source needs. */
export const finisherParts: readonly ((...given: never[]) => unknown)[] = [
  makeFinisher,
  entryNames,
  chosenExport,
  entryOf,
  put,
  makeInnerAwait,
];
