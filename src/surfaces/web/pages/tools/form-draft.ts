/** The draft that somebody has typed into a form so far, and the arguments that it means. */

import { isSchema } from '../../../wording/wording.ts';
import type { SchemaField } from './read-schema.ts';

/** Undefined: nothing was given. Texts are as they were typed; of a choice, its number. */
export type Draft =
  | undefined
  | null
  | string
  | { readonly members: Readonly<Record<string, Draft>> }
  | { readonly items: readonly Draft[] }
  | { readonly variant: number; readonly inner: Draft };

export interface DraftProblem {
  /** `a.b[0]`. */
  readonly path: string;
  readonly message: string;
}

export interface DraftValue {
  /** Undefined: it is left out. */
  readonly value: unknown;
  readonly problems: readonly DraftProblem[];
}

/** The value of a draft. One that is required and not given is a problem, unless nothing is its value. */
export function valueOfDraft(field: SchemaField, draft: Draft, isRequired = true, path = ''): DraftValue {
  if (draft === null) return ok(null);
  if (field.kind === 'object') return objectValue(field, draft, isRequired, path);
  if (draft === undefined || draft === '') return emptyValue(field, isRequired, path);
  switch (field.kind) {
    case 'list': {
      const items = typeof draft === 'object' && 'items' in draft ? draft.items : [];
      const values = items.map((item, at) => valueOfDraft(field.item(), item, true, `${path}[${at}]`));
      return { value: values.map(({ value }) => value), problems: values.flatMap(({ problems }) => problems) };
    }
    case 'variants': {
      const chosen = typeof draft === 'object' && 'variant' in draft ? draft : { variant: 0, inner: undefined };
      const variant = field.variants[chosen.variant];
      return variant ? valueOfDraft(variant.field(), chosen.inner, isRequired, path) : ok(undefined);
    }
    default:
      return typeof draft === 'string' ? typedValue(field, draft, path) : ok(undefined);
  }
}

function emptyValue(field: SchemaField, isRequired: boolean, path: string): DraftValue {
  if (!isRequired) return ok(undefined);
  if (field.kind === 'list') return ok([]);
  // The only value that there is needs no choosing.
  if (field.kind === 'choice' && field.options.length === 1) return ok(field.options[0]);
  if (field.default !== undefined) return ok(field.default);
  return wrong(path, field.kind === 'variants' ? 'Choose one.' : 'A value is needed.');
}

function objectValue(
  field: SchemaField & { readonly kind: 'object' },
  draft: Draft,
  isRequired: boolean,
  path: string,
): DraftValue {
  const given = typeof draft === 'object' && draft !== null && 'members' in draft ? draft.members : {};
  // An object that nobody has touched is left out, with whatever it would need.
  if (!isRequired && !Object.values(given).some(isGiven)) return ok(undefined);
  const parts = field.members.map(({ name, field: make, isRequired: isNeeded }) => {
    const own = Object.hasOwn(given, name) ? given[name] : undefined;
    // A hidden field is not made: a schema may contain itself.
    if (!isNeeded && !isGiven(own)) return { name, ...ok(undefined) };
    return { name, ...valueOfDraft(make(), own, isNeeded, path === '' ? name : `${path}.${name}`) };
  });
  return {
    value: Object.fromEntries(parts.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]))),
    problems: parts.flatMap(({ problems }) => problems),
  };
}

export function isGiven(draft: Draft): boolean {
  if (draft === undefined || draft === '') return false;
  if (draft === null || typeof draft === 'string') return true;
  return 'members' in draft ? Object.values(draft.members).some(isGiven) : true;
}

function typedValue(field: SchemaField, text: string, path: string): DraftValue {
  switch (field.kind) {
    case 'number': {
      const value = text.trim() === '' ? Number.NaN : Number(text);
      if (!Number.isFinite(value)) return wrong(path, 'This is not a number.');
      return field.isInteger && !Number.isInteger(value) ? wrong(path, 'This is not a whole number.') : ok(value);
    }
    case 'boolean':
      return ok(text === 'true');
    case 'choice':
      return ok(field.options[Number(text)]);
    case 'json':
      try {
        return ok(JSON.parse(text));
      } catch (error) {
        return wrong(path, `This is not JSON: ${(error as Error).message}`);
      }
    default:
      return ok(text);
  }
}

function ok(value: unknown): DraftValue {
  return { value, problems: [] };
}

function wrong(path: string, message: string): DraftValue {
  return { value: undefined, problems: [{ path, message }] };
}

/** The draft that means a value; undefined where the form has no place for some of it. */
export function draftOfValue(field: SchemaField, value: unknown): { readonly draft: Draft } | undefined {
  if (value === undefined) return { draft: undefined };
  if (value === null && field.kind !== 'json') return field.isNullable ? { draft: null } : undefined;
  switch (field.kind) {
    case 'json':
      return { draft: JSON.stringify(value, null, 2) };
    case 'text':
      return typeof value === 'string' && value !== '' ? { draft: value } : undefined;
    case 'number':
      return typeof value === 'number' ? { draft: String(value) } : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? { draft: String(value) } : undefined;
    case 'choice': {
      const at = field.options.findIndex((option) => JSON.stringify(option) === JSON.stringify(value));
      return at === -1 ? undefined : { draft: String(at) };
    }
    case 'list': {
      if (!Array.isArray(value)) return undefined;
      const items = value.map((item) => draftOfValue(field.item(), item));
      return items.every((item) => item !== undefined)
        ? { draft: { items: items.map(({ draft }) => draft) } }
        : undefined;
    }
    case 'variants': {
      const found = field.variants.map((variant) => draftOfValue(variant.field(), value));
      const variant = found.findIndex((one) => one !== undefined);
      return variant === -1 ? undefined : { draft: { variant, inner: found[variant]?.draft } };
    }
    case 'object':
      return draftOfObject(field, value);
  }
}

function draftOfObject(field: SchemaField & { readonly kind: 'object' }, value: unknown) {
  if (!isSchema(value)) return undefined;
  const members = Object.entries(value).map(([name, own]) => {
    const member = field.members.find((one) => one.name === name);
    return [name, member && draftOfValue(member.field(), own)] as const;
  });
  if (members.some(([, found]) => found === undefined)) return undefined;
  return { draft: { members: Object.fromEntries(members.map(([name, found]) => [name, found?.draft])) } };
}
