/** Judges the rules of one place of a schema: types, sets of values, limits, patterns, further members. */

import { isDeepStrictEqual } from 'node:util';
import type { Direction, Schema } from './judge-schema.ts';
import type { Notice } from './judgement.ts';

export function judgeLimits(direction: Direction, old: Schema, now: Schema, where: string): Notice[] {
  return [
    ...judgeType(direction, old, now, where),
    ...judgeChoice(direction, old, now, where),
    ...judgeBounds(direction, old, now, where),
    ...judgeFurther(direction, old, now, where),
  ];
}

/** Where a place accepts more, agents can be led to send more; where an answer may be more, programs can no longer rely on it. */
function wider(direction: Direction, where: string, sentence: string): Notice {
  return { grade: 'risky', code: direction === 'input' ? 'wider' : 'output', where, sentence };
}

function narrower(where: string, sentence: string): Notice {
  return { grade: 'notable', code: 'parameter', where, sentence };
}

function judgeType(direction: Direction, old: Schema, now: Schema, place: string): Notice[] {
  if (isDeepStrictEqual(old.type, now.type)) return [];
  const where = `${place}.type`;
  const [was, is] = [typesOf(old.type), typesOf(now.type)];
  // A place that said nothing of types and says it now takes less.
  if (was === undefined) return [narrower(where, 'It has a type now.')];
  if (is === undefined) return saysMore(now) ? [] : [wider(direction, where, 'It may be of any type now.')];
  const added = [...is].filter(
    (type) => !was.has(type) && type !== 'null' && !(type === 'integer' && was.has('number')),
  );
  if (added.length === 0) return [narrower(where, 'It has another type.')];
  if (added.length === 1 && added[0] === 'number' && was.has('integer'))
    return [narrower(where, 'It need not be a whole number any more.')];
  return [wider(direction, where, 'It may be of another type now.')];
}

/** Other members that say what is allowed instead of a type; they are judged for themselves. */
function saysMore(schema: Schema): boolean {
  return ['enum', 'const', 'anyOf', 'oneOf', '$ref'].some((name) => schema[name] !== undefined);
}

function typesOf(type: unknown): Set<string> | undefined {
  if (typeof type === 'string') return new Set([type]);
  return Array.isArray(type) ? new Set(type.map(String)) : undefined;
}

/** Values that let a tool do what it could not be asked for until now. */
const mighty =
  /^(?:\*|all|any|every|admin|root|sudo|owner|system|force|unsafe|raw|exec\w*|eval\w*|shell|run\w*|write\w*|delete\w*|remove\w*|drop\w*|destroy\w*|purge\w*|overwrite\w*|send\w*|upload\w*|public)$/i;

function judgeChoice(direction: Direction, old: Schema, now: Schema, place: string): Notice[] {
  const [was, is] = [choicesOf(old), choicesOf(now)];
  if (was === undefined || isDeepStrictEqual(was, is)) {
    return was === undefined && is !== undefined
      ? [narrower(`${place}.enum`, 'Only some values are allowed now.')]
      : [];
  }
  const where = old.enum === undefined ? `${place}.const` : `${place}.enum`;
  if (is === undefined) return [wider(direction, where, 'Any value is allowed now, not only those that were listed.')];
  const added = is.filter((value) => !was.some((item) => isDeepStrictEqual(item, value)));
  if (added.some((value) => typeof value === 'string' && mighty.test(value.trim())))
    return [wider(direction, where, 'A value is allowed that can do more than those before.')];
  if (old.const !== undefined && added.length > 0) return [wider(direction, where, 'It was fixed, and is no longer.')];
  return [narrower(where, added.length > 0 ? 'More values are allowed.' : 'Fewer values are allowed.')];
}

function choicesOf(schema: Schema): readonly unknown[] | undefined {
  if (schema.const !== undefined) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

/** Limits whose loss lets more through, and those whose loss lets less. */
const upper = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties'] as const;
const lower = [
  'minLength',
  'minimum',
  'exclusiveMinimum',
  'minItems',
  'minProperties',
  'multipleOf',
  'uniqueItems',
] as const;
/** A limit that was raised so much limits nothing. */
const muchMore = 10;

function judgeBounds(direction: Direction, old: Schema, now: Schema, place: string): Notice[] {
  const notices: Notice[] = [];
  for (const name of upper) {
    const [was, is] = [old[name], now[name]];
    const where = `${place}.${name}`;
    if (was === is) continue;
    if (typeof was !== 'number') notices.push(narrower(where, 'It has a limit now.'));
    else if (typeof is !== 'number') notices.push(wider(direction, where, 'A limit was dropped.'));
    else if (was > 0 && is >= was * muchMore)
      notices.push(wider(direction, where, 'A limit was raised so far that it is none.'));
    else notices.push(narrower(where, 'It has another limit.'));
  }
  for (const name of lower)
    if (!isDeepStrictEqual(old[name], now[name])) notices.push(narrower(`${place}.${name}`, 'It has another limit.'));
  return [...notices, ...judgeForm(direction, old, now, place)];
}

/** Patterns that every text fits. */
const anything = new Set(['', '.*', '^.*$', '.+', '^.+$', '[\\s\\S]*', '^[\\s\\S]*$', '^']);

function judgeForm(direction: Direction, old: Schema, now: Schema, place: string): Notice[] {
  const notices: Notice[] = [];
  if (old.pattern !== now.pattern) {
    const where = `${place}.pattern`;
    const isLost = old.pattern !== undefined && (typeof now.pattern !== 'string' || anything.has(now.pattern));
    notices.push(
      isLost
        ? wider(direction, where, 'Texts of any form are accepted now.')
        : narrower(where, 'Texts have another form.'),
    );
  }
  if (old.format !== now.format) notices.push(narrower(`${place}.format`, 'It has another format.'));
  return notices;
}

/** Members that no schema names, and those that only a pattern does. */
function judgeFurther(direction: Direction, old: Schema, now: Schema, place: string): Notice[] {
  return (['additionalProperties', 'unevaluatedProperties', 'additionalItems'] as const).flatMap((name) => {
    const [was, is] = [old[name], now[name]];
    if (isDeepStrictEqual(was, is)) return [];
    const where = `${place}.${name}`;
    const wasClosed = was !== undefined && was !== true;
    const isOpen = is === undefined || is === true || (was === false && is !== false);
    if (wasClosed && isOpen && direction === 'input')
      return [wider(direction, where, 'Parameters that nobody named are accepted now.')];
    return [narrower(where, 'It is another rule for members that nobody named.')];
  });
}
