/** `console`, as a person expects it, in lines of text. Runs in the guest: no imports but types. */

import type { Builtins } from './builtins.ts';
import type { Converter } from './convert.ts';

export interface Printer {
  /** Things as one line. */
  line(things: readonly unknown[]): string;
  readonly console: Record<string, unknown>;
  hasPrinted(): boolean;
}

export function makePrinter(
  builtins: Builtins,
  converter: Converter,
  log: (level: string, text: string) => void,
): Printer {
  const shown = makeShower(builtins, converter);
  const line = (things: readonly unknown[]) => {
    const first = things[0];
    const isPattern = typeof first === 'string' && things.length > 1 && builtins.indexOf(first, '%') !== -1;
    const filled = isPattern ? fillPattern(builtins, first, things, shown) : { text: '', used: 0 };
    let text = filled.text;
    for (let at = filled.used; at < things.length; at += 1) text += `${at > 0 ? ' ' : ''}${shown(things[at])}`;
    return text;
  };
  let hasPrinted = false;
  let indent = '';
  const print = (level: string, things: readonly unknown[]) => {
    hasPrinted = true;
    log(level, indent + line(things));
  };
  const out = builtins.create(builtins.objectPrototype) as Record<string, unknown>;
  const levels = {
    log: 'log',
    info: 'info',
    warn: 'warn',
    error: 'error',
    debug: 'debug',
    dir: 'log',
    table: 'log',
    trace: 'debug',
  };
  const names = builtins.keys(levels);
  for (let at = 0; at < names.length; at += 1) {
    const level = levels[names[at] as keyof typeof levels];
    // `dir` and `table` take settings beside the thing itself.
    const isSingle = names[at] === 'dir' || names[at] === 'table';
    out[names[at] as string] = (...things: unknown[]) => print(level, isSingle ? [things[0]] : things);
  }
  out.assert = (holds: unknown, ...things: unknown[]) => {
    if (!holds) print('error', [things.length === 0 ? 'Assertion failed' : `Assertion failed: ${line(things)}`]);
  };
  out.group = (...things: unknown[]) => {
    if (things.length > 0) print('log', things);
    if (indent.length < 20) indent += '  ';
  };
  out.groupCollapsed = out.group;
  out.groupEnd = () => {
    indent = builtins.slice(indent, 2);
  };
  out.clear = () => undefined;
  addCounters(builtins, out, print);
  return { line, console: out, hasPrinted: () => hasPrinted };
}

function addCounters(
  builtins: Builtins,
  out: Record<string, unknown>,
  print: (level: string, things: readonly unknown[]) => void,
): void {
  const counts = builtins.create(null) as Record<string, number>;
  const starts = builtins.create(null) as Record<string, number>;
  const elapsed = (label: string) => `${label}: ${builtins.now() - (starts[label] ?? builtins.now())} ms`;
  out.count = (label = 'default') => {
    counts[label] = (counts[label] ?? 0) + 1;
    print('log', [`${label}: ${counts[label]}`]);
  };
  out.countReset = (label = 'default') => {
    counts[label] = 0;
  };
  out.time = (label = 'default') => {
    starts[label] = builtins.now();
  };
  out.timeLog = (label = 'default') => print('log', [elapsed(label)]);
  out.timeEnd = out.timeLog;
}

/** One thing as text of bounded length. */
function makeShower(builtins: Builtins, converter: Converter): (thing: unknown) => string {
  const mostChars = 8_000;
  const cut = (text: string) =>
    text.length <= mostChars
      ? text
      : `${builtins.slice(text, 0, mostChars)}… (${text.length - mostChars} more characters)`;
  return (thing) => {
    if (typeof thing === 'string') return cut(thing);
    if (typeof thing === 'bigint') return `${thing}n`;
    if (typeof thing === 'symbol') return builtins.text(thing);
    if ((typeof thing !== 'object' && typeof thing !== 'function') || thing === null) return `${thing as undefined}`;
    try {
      if (thing instanceof builtins.Promise) return '[Promise: put `await` before it to see its value]';
      if (thing instanceof builtins.Error) return cut(`${thing.name}: ${thing.message}`);
      const isOrdinary = typeof thing === 'function' && (thing as { toJSON?: unknown }).toJSON === undefined;
      if (isOrdinary) return `[function ${cut(`${(thing as { name: unknown }).name}`)}]`;
      const plain = typeof thing === 'function' ? (thing as unknown as { toJSON(): unknown }).toJSON() : thing;
      return cut(converter.toJson(plain) ?? 'undefined');
    } catch {
      // A getter or a proxy of the program that throws must not make logging fail.
      return '[not printable]';
    }
  };
}

/** The pattern with `%s`, `%d`, `%i`, `%f`, `%j`, `%o` and `%O` filled in, and how many things that took. */
function fillPattern(
  builtins: Builtins,
  pattern: string,
  things: readonly unknown[],
  shown: (thing: unknown) => string,
): { text: string; used: number } {
  let text = '';
  let used = 1;
  for (let at = 0; at < pattern.length; at += 1) {
    const kind = pattern[at] === '%' ? pattern[at + 1] : undefined;
    if (kind === '%') text += '%';
    else if (kind !== undefined && builtins.indexOf('sdifjoOc', kind) !== -1 && used < things.length) {
      // `%c` is about colours, which there are none of.
      if (kind !== 'c') text += shown(things[used]);
      used += 1;
    } else {
      text += pattern[at];
      continue;
    }
    at += 1;
  }
  return { text, used };
}

/** Every function of this file that the prelude's source needs. */
export const consoleParts: readonly ((...given: never[]) => unknown)[] = [
  makePrinter,
  addCounters,
  makeShower,
  fillPattern,
];
