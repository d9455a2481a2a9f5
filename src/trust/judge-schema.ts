/** Judges a change of a tool's input or output schema, place by place. */

import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../base/json.ts';
import { judgeLimits } from './judge-schema-limits.ts';
import { judgeValues } from './judge-schema-values.ts';
import { judgeParameterWording, judgeTitle, judgeWording, type WordingChange } from './judge-wording.ts';
import type { Notice } from './judgement.ts';
import { namesSecret } from './speaks-to-model.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** What agents send, or what they get back. */
export type Direction = 'input' | 'output';

type Context = Pick<WordingChange, 'known' | 'neighbours'>;

interface Place extends Context {
  readonly direction: Direction;
  readonly where: string;
  /** The whole schemas, in which references are looked up. */
  readonly roots: readonly [Schema, Schema];
  readonly depth: number;
}

/** Schemas that are nested deeper are compared as values. */
const deepest = 40;

export function judgeSchema(direction: Direction, before: unknown, after: unknown, context: Context): Notice[] {
  const where = `${direction}Schema`;
  if (isDeepStrictEqual(before, after)) return [];
  if (before === undefined) return judgeFirst(direction, after, where, context);
  if (after === undefined)
    return direction === 'output'
      ? [{ grade: 'risky', code: 'output', where, sentence: 'It no longer says what its answers look like.' }]
      : [{ grade: 'risky', code: 'wider', where, sentence: 'It no longer says what it takes.' }];
  const [old, now] = [toSchema(before), toSchema(after)];
  const notices = judgeAt(old, now, { ...context, direction, where, roots: [old, now], depth: 0 });
  // What no rule knows is still a change.
  return notices.length > 0
    ? notices
    : [{ grade: 'notable', code: 'detail', where, sentence: 'Its schema is another one.' }];
}

/** A schema where none was: what it says is new as a whole. */
function judgeFirst(direction: Direction, after: unknown, where: string, context: Context): Notice[] {
  const now = toSchema(after);
  const nothing: Schema = { type: 'object', properties: {} };
  const place = { ...context, direction, where, roots: [nothing, now] as const, depth: 0 };
  const sentence = direction === 'output' ? 'It now says what its answers look like.' : 'It now says what it takes.';
  const risky = judgeAt(nothing, now, place).filter(({ grade }) => grade === 'risky');
  return [...risky, { grade: 'notable', code: direction === 'output' ? 'output' : 'parameter', where, sentence }];
}

function judgeAt(before: Schema, after: Schema, place: Place): Notice[] {
  if (before === after || isDeepStrictEqual(before, after)) return [];
  if (place.depth > deepest)
    return [
      { grade: 'risky', code: 'wider', where: place.where, sentence: 'It changed too deep inside to be compared.' },
    ];
  const [old, now] = [resolved(before, place.roots[0]), resolved(after, place.roots[1])];
  const { direction, where } = place;
  return [
    ...judgeTexts(old, now, place),
    ...judgeLimits(direction, old, now, where),
    ...judgeValues(old, now, place),
    ...judgeProperties(old, now, place),
    ...judgeParts(old, now, place),
  ];
}

function judgeTexts(old: Schema, now: Schema, { where, known, neighbours }: Place): Notice[] {
  const change = (name: string) => ({
    ...{ where: `${where}.${name}`, known, neighbours },
    ...{ before: textOf(old[name]), after: textOf(now[name]) },
  });
  return [
    ...judgeParameterWording(change('description')),
    ...judgeTitle(change('title')),
    ...judgeWording(change('$comment')),
  ];
}

function judgeProperties(old: Schema, now: Schema, place: Place): Notice[] {
  const [before, after] = [toSchema(old.properties), toSchema(now.properties)];
  const [wasRequired, isRequired] = [namesIn(old.required), namesIn(now.required)];
  const notices: Notice[] = [];
  for (const name of new Set([...Object.keys(before), ...Object.keys(after), ...isRequired])) {
    const where = `${place.where}.properties.${name}`;
    const [was, is] = [own(before, name), own(after, name)];
    const needsMore = isRequired.has(name) && !wasRequired.has(name);
    if (was === undefined && is !== undefined) notices.push(...judgeAdded(name, is, { ...place, where }));
    else if (is === undefined && was !== undefined) notices.push(removedAt(where, place.direction));
    else notices.push(...judgeAt(toSchema(was), toSchema(is), { ...place, where, depth: place.depth + 1 }));
    if (needsMore && place.direction === 'input')
      notices.push({ grade: 'risky', code: 'new-required', where, sentence: 'It has to be given now.' });
    if (wasRequired.has(name) && !isRequired.has(name))
      notices.push({ grade: 'notable', code: 'parameter', where, sentence: 'It need not be given any more.' });
  }
  return notices;
}

/** A parameter, or a part of the answer, that was not there. */
function judgeAdded(name: string, added: unknown, place: Place): Notice[] {
  const { direction, where } = place;
  const isInput = direction === 'input';
  const notices: Notice[] = [
    isInput
      ? { grade: 'notable', code: 'parameter', where, sentence: 'It is new.' }
      : { grade: 'notable', code: 'output', where, sentence: 'It is a new part of the answer.' },
  ];
  if (
    isInput &&
    namesSecret(name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' '), place.known.toLowerCase())
  )
    notices.push({ grade: 'risky', code: 'secrets', where, sentence: 'A new parameter asks for something private.' });
  const inner = judgeAt({}, toSchema(added), { ...place, depth: place.depth + 1 });
  // That a new place has limits, types or parts is not news of its own.
  return [
    ...notices,
    ...inner.filter(({ grade, code }) => grade === 'risky' && code !== 'wider' && code !== 'new-required'),
  ];
}

function removedAt(where: string, direction: Direction): Notice {
  return direction === 'input'
    ? { grade: 'notable', code: 'parameter', where, sentence: 'It is gone.' }
    : { grade: 'risky', code: 'output', where, sentence: 'It is no longer part of the answer.' };
}

/** Members that hold a schema each, by what they say when they are dropped. */
const singles = ['items', 'contains', 'propertyNames', 'not', 'if', 'then', 'else'] as const;
const tables = ['patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const;
const choices = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const;

function judgeParts(old: Schema, now: Schema, place: Place): Notice[] {
  const inside = (was: unknown, is: unknown, name: string) =>
    judgeAt(toSchema(was), toSchema(is), { ...place, where: `${place.where}.${name}`, depth: place.depth + 1 });
  const fromSingles = singles.flatMap((name) => {
    if (old[name] === undefined && now[name] === undefined) return [];
    if (old[name] !== undefined && now[name] === undefined)
      return [droppedAt(`${place.where}.${name}`, place.direction)];
    return inside(old[name], now[name], name);
  });
  const fromTables = tables.flatMap((table) => {
    const [was, is] = [toSchema(old[table]), toSchema(now[table])];
    return Object.keys(is).flatMap((name) => inside(own(was, name), own(is, name), `${table}.${name}`));
  });
  return [...fromSingles, ...fromTables, ...choices.flatMap((name) => judgeChoices(name, old[name], now[name], place))];
}

function judgeChoices(name: (typeof choices)[number], before: unknown, after: unknown, place: Place): Notice[] {
  if (isDeepStrictEqual(before, after)) return [];
  const where = `${place.where}.${name}`;
  const [was, is] = [listOf(before), listOf(after)];
  const isNarrowing = name === 'allOf';
  if (is.length === 0 && was.length > 0) return [droppedAt(where, place.direction)];
  const added = is.filter((item) => !was.some((old) => isDeepStrictEqual(old, item)));
  const isSameCount = was.length === is.length;
  if (isSameCount)
    return is.flatMap((item, at) =>
      judgeAt(toSchema(was[at]), toSchema(item), { ...place, where: `${where}.${at}`, depth: place.depth + 1 }),
    );
  const texts = added
    .flatMap((item) => judgeAdded('', item, { ...place, where }))
    .filter(({ grade }) => grade === 'risky');
  const isWider = isNarrowing
    ? is.length < was.length
    : was.length > 0 && added.some((item) => toSchema(item).type !== 'null');
  return [
    ...texts,
    isWider
      ? widerAt(where, place.direction)
      : { grade: 'notable', code: 'parameter', where, sentence: 'It takes other forms.' },
  ];
}

function droppedAt(where: string, direction: Direction): Notice {
  return direction === 'input'
    ? { grade: 'risky', code: 'wider', where, sentence: 'A rule for what is accepted was dropped.' }
    : { grade: 'risky', code: 'output', where, sentence: 'A promise about the answer was dropped.' };
}

function widerAt(where: string, direction: Direction): Notice {
  return direction === 'input'
    ? { grade: 'risky', code: 'wider', where, sentence: 'It accepts more forms than before.' }
    : { grade: 'risky', code: 'output', where, sentence: 'The answer may have more forms than before.' };
}

/** A reference inside the same document is what it refers to; any other stays a reference. */
function resolved(schema: Schema, root: Schema): Schema {
  const { $ref: reference, ...rest } = schema;
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return schema;
  const found = reference
    .slice(2)
    .split('/')
    .reduce<unknown>((at, part) => own(toSchema(at), part.replaceAll('~1', '/').replaceAll('~0', '~')), root);
  // A reference to itself is not followed twice: the next level would be the same again.
  return isObject(found) && found.$ref === undefined ? { ...found, ...rest } : schema;
}

function own(schema: Schema, name: string): unknown {
  return Object.hasOwn(schema, name) ? schema[name] : undefined;
}

function toSchema(value: unknown): Schema {
  return isObject(value) ? value : value === false ? { not: {} } : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function namesIn(value: unknown): Set<string> {
  return new Set(listOf(value).map(String));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
