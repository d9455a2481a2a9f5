/** The parameters of a tool: each field is its JSON Schema, its check and its type in one, so that they cannot disagree. */

import type { JsonObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import { cutAtWord } from '../base/text.ts';
import { ToolRefusal } from './tool-refusal.ts';

export interface Field<T> {
  readonly schema: JsonObject;
  /** What is allowed, to complete the sentence "… must be …". */
  readonly expected: string;
  readonly isRequired: boolean;
  /** The value of a field that was left out. */
  readonly fallback?: T;
  accepts(value: unknown): value is T;
}

export type FieldSet = Readonly<Record<string, Field<unknown>>>;
export type Values<F extends FieldSet> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

export function text(description: string, maxLength = 200): Field<string> {
  return {
    schema: { type: 'string', description, minLength: 1, maxLength },
    expected: `a text of 1 to ${maxLength} characters`,
    isRequired: true,
    accepts: (value): value is string => typeof value === 'string' && value.trim() !== '' && value.length <= maxLength,
  };
}

export function number(description: string): Field<number> {
  return {
    schema: { type: 'number', description },
    expected: 'a number',
    isRequired: true,
    accepts: (value): value is number => Number.isFinite(value),
  };
}

export function numberBetween(minimum: number, maximum: number, description: string): Field<number> {
  return {
    schema: { type: 'number', description, minimum, maximum },
    expected: `a number from ${minimum} to ${maximum}`,
    isRequired: true,
    accepts: (value): value is number => typeof value === 'number' && value >= minimum && value <= maximum,
  };
}

export function integerBetween(minimum: number, maximum: number, description: string): Field<number> {
  const { schema, accepts } = numberBetween(minimum, maximum, description);
  return {
    schema: { ...schema, type: 'integer' },
    expected: `a whole number from ${minimum} to ${maximum}`,
    isRequired: true,
    accepts: (value): value is number => Number.isInteger(value) && accepts(value),
  };
}

export function listOf<T>(
  item: Field<T>,
  minItems: number,
  maxItems: number,
  description: string,
): Field<readonly T[]> {
  return {
    schema: { type: 'array', description, items: item.schema, minItems, maxItems },
    expected: `a list of ${minItems} to ${maxItems} items, each ${item.expected}`,
    isRequired: true,
    accepts: (value): value is readonly T[] =>
      Array.isArray(value) && value.length >= minItems && value.length <= maxItems && value.every(item.accepts),
  };
}

export function optional<T>(field: Field<T>): Field<T | undefined> {
  return { ...field, isRequired: false };
}

export function withDefault<T extends string | number>(field: Field<T>, fallback: T): Field<T> {
  return { ...field, schema: { ...field.schema, default: fallback }, isRequired: false, fallback };
}

export function inputSchemaOf(fields: FieldSet): JsonObject {
  const names = Object.keys(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, fields[name]?.schema])),
    required: names.filter((name) => fields[name]?.isRequired),
    additionalProperties: false,
  };
}

/** The arguments as typed values. Throws one `ToolRefusal` that names everything that is wrong with them. */
export function readFields<F extends FieldSet>(fields: F, args: Readonly<Record<string, unknown>>): Values<F> {
  const mistakes = unknownNames(fields, args);
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (value === undefined) {
      if (field.isRequired) mistakes.push(`"${name}" is missing; it must be ${field.expected}.`);
      values[name] = field.fallback;
    } else if (field.accepts(value)) values[name] = value;
    else mistakes.push(`"${name}" must be ${field.expected}, but it is ${shown(value)}.`);
  }
  if (mistakes.length > 0) throw new ToolRefusal(mistakes.join(' '));
  // Every field of F was read above, by the check that carries its type.
  return values as Values<F>;
}

function unknownNames(fields: FieldSet, args: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(args)
    .filter((name) => !Object.hasOwn(fields, name))
    .slice(0, 5)
    .map((name) => {
      const [near] = nearest(name, Object.keys(fields), 1);
      const hint = near === undefined ? '.' : `; did you mean "${near}"?`;
      return `There is no parameter ${shown(name)}${hint}`;
    });
}

function shown(value: unknown): string {
  return cutAtWord(JSON.stringify(value), 60);
}
