/** The demo server `math`: expressions, units, statistics and chance. */

import { evaluate, functionNames, longestExpression } from './evaluate.ts';
import {
  defineTool,
  integerBetween,
  number,
  objectOf,
  several,
  type Tool,
  ToolRefusal,
  type ToolSet,
  text,
  withDefault,
} from './tool.ts';
import { convertUnits, unitSymbols } from './units.ts';

/** `random` gives numbers from 0 up to, but not including, 1. */
export function mathTools(random: () => number): ToolSet {
  return { tools: [calculate, convertMeasurement, statistics, randomNumber(random)] };
}

const calculate = defineTool({
  name: 'calculate',
  title: 'Calculate',
  description:
    'Calculates an arithmetic expression: sums, percentages, powers, roots. Use it instead of doing arithmetic in the head.',
  input: {
    expression: text(
      `Numbers, + - * / ^, % for the remainder, parentheses, pi, e and the functions ${functionNames.join(', ')}; such as "(3 + 4) * sqrt(2)", or "340 * 17 / 100" for a percentage.`,
      longestExpression,
    ),
  },
  output: objectOf({ expression: 'string', result: 'number' }),
  run: ({ expression }) => ({ expression, result: withoutNoise(evaluate(expression)) }),
});

const convertMeasurement = defineTool({
  name: 'convert_units',
  title: 'Convert units',
  description:
    'Converts a measurement to another unit of length, mass, volume, temperature, speed, time or data. Use it for miles, pounds, Fahrenheit and the like.',
  input: {
    value: number('How much of the first unit.'),
    from: text(`The unit it is in: ${unitSymbols.join(', ')}, or a full name such as "mile".`, 30),
    to: text('The unit that is wanted.', 30),
  },
  output: objectOf({
    value: 'number',
    from: 'string',
    to: 'string',
    kind: { type: 'string', description: 'What the units measure.' },
    result: 'number',
  }),
  run: ({ value, from, to }) => {
    const conversion = convertUnits(value, from, to);
    if (Number.isFinite(conversion.result)) return { value, ...conversion };
    throw new ToolRefusal('The result is too large.');
  },
});

const statistics = defineTool({
  name: 'statistics',
  title: 'Statistics of a list of numbers',
  description:
    'Gives count, sum, mean, median, extremes and standard deviation of numbers. Use it to sum up measurements.',
  input: { numbers: several(number('One of the numbers.'), 1, 10_000, 'The numbers, in any order.') },
  output: objectOf({
    count: 'integer',
    sum: 'number',
    mean: 'number',
    median: 'number',
    minimum: 'number',
    maximum: 'number',
    standardDeviation: { type: 'number', description: 'Of the numbers as a whole population.' },
  }),
  run: ({ numbers }) => {
    const found = statisticsOf(numbers);
    if (Object.values(found).every(Number.isFinite)) return found;
    throw new ToolRefusal('The numbers are too large to work with.');
  },
});

function randomNumber(random: () => number): Tool {
  return defineTool({
    name: 'random_number',
    title: 'Random number',
    description:
      'Draws a random whole number between two others, both included. Use it to roll a die, flip a coin or draw lots, not for secrets.',
    input: {
      minimum: withDefault(integerBetween(-1_000_000_000, 1_000_000_000, 'The smallest number that may come.'), 1),
      maximum: withDefault(integerBetween(-1_000_000_000, 1_000_000_000, 'The largest number that may come.'), 100),
    },
    output: objectOf({ number: 'integer' }),
    run: ({ minimum, maximum }) => {
      if (minimum <= maximum) return { number: minimum + Math.floor(random() * (maximum - minimum + 1)) };
      throw new ToolRefusal(`The minimum (${minimum}) must not be above the maximum (${maximum}).`);
    },
  });
}

/** Of at least one number: members are not finite when the numbers are too large to be added. */
export function statisticsOf(numbers: readonly number[]) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const count = sorted.length;
  const sum = sorted.reduce((total, value) => total + value, 0);
  const mean = sum / count;
  const variance = sorted.reduce((total, value) => total + (value - mean) ** 2, 0) / count;
  const at = (index: number) => sorted[index] ?? Number.NaN;
  // With an odd count both indexes are the middle one.
  const median = (at(Math.floor((count - 1) / 2)) + at(Math.floor(count / 2))) / 2;
  return { count, sum, mean, median, minimum: at(0), maximum: at(count - 1), standardDeviation: Math.sqrt(variance) };
}

/** Hides what binary fractions leave behind (0.1 + 0.2); whole numbers are exact and stay as they are. */
function withoutNoise(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(15));
}
