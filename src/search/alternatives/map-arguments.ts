/** Carries the arguments of one tool over to another one, where their parameters agree in name and kind. Nothing is invented. */

import { areCompatible, type ToolParameter, takes, toolParametersOf, unknownParameter } from './parameters-of.ts';

type Arguments = Readonly<Record<string, unknown>>;

export interface MappedArguments {
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Parameters that the other tool needs and that could not be filled. */
  readonly missing: readonly string[];
  /** Arguments that the other tool has no place for. */
  readonly dropped: readonly string[];
}

/** Given arguments that are looked at; no call has as many. */
const mostArguments = 100;

/** The schemas are those of the tools' input. */
export function mapArguments(fromSchema: unknown, toSchema: unknown, args: Arguments): MappedArguments {
  const known = new Map(toolParametersOf(fromSchema).map((parameter) => [parameter.name, parameter]));
  const wanted = toolParametersOf(toSchema);
  const given = Object.entries(args).slice(0, mostArguments);
  const places = pairUp(
    given.map(([name]) => known.get(name) ?? unknownParameter(name)),
    wanted,
  );
  const mapped = new Map<string, unknown>();
  const dropped: string[] = [];
  for (const [name, value] of given) {
    const place = places.get(name);
    if (place && takes(place, value)) mapped.set(place.name, value);
    else dropped.push(name);
  }
  const missing = wanted.filter(({ name, isRequired }) => isRequired && !mapped.has(name));
  // Made from entries, so that a parameter called `__proto__` is one like any other.
  return { arguments: Object.fromEntries(mapped), missing: missing.map(({ name }) => name), dropped };
}

/** The same before any call: what a call with everything that the one tool needs would lack or lose at the other one. */
export function mapParameters(fromSchema: unknown, toSchema: unknown): Pick<MappedArguments, 'missing' | 'dropped'> {
  const [from, to] = [toolParametersOf(fromSchema), toolParametersOf(toSchema)];
  const pairs = pairUp(from, to);
  const filled = new Set([...pairs.values()].map(({ name }) => name));
  return {
    missing: to.filter(({ name, isRequired }) => isRequired && !filled.has(name)).map(({ name }) => name),
    dropped: from.filter(({ name, isRequired }) => isRequired && !pairs.has(name)).map(({ name }) => name),
  };
}

/** By name of the one: the parameter of the other that stands for the same. The same name first, then the same words where only one has them. */
export function pairUp(from: readonly ToolParameter[], to: readonly ToolParameter[]): Map<string, ToolParameter> {
  const pairs = new Map<string, ToolParameter>();
  const taken = new Set<string>();
  const pair = (a: ToolParameter, b: ToolParameter | undefined) => {
    // A secret is for the server that it was given for.
    if (!b || a.isSecret || b.isSecret || !areCompatible(a, b)) return;
    pairs.set(a.name, b);
    taken.add(b.name);
  };
  const byName = new Map(to.map((parameter) => [parameter.name, parameter]));
  for (const parameter of from) pair(parameter, byName.get(parameter.name));
  const left = Map.groupBy(
    to.filter(({ name }) => !taken.has(name)),
    ({ words }) => words,
  );
  const unpaired = Map.groupBy(
    from.filter(({ name }) => !pairs.has(name)),
    ({ words }) => words,
  );
  for (const [words, [parameter, ...others]] of unpaired) {
    const places = left.get(words) ?? [];
    if (parameter && others.length === 0 && places.length === 1) pair(parameter, places[0]);
  }
  return pairs;
}
