/** Units of measurement and the conversion between those of one kind. */

import { nearest } from '../base/nearest.ts';
import { ToolRefusal } from './tool.ts';

interface Unit {
  readonly symbol: string;
  readonly kind: string;
  /** How many base units one of these is. */
  readonly factor: number;
  /** Where zero lies, in base units; only temperatures need it. */
  readonly zero: number;
}

/** Kind, symbol, factor and other names, which also stand for their plural with "s". The base unit has the factor 1. */
type Row = readonly [kind: string, symbol: string, factor: number, names: readonly string[], zero?: number];
const table: readonly Row[] = [
  ['length', 'mm', 0.001, ['millimeter', 'millimetre']],
  ['length', 'cm', 0.01, ['centimeter', 'centimetre']],
  ['length', 'm', 1, ['meter', 'metre']],
  ['length', 'km', 1_000, ['kilometer', 'kilometre']],
  ['length', 'in', 0.0254, ['inch', 'inches']],
  ['length', 'ft', 0.3048, ['foot', 'feet']],
  ['length', 'yd', 0.9144, ['yard']],
  ['length', 'mi', 1_609.344, ['mile']],
  ['mass', 'g', 0.001, ['gram', 'gramme']],
  ['mass', 'kg', 1, ['kilogram', 'kilo']],
  ['mass', 't', 1_000, ['tonne']],
  ['mass', 'oz', 0.028349523125, ['ounce']],
  ['mass', 'lb', 0.45359237, ['pound', 'lbs']],
  ['volume', 'ml', 0.001, ['milliliter', 'millilitre']],
  ['volume', 'l', 1, ['liter', 'litre']],
  ['volume', 'cup', 0.2365882365, []],
  ['volume', 'gal', 3.785411784, ['gallon']],
  ['temperature', 'C', 1, ['celsius', '°c'], 273.15],
  ['temperature', 'F', 5 / 9, ['fahrenheit', '°f'], 273.15 - (32 * 5) / 9],
  ['temperature', 'K', 1, ['kelvin']],
  ['speed', 'm/s', 1, ['mps']],
  ['speed', 'km/h', 1 / 3.6, ['kmh', 'kph']],
  ['speed', 'mph', 0.44704, []],
  ['speed', 'kn', 1_852 / 3_600, ['knot']],
  ['time', 's', 1, ['second', 'sec']],
  ['time', 'min', 60, ['minute']],
  ['time', 'h', 3_600, ['hour']],
  ['time', 'd', 86_400, ['day']],
  ['time', 'wk', 604_800, ['week']],
  ['data', 'B', 1, ['byte']],
  ['data', 'kB', 1e3, ['kilobyte']],
  ['data', 'MB', 1e6, ['megabyte']],
  ['data', 'GB', 1e9, ['gigabyte']],
  ['data', 'KiB', 1_024, ['kibibyte']],
  ['data', 'MiB', 1_048_576, ['mebibyte']],
  ['data', 'GiB', 1_073_741_824, ['gibibyte']],
];

/** By symbol and by every name, in lower case. */
const units: ReadonlyMap<string, Unit> = new Map(
  table.flatMap(([kind, symbol, factor, names, zero = 0]) => {
    const unit = { symbol, kind, factor, zero };
    const all = [symbol, ...names, ...names.map((name) => `${name}s`)];
    return all.map((name): [string, Unit] => [name.toLowerCase(), unit]);
  }),
);

export const unitSymbols: readonly string[] = table.map(([, symbol]) => symbol);

/** Throws a `ToolRefusal` for an unknown unit and for units that measure different things. */
export function convertUnits(value: number, from: string, to: string) {
  const [source, target] = [unitCalled(from), unitCalled(to)];
  if (source.kind !== target.kind) {
    throw new ToolRefusal(
      `${source.symbol} measures ${source.kind} and ${target.symbol} measures ${target.kind}, so there is no conversion.`,
    );
  }
  const result = (value * source.factor + source.zero - target.zero) / target.factor;
  // Factors are rounded themselves; digits after the twelfth would be noise.
  return { result: Number(result.toPrecision(12)), from: source.symbol, to: target.symbol, kind: source.kind };
}

function unitCalled(name: string): Unit {
  const unit = units.get(name.trim().toLowerCase());
  if (unit) return unit;
  const [near] = nearest(name, units.keys(), 1);
  const hint = near === undefined ? '' : ` Did you mean "${near}"?`;
  throw new ToolRefusal(
    `There is no unit ${JSON.stringify(name)} here.${hint} These exist: ${unitSymbols.join(', ')}.`,
  );
}
