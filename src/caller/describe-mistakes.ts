/** What is wrong with arguments, as short sentences a model or a person can act on. */

import { nearest } from '../base/nearest.ts';
import { isInWords } from './coerce-arguments-readings.ts';
import { describeForms } from './describe-mistakes-forms.ts';
import { describeNames, isNameMistake } from './describe-mistakes-names.ts';
import { choicesOf, cut, got, oneOf, placeOf, quoted, show, wanted } from './describe-mistakes-values.ts';
import type { TamedSchema } from './tame-schema.ts';
import { formatOf } from './tame-schema-formats.ts';
import type { Mistake } from './validate-arguments-place.ts';

/** Enough to correct a call; the rest shows after the next try. */
const maxMistakes = 8;
const maxSentence = 300;
/** Forms inside forms that are described. */
const maxNesting = 4;
/** Choices among which the nearest is looked for. */
const maxCompared = 200;

export function describeMistakes(mistakes: readonly Mistake[], tamed: TamedSchema): string[] {
  return describeAt(mistakes, tamed.root, tamed, 0);
}

function describeAt(mistakes: readonly Mistake[], schema: unknown, tamed: TamedSchema, nesting: number): string[] {
  // Nobody reads more; a few are kept beyond, because some turn out to say the same.
  const first = mistakes.slice(0, 4 * maxMistakes);
  const places = Map.groupBy(first.filter(isNameMistake), ({ path }) => JSON.stringify(path));
  const names = [...places.values()].flatMap((group) =>
    describeNames(group, group[0]?.path.length === 0 ? schema : undefined, tamed),
  );
  // A value that is none of the choices needs no word about its type as well.
  const isChoice = new Set(first.filter(({ keyword }) => keyword === 'enum').map(({ path }) => JSON.stringify(path)));
  const others = first
    .filter((mistake) => !isNameMistake(mistake))
    .filter(({ keyword, path }) => keyword !== 'type' || !isChoice.has(JSON.stringify(path)))
    .flatMap((mistake) => describeOne(mistake, tamed, nesting));
  return [...new Set([...names, ...others])].slice(0, maxMistakes).map((sentence) => cut(sentence, maxSentence));
}

function describeOne(mistake: Mistake, tamed: TamedSchema, nesting: number): string[] {
  if (mistake.forms && nesting < maxNesting)
    return describeForms(mistake, tamed, (inner, schema) => describeAt(inner, schema, tamed, nesting + 1));
  const where = placeOf(mistake.path) || 'the arguments';
  return [
    `${where}: ${sentences.get(mistake.keyword)?.(mistake, tamed) ?? 'is not of the form that the schema wants'}`,
  ];
}

type Sentence = (mistake: Mistake, tamed: TamedSchema) => string;

const sentences: ReadonlyMap<string, Sentence> = new Map<string, Sentence>([
  [
    'type',
    ({ schema, value, path }, tamed) => `must be ${wanted({ type: schema.type }, tamed)}, got ${got(value, path)}`,
  ],
  ['enum', describeChoice],
  ['const', describeChoice],
  ['false', () => 'is not allowed'],
  ['not', () => 'is a value that is not allowed'],
  ['if', () => 'does not fit together'],
  ['minimum', limit('at least')],
  ['maximum', limit('at most')],
  ['exclusiveMinimum', limit('more than')],
  ['exclusiveMaximum', limit('less than')],
  ['multipleOf', limit('a multiple of')],
  ['minLength', ({ schema }) => `must have at least ${shownNumber(schema.minLength)} characters`],
  ['maxLength', ({ schema }) => `must have at most ${shownNumber(schema.maxLength)} characters`],
  ['pattern', ({ schema, value, path }) => `must match ${cut(String(schema.pattern))}, got ${show(value, path)}`],
  ['format', ({ schema, value, path }) => `must be ${formatOf(schema.format)?.words ?? ''}, got ${show(value, path)}`],
  ['minItems', ({ schema }) => `must have at least ${shownNumber(schema.minItems)} items`],
  ['maxItems', ({ schema }) => `must have at most ${shownNumber(schema.maxItems)} items`],
  ['items', ({ name }) => `must have at most ${name} items`],
  ['additionalItems', ({ name }) => `must have at most ${name} items`],
  ['uniqueItems', ({ name }) => `the items ${name} are the same, but each may be there once`],
  ['contains', () => 'lacks an item of the kind that must be among them'],
  ['maxContains', () => 'has too many items of one kind'],
  ['minProperties', ({ schema }) => `must have at least ${shownNumber(schema.minProperties)} members`],
  ['maxProperties', ({ schema }) => `must have at most ${shownNumber(schema.maxProperties)} members`],
  ['propertyNames', ({ name }) => `${quoted(name ?? '')} is not a name that is allowed here`],
]);

function limit(words: string): Sentence {
  return ({ schema, keyword, value, path }) => {
    // In the oldest draft the limit stands beside the word that makes it exclusive.
    const besides = keyword === 'exclusiveMinimum' ? schema.minimum : schema.maximum;
    return `must be ${words} ${shownNumber(schema[keyword] === true ? besides : schema[keyword])}, got ${show(value, path)}`;
  };
}

function shownNumber(value: unknown): string {
  return cut(String(value));
}

function describeChoice({ schema, value, path, keyword }: Mistake): string {
  const choices = keyword === 'const' ? [schema.const] : (choicesOf(schema) ?? []);
  const texts = choices.filter((choice) => typeof choice === 'string').slice(0, maxCompared);
  const near = typeof value === 'string' && choices.length > 1 ? nearest(value, texts, 1)[0] : undefined;
  // Where case has a meaning, a choice that differs in nothing else is no more likely than others.
  const isOnlyCase = String(value).toLowerCase() === near?.toLowerCase();
  const guess = near !== undefined && isOnlyCase && !isInWords(near) ? undefined : near;
  const meant = guess === undefined ? '' : `; did you mean ${show(guess, [])}?`;
  return `must be ${oneOf(choices, guess ?? '')}, got ${got(value, path)}${meant}`;
}
