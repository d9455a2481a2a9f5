/** Values that may have one of several forms: which form was probably meant, and what is wrong with it then. */

import { isObject } from '../base/json.ts';
import { choicesOf, followed, got, isOfType, oneOf, or, placeOf, quoted, wanted } from './describe-mistakes-values.ts';
import type { TamedSchema } from './tame-schema.ts';
import type { Form, Mistake, Schema } from './validate-arguments-place.ts';

type Describe = (mistakes: readonly Mistake[], schema: unknown) => string[];

/** Forms that are looked at; a description of more would help nobody. */
const maxForms = 50;

export function describeForms(mistake: Mistake, tamed: TamedSchema, describe: Describe): string[] {
  const forms = (mistake.forms ?? []).slice(0, maxForms);
  return (
    describeByTag(mistake, forms, tamed, describe) ??
    describeByNames(mistake, forms) ??
    describeByType(mistake, forms, tamed, describe)
  );
}

/** Forms that are told apart by a member with a fixed value of its own in each. */
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
  const place = placeOf([...path, tag]);
  const choices = oneOf([...new Set(objects.flatMap(tagsOf))], '');
  if (!Object.hasOwn(value, tag)) return [`${place}: is missing; it must be ${choices}`];
  return [`${place}: must be ${choices}, got ${got(value[tag], [...path, tag])}`];
}

function commonTag(forms: readonly Form[], tamed: TamedSchema): string | undefined {
  const schemas = forms.map((form) => followed(form.schema, tamed));
  const [first] = schemas;
  const names = isObject(first?.properties) ? Object.keys(first.properties).slice(0, maxForms) : [];
  return names.find((name) => schemas.every((schema) => tagChoices(schema, name, tamed) !== undefined));
}

function tagChoices(schema: Schema, name: string, tamed: TamedSchema): readonly unknown[] | undefined {
  const { properties } = schema;
  if (!isObject(properties) || !Object.hasOwn(properties, name)) return undefined;
  return choicesOf(followed(properties[name], tamed));
}

/** Forms that differ only in what must be given: `one of "id" and "name" must be given`. */
function describeByNames({ path }: Mistake, forms: readonly Form[]): string[] | undefined {
  const isMissing = (inner: Mistake) => inner.keyword === 'required' && inner.path.length === path.length;
  if (forms.length < 2 || !forms.every((form) => form.mistakes.every(isMissing))) return undefined;
  const sets = forms.map((form) => form.mistakes.map(({ name }) => quoted(name ?? '')).join(' and '));
  return [`${placeOf(path) || 'the arguments'}: ${or(sets.slice(0, 5))} must be given`];
}

function describeByType(mistake: Mistake, forms: readonly Form[], tamed: TamedSchema, describe: Describe): string[] {
  const { path, value } = mistake;
  const where = placeOf(path) || 'the arguments';
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
    `${where}: fits none of the ${forms.length} forms that it may have; for the nearest, ${said[0] ?? 'see the schema'}`,
  ];
}
