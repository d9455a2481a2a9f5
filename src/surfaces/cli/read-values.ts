/** Checks what stood on the line against the declarations and gives it its types. */

import { GatewayError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import type { ParsedLine } from './build-program.ts';
import type { ArgumentDeclarations, ArgumentValues, FlagDeclaration, FlagDeclarations, FlagValues } from './command.ts';

/** Throws USAGE for a value that is not one of the choices. */
export function readCommandArguments<A extends ArgumentDeclarations>(
  declarations: A,
  line: ParsedLine,
): ArgumentValues<A> {
  const values: Record<string, unknown> = {};
  for (const [at, [name, { choices }]] of Object.entries(declarations).entries()) {
    const value = line.operands[at];
    if (choices && typeof value === 'string') checkChoice(name.toUpperCase(), value, choices);
    values[name] = value;
  }
  // The parser has made sure that required arguments are there and variadic ones are lists.
  return values as ArgumentValues<A>;
}

/** Throws USAGE for a value that is no number, out of range, or not one of the choices. */
export function readFlags<F extends FlagDeclarations>(
  declarations: F,
  line: ParsedLine,
  env: NodeJS.ProcessEnv,
): FlagValues<F> {
  const values: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(declarations)) values[name] = readFlag(name, flag, line.options, env);
  // Each value was just read by its own declaration.
  return values as FlagValues<F>;
}

function readFlag(
  name: string,
  flag: FlagDeclaration,
  options: ParsedLine['options'],
  env: NodeJS.ProcessEnv,
): unknown {
  // The parser takes `--no-x` as "x is false".
  if (name.startsWith('no-')) return options[camelCase(name.slice('no-'.length))] === false;
  const value = options[camelCase(name)];
  if (flag.value === undefined) return value === true;
  if (flag.isRepeatable) return value ?? [];
  if (typeof value === 'string') return readValue(`--${name}`, flag, value);
  // An empty variable says nothing.
  return flag.env === undefined || !env[flag.env] ? undefined : readValue(flag.env, flag, env[flag.env] ?? '');
}

function readValue(what: string, flag: FlagDeclaration, value: string): string | number {
  if (flag.choices) checkChoice(what, value, flag.choices);
  return flag.number ? readNumber(what, value, flag.number) : value;
}

function readNumber(what: string, value: string, { least, most }: { least: number; most: number }): number {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new GatewayError('USAGE', `${what} must be a whole number from ${least} to ${most}, not "${value}".`);
}

function checkChoice(what: string, value: string, choices: readonly string[]): void {
  if (choices.includes(value)) return;
  const [best] = nearest(value, choices, 1);
  throw new GatewayError('USAGE', `${what} must be one of ${choices.join(', ')}, not "${value}".`, {
    hint: best === undefined ? undefined : `Did you mean "${best}"?`,
  });
}

function camelCase(name: string): string {
  return name.replace(/-(.)/g, (_all, letter: string) => letter.toUpperCase());
}
