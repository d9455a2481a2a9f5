/** Describes mistakes in arguments in short sentences that a model or a person can act on. */

import { isObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import { formatOf } from './formats.ts';
import { cut, got, isInWords, listChoices, or, pathText, quotedName, show, typeName, wanted } from './show-value.ts';
import { choicesOf, followed, isOfType, namedParameters, type TamedSchema } from './tamed-schema.ts';
import type { Form, JsonSchema, Mistake } from './value-keywords.ts';

/** Enough to correct a call; the rest shows after the next try. */
const maxMistakes = 8;
const maxSentence = 300;
/** Forms inside forms that are described. */
const maxNesting = 4;
/** Choices or names among which the nearest is looked for: comparing takes time with their number. */
const maxCompared = 200;

export function describeMistakes(mistakes: readonly Mistake[], tamed: TamedSchema): string[] {
  return describeAt(mistakes, tamed.root, tamed, 0);
}

function describeAt(mistakes: readonly Mistake[], schema: unknown, tamed: TamedSchema, nesting: number): string[] {
  // Nobody reads more; a few are kept beyond, because some turn out to say the same.
  const first = mistakes.slice(0, 4 * maxMistakes);
  const byPath = Map.groupBy(first.filter(isNameMistake), ({ path }) => JSON.stringify(path));
  const names = [...byPath.values()].flatMap((group) =>
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
  const where = pathText(mistake.path) || 'the arguments';
  return [`${where}: ${sentences.get(mistake.keyword)?.(mistake, tamed) ?? 'does not match the schema'}`];
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
  ['not', () => 'is not an allowed value'],
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
  ['uniqueItems', ({ name }) => `the items ${name} are equal, but items must be unique`],
  ['contains', () => 'lacks a required item'],
  ['maxContains', () => 'has too many items of one kind'],
  ['minProperties', ({ schema }) => `must have at least ${shownNumber(schema.minProperties)} members`],
  ['maxProperties', ({ schema }) => `must have at most ${shownNumber(schema.maxProperties)} members`],
  ['propertyNames', ({ name }) => `${quotedName(name ?? '')} is not an allowed name`],
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
  return `must be ${listChoices(choices, guess ?? '')}, got ${got(value, path)}${meant}`;
}

type Describe = (mistakes: readonly Mistake[], schema: unknown) => string[];

/** Forms that are looked at; a description of more would help nobody. */
const maxForms = 50;

function describeForms(mistake: Mistake, tamed: TamedSchema, describe: Describe): string[] {
  const forms = (mistake.forms ?? []).slice(0, maxForms);
  return (
    describeByTag(mistake, forms, tamed, describe) ??
    describeByNames(mistake, forms) ??
    describeByType(mistake, forms, tamed, describe)
  );
}

/** Forms that differ by a member with a fixed value of its own in each. */
function describeByTag(
  mistake: Mistake,
  forms: readonly Form[],
  tamed: TamedSchema,
  describe: Describe,
): string[] | undefined {
  const { value, path } = mistake;
  if (!isObject(value)) return undefined;
  const objects = forms.filter((form) => isOfType(followed(form.schema, tamed), value));
  const tag = objects.length > 1 ? commonTag(objects, tamed) : undefined;
  if (tag === undefined) return undefined;
  const tagsOf = (form: Form) => tagChoices(followed(form.schema, tamed), tag, tamed) ?? [];
  const [meant] = Object.hasOwn(value, tag) ? objects.filter((form) => tagsOf(form).includes(value[tag])) : [];
  if (meant) return describe(meant.mistakes, meant.schema);
  const where = pathText([...path, tag]);
  const choices = listChoices([...new Set(objects.flatMap(tagsOf))], '');
  if (!Object.hasOwn(value, tag)) return [`${where}: is missing; it must be ${choices}`];
  return [`${where}: must be ${choices}, got ${got(value[tag], [...path, tag])}`];
}

function commonTag(forms: readonly Form[], tamed: TamedSchema): string | undefined {
  const schemas = forms.map((form) => followed(form.schema, tamed));
  const [first] = schemas;
  const names = isObject(first?.properties) ? Object.keys(first.properties).slice(0, maxForms) : [];
  return names.find((name) => schemas.every((schema) => tagChoices(schema, name, tamed) !== undefined));
}

function tagChoices(schema: JsonSchema, name: string, tamed: TamedSchema): readonly unknown[] | undefined {
  const { properties } = schema;
  if (!isObject(properties) || !Object.hasOwn(properties, name)) return undefined;
  return choicesOf(followed(properties[name], tamed));
}

/** Forms that differ only in what must be given: `one of "id" and "name" must be given`. */
function describeByNames({ path }: Mistake, forms: readonly Form[]): string[] | undefined {
  const isMissing = (inner: Mistake) => inner.keyword === 'required' && inner.path.length === path.length;
  if (forms.length < 2 || !forms.every((form) => form.mistakes.every(isMissing))) return undefined;
  const sets = forms.map((form) => form.mistakes.map(({ name }) => quotedName(name ?? '')).join(' and '));
  return [`${pathText(path) || 'the arguments'}: ${or(sets.slice(0, 5))} must be given`];
}

function describeByType(mistake: Mistake, forms: readonly Form[], tamed: TamedSchema, describe: Describe): string[] {
  const { path, value } = mistake;
  const where = pathText(path) || 'the arguments';
  const isAboutKind = (inner: Mistake) =>
    inner.path.length === path.length && ['type', 'const', 'enum', 'false'].includes(inner.keyword);
  const near = forms.filter((form) => !form.mistakes.some(isAboutKind));
  if (near.length === 0) {
    const kinds = forms.map((form) => wanted(form.schema, tamed)).filter(Boolean);
    return [`${where}: must be ${or(kinds) || 'of another form'}, got ${got(value, path)}`];
  }
  const nearest = near.reduce((best, form) => (form.mistakes.length < best.mistakes.length ? form : best));
  const said = describe(nearest.mistakes, nearest.schema);
  if (near.length === 1) return said;
  return [
    `${where}: matches none of the ${forms.length} allowed forms; for the nearest, ${said[0] ?? 'see the schema'}`,
  ];
}

const tooMuch: readonly string[] = ['additionalProperties', 'unevaluatedProperties'];

function isNameMistake({ keyword }: Mistake): boolean {
  return keyword === 'required' || tooMuch.includes(keyword);
}

/** Sentences for all wrong or missing names at one path: often one mistake, a misspelt name. */
function describeNames(mistakes: readonly Mistake[], schema: unknown, tamed: TamedSchema): string[] {
  const [first] = mistakes;
  if (first === undefined) return [];
  const value = isObject(first.value) ? first.value : {};
  const known = namedParameters([schema, ...mistakes.map((mistake) => mistake.schema)], tamed);
  const unused = [...known.keys()].filter((name) => !Object.hasOwn(value, name));
  const refused = namesOf(mistakes, (mistake) => mistake.keyword !== 'required');
  const meant = new Map(refused.map((name) => [name, near(name, unused)]));
  const where = pathText(first.path);
  const said = (sentence: string) => (where === '' ? sentence : `${where}: ${sentence}`);
  const unknown = refused.map((name) => {
    const guess = meant.get(name);
    return said(
      `there is no parameter ${quotedName(name)}${guess === undefined ? '' : `; did you mean ${quotedName(guess)}?`}`,
    );
  });
  const explained = new Set(meant.values());
  // Where a schema allows any name, a misspelt one is noticed only by what is missing.
  const strangers = Object.keys(value).filter((name) => !known.has(name) && !meant.has(name));
  const lacking = mistakes
    .filter((mistake) => mistake.keyword === 'required' && !explained.has(mistake.name))
    .map((mistake) => said(describeMissing(mistake, near(mistake.name ?? '', strangers), known, tamed)));
  return [...unknown, ...lacking];
}

function describeMissing(
  { name = '', because }: Mistake,
  guess: string | undefined,
  known: ReadonlyMap<string, unknown>,
  tamed: TamedSchema,
): string {
  if (guess !== undefined)
    return `the parameter ${quotedName(name)} is missing; is ${quotedName(guess)} meant to be it?`;
  const type = typeName(known.get(name), tamed);
  const reason = because === undefined ? '' : `, which ${quotedName(because)} needs`;
  return `the parameter ${quotedName(name)} is missing${type ? ` (${type})` : ''}${reason}`;
}

function namesOf(mistakes: readonly Mistake[], isWanted: (mistake: Mistake) => boolean): string[] {
  return [...new Set(mistakes.filter(isWanted).map(({ name }) => name ?? ''))];
}

function near(name: string, names: readonly string[]): string | undefined {
  const some = names.slice(0, maxCompared);
  return nearest(name, some, 1)[0] ?? some.find((other) => isShortFor(name, other) || isShortFor(other, name));
}

const shortestAbbreviation = 3;

/** Like "msg" for "message": the first letter and some of the others, in their order. */
function isShortFor(short: string, long: string): boolean {
  if (short.length < shortestAbbreviation || short[0] !== long[0]) return false;
  let at = 0;
  for (const letter of long) if (letter === short[at]) at += 1;
  return at === short.length;
}
