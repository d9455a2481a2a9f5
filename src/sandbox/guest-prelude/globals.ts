/** Globals that programs count on and the language itself does not have. Runs in the guest: no imports but types. */

import type { Builtins } from './builtins.ts';

export interface Timers {
  readonly globals: Record<string, unknown>;
  /** How many have not come to their end and were not stopped. */
  waiting(): number;
}

export function makeTimers(builtins: Builtins, sleep: (ms: number) => Promise<void>): Timers {
  const { apply, isFiniteNumber } = builtins;
  const live = builtins.create(null) as Record<number, boolean>;
  let last = 0;
  let sleeping = 0;
  const wait = (ms: unknown) => {
    const asked = builtins.Number(ms);
    return sleep(isFiniteNumber(asked) && asked > 0 ? asked : 0);
  };
  const start = (what: unknown, ms: unknown, given: unknown[], isRepeated: boolean) => {
    if (typeof what !== 'function') throw new builtins.TypeError('A timer needs a function.');
    last += 1;
    const id = last;
    live[id] = true;
    const run = async () => {
      do {
        await wait(ms);
        if (live[id]) apply(what, undefined, given);
      } while (isRepeated && live[id]);
      delete live[id];
    };
    run();
    return id;
  };
  const stop = (id: number) => {
    delete live[id];
  };
  const globals = {
    sleep: async (ms: unknown) => {
      const asked = builtins.Number(ms);
      if (builtins.isNaN(asked))
        throw new builtins.TypeError('sleep takes a number of milliseconds: await sleep(500).');
      sleeping += 1;
      await wait(asked);
      sleeping -= 1;
    },
    setTimeout: (what: unknown, ms: unknown, ...given: unknown[]) => start(what, ms, given, false),
    setInterval: (what: unknown, ms: unknown, ...given: unknown[]) => start(what, ms, given, true),
    setImmediate: (what: unknown, ...given: unknown[]) => start(what, 0, given, false),
    clearTimeout: stop,
    clearInterval: stop,
    clearImmediate: stop,
  };
  return { globals, waiting: () => sleeping + builtins.keys(live).length };
}

/** Data, maps, sets, dates and errors; what cannot be copied is refused as everywhere. */
export function makeClone(builtins: Builtins): (value: unknown) => unknown {
  const { isArray, keys, timeOf } = builtins;
  function cloneOf(value: unknown, seen: Map<unknown, unknown>): unknown {
    if (typeof value === 'function' || typeof value === 'symbol')
      throw new builtins.TypeError(`A ${typeof value} cannot be cloned.`);
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    if (value instanceof builtins.Date) return new builtins.Date(timeOf(value));
    if (value instanceof builtins.Map) {
      const copy = new builtins.Map<unknown, unknown>();
      seen.set(value, copy);
      builtins.eachOfMap(value, (item, key) => copy.set(cloneOf(key, seen), cloneOf(item, seen)));
      return copy;
    }
    if (value instanceof builtins.Set) {
      const copy = new builtins.Set<unknown>();
      seen.set(value, copy);
      builtins.eachOfSet(value, (item) => copy.add(cloneOf(item, seen)));
      return copy;
    }
    if (builtins.isView(value) && 'slice' in value) return (value as Uint8Array).slice();
    const isError = value instanceof builtins.Error;
    const copy = (isArray(value) ? [] : isError ? new builtins.Error(value.message) : {}) as Record<string, unknown>;
    if (isError && copy.name !== value.name) copy.name = value.name;
    seen.set(value, copy);
    const names = keys(value);
    for (let at = 0; at < names.length; at += 1) {
      const name = names[at] as string;
      copy[name] = cloneOf((value as Record<string, unknown>)[name], seen);
    }
    return copy;
  }
  return (value) => cloneOf(value, new builtins.Map());
}

/** UTF-8 both ways, through the encoding of addresses, which the language has. */
export function makeTextCoders(builtins: Builtins): Record<string, unknown> {
  const [encode, decode] = [encodeURIComponent, decodeURIComponent];
  class TextEncoder {
    readonly encoding = 'utf-8';
    encode(text: unknown = ''): Uint8Array {
      const bytes: number[] = [];
      const escaped = encode(builtins.text(text).toWellFormed());
      for (let at = 0; at < escaped.length; at += 1) {
        const isEscape = escaped[at] === '%';
        builtins.push(
          bytes,
          isEscape ? builtins.Number(`0x${escaped[at + 1]}${escaped[at + 2]}`) : builtins.codeAt(escaped, at),
        );
        if (isEscape) at += 2;
      }
      return new builtins.Uint8Array(bytes);
    }
  }
  class TextDecoder {
    readonly encoding = 'utf-8';
    decode(bytes: ArrayLike<number> | ArrayBuffer = []): string {
      const view = bytes instanceof builtins.ArrayBuffer ? new builtins.Uint8Array(bytes) : bytes;
      let escaped = '';
      for (let at = 0; at < view.length; at += 1) {
        const byte = view[at] ?? 0;
        escaped += `${byte < 16 ? '%0' : '%'}${byte.toString(16)}`;
      }
      return decode(escaped);
    }
  }
  return { TextEncoder, TextDecoder };
}

/** The machine knows no languages: what a program asks of them would be ignored without a word. */
export function tellOfLocales(builtins: Builtins, tell: (sentence: string) => void): void {
  const { apply, defineProperty } = builtins;
  const watch = (prototype: object, name: string) => {
    const own = (prototype as Record<string, () => unknown>)[name] as () => unknown;
    const watched = function (this: unknown, ...given: unknown[]) {
      if (given.length > 0) tell(`${name} ignores languages and formats here.`);
      return apply(own, this, []);
    };
    defineProperty(prototype, name, { value: watched, writable: true, configurable: true, enumerable: false });
  };
  watch(builtins.Number.prototype, 'toLocaleString');
  watch(builtins.Date.prototype, 'toLocaleString');
  watch(builtins.Date.prototype, 'toLocaleDateString');
  watch(builtins.Date.prototype, 'toLocaleTimeString');
}

/** Random identifiers, good enough to tell things apart. */
export function makeCrypto(builtins: Builtins): Record<string, unknown> {
  const digit = (most: number) => builtins.floor(builtins.random() * most).toString(16);
  return {
    randomUUID: () => {
      let id = '';
      for (let at = 0; at < 32; at += 1) {
        if (at === 8 || at === 12 || at === 16 || at === 20) id += '-';
        id += at === 12 ? '4' : at === 16 ? '89ab'[builtins.floor(builtins.random() * 4)] : digit(16);
      }
      return id;
    },
  };
}

/** Every function of this file that the prelude's source needs. */
export const globalParts: readonly ((...given: never[]) => unknown)[] = [
  makeTimers,
  makeClone,
  makeTextCoders,
  tellOfLocales,
  makeCrypto,
];
