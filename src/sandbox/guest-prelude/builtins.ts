/** The built-in functions that the prelude takes before the program can change them. Runs in the guest: no imports but types. */

export type Builtins = ReturnType<typeof takeBuiltins>;

export function takeBuiltins() {
  const { apply, ownKeys } = Reflect;
  const uncurried =
    <Self, Rest extends unknown[], Given>(method: (this: Self, ...rest: Rest) => Given) =>
    (self: Self, ...rest: Rest): Given =>
      apply(method, self, rest);
  const { create, defineProperty, getPrototypeOf, keys, setPrototypeOf } = Object;
  const { __lookupGetter__: lookUp } = Object.prototype as unknown as { __lookupGetter__: () => unknown };
  return {
    apply,
    ownKeys,
    create,
    defineProperty,
    getPrototypeOf,
    keys,
    setPrototypeOf,
    hasOwn: Object.hasOwn,
    objectPrototype: Object.prototype,
    // Bound rather than uncurried: it is asked about every member of every result.
    getterOf: Function.prototype.call.bind(lookUp) as (target: object, name: string | number) => unknown,
    isArray: Array.isArray,
    isView: ArrayBuffer.isView,
    isFiniteNumber: Number.isFinite,
    isSafeInteger: Number.isSafeInteger,
    isNaN: Number.isNaN,
    parse: JSON.parse,
    stringify: JSON.stringify,
    push: uncurried(Array.prototype.push) as (list: unknown[], item: unknown) => number,
    join: uncurried(Array.prototype.join) as (list: readonly unknown[], between: string) => string,
    slice: uncurried(String.prototype.slice),
    indexOf: uncurried(String.prototype.indexOf),
    startsWith: uncurried(String.prototype.startsWith),
    toLowerCase: uncurried(String.prototype.toLowerCase),
    codeAt: uncurried(String.prototype.charCodeAt),
    repeat: uncurried(String.prototype.repeat),
    isoOf: uncurried(Date.prototype.toISOString),
    timeOf: uncurried(Date.prototype.getTime),
    now: Date.now,
    sourceOf: uncurried(Function.prototype.toString) as (target: object) => string,
    eachOfMap: uncurried(Map.prototype.forEach),
    eachOfSet: uncurried(Set.prototype.forEach),
    addTo: uncurried(WeakSet.prototype.add) as (set: WeakSet<object>, item: object) => unknown,
    hasIn: uncurried(WeakSet.prototype.has) as (set: WeakSet<object>, item: object) => boolean,
    floor: Math.floor,
    min: Math.min,
    random: Math.random,
    iterator: Symbol.iterator as symbol,
    asyncIterator: Symbol.asyncIterator as symbol,
    toPrimitive: Symbol.toPrimitive as symbol,
    text: String,
    global: globalThis as unknown as Record<string, unknown>,
    Array,
    ArrayBuffer,
    BigInt,
    Boolean,
    Date,
    Error,
    Map,
    Number,
    Promise,
    Proxy,
    RegExp,
    Set,
    String,
    TypeError,
    Uint8Array,
    WeakMap,
    WeakSet,
  };
}
