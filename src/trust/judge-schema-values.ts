/** Judges the values that a schema itself holds: what is filled in, what is given as an example, and members that only agents know. */

import { isDeepStrictEqual } from 'node:util';
import type { Schema } from './judge-schema.ts';
import { judgeWording, type WordingChange } from './judge-wording.ts';
import type { Notice } from './judgement.ts';
import { newAddresses } from './speaks-to-model.ts';

type Place = Pick<WordingChange, 'where' | 'known' | 'neighbours'>;

/** Members that other rules look after. */
const judged = new Set(
  'type enum const title description $comment properties required items contains propertyNames not if then else patternProperties $defs definitions dependentSchemas anyOf oneOf allOf prefixItems additionalProperties unevaluatedProperties additionalItems maxLength maximum exclusiveMaximum maxItems maxProperties minLength minimum exclusiveMinimum minItems minProperties multipleOf uniqueItems pattern format $schema $id'.split(
    ' ',
  ),
);

export function judgeValues(old: Schema, now: Schema, place: Place): Notice[] {
  const names = new Set([...Object.keys(old), ...Object.keys(now)].filter((name) => !judged.has(name)));
  const fromValues = [...names].flatMap((name) => judgeMember(name, old, now, place));
  const texts = listedTexts(now).filter((text) => !listedTexts(old).includes(text));
  // Values to choose from are read by the model like any other text.
  const fromChoices = texts.flatMap((after) =>
    judgeWording({ ...place, where: `${place.where}.enum`, before: '', after }).filter(
      ({ grade }) => grade === 'risky',
    ),
  );
  return [...fromValues, ...fromChoices];
}

function judgeMember(name: string, old: Schema, now: Schema, place: Place): Notice[] {
  const [before, after] = [old[name], now[name]];
  if (isDeepStrictEqual(before, after)) return [];
  const where = `${place.where}.${name}`;
  const text = after === undefined ? '' : typeof after === 'string' ? after : JSON.stringify(after);
  const said = before === undefined ? '' : typeof before === 'string' ? before : JSON.stringify(before);
  if (name === '$ref') return [{ grade: 'risky', code: 'wider', where, sentence: 'It refers to another schema.' }];
  if (name === 'default' && newAddresses(text, place.known.toLowerCase()).length > 0)
    return [
      { grade: 'risky', code: 'new-address', where, sentence: 'A new address is filled in where none is given.' },
    ];
  const risky = judgeWording({ ...place, where, before: said, after: text }).filter(({ grade }) => grade === 'risky');
  if (risky.length > 0) return risky;
  const grade = name === 'examples' || name === 'example' || name === 'deprecated' ? 'harmless' : 'notable';
  return [
    {
      grade,
      code: 'parameter',
      where,
      sentence: name === 'default' ? 'Another value is filled in.' : 'It says something else.',
    },
  ];
}

function listedTexts({ enum: listed, const: fixed }: Schema): string[] {
  const values: readonly unknown[] = [...(Array.isArray(listed) ? listed : []), fixed];
  return values.filter((value) => typeof value === 'string');
}
