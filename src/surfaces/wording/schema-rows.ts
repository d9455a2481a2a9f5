/** A schema as rows of a table: one for each value that it speaks of, those inside others indented. */

import { isSchema, resolveSchema, type Schema } from './resolve-schema.ts';

export interface SchemaRow {
  readonly depth: number;
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly default: string;
  readonly allowed: string;
  readonly description: string;
}

/** A table has no more rows, and shows nothing deeper; the definition has all of it. */
const mostRows = 300;
const deepest = 6;

export function rowsOfSchema(schema: unknown): readonly SchemaRow[] {
  const rows: SchemaRow[] = [];
  addMembers(rows, resolveSchema(schema, schema), schema, 0);
  return rows;
}

function addMembers(rows: SchemaRow[], schema: Schema, root: unknown, depth: number): void {
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  for (const [name, given] of Object.entries(isSchema(schema.properties) ? schema.properties : {}))
    addRow(rows, { name, given, isRequired: required.includes(name), depth }, root);
}

interface GivenRow {
  readonly name: string;
  readonly given: unknown;
  readonly isRequired: boolean;
  readonly depth: number;
}

function addRow(rows: SchemaRow[], { name, given, isRequired, depth }: GivenRow, root: unknown): void {
  if (rows.length >= mostRows) return;
  const schema = resolveSchema(given, root);
  rows.push({
    depth,
    name,
    type: typeInShort(schema, root),
    isRequired,
    default: schema.default === undefined ? '' : JSON.stringify(schema.default),
    allowed: allowedIn(schema),
    description: typeof schema.description === 'string' ? schema.description : '',
  });
  if (depth >= deepest) return;
  addMembers(rows, schema, root, depth + 1);
  if (isSchema(schema.items)) addMembers(rows, resolveSchema(schema.items, root), root, depth + 1);
  for (const [at, variant] of variantsIn(schema).entries()) {
    const own = resolveSchema(variant, root);
    if (!isSchema(own.properties)) continue;
    const label = typeof own.title === 'string' ? own.title : `variant ${at + 1}`;
    addRow(rows, { name: `(${label})`, given: own, isRequired: false, depth: depth + 1 }, root);
  }
}

function variantsIn({ oneOf, anyOf }: Schema): readonly unknown[] {
  return [oneOf, anyOf].filter(Array.isArray).flat();
}

function typeInShort(schema: Schema, root: unknown): string {
  const { type, items } = schema;
  if (type === 'array' || (type === undefined && items !== undefined))
    return isSchema(items) ? `list of ${typeInShort(resolveSchema(items, root), root)}` : 'list';
  if (Array.isArray(type)) return type.join(' or ');
  if (typeof type === 'string') return type;
  if (isSchema(schema.properties)) return 'object';
  const variants = variantsIn(schema).map((one) => shallowType(resolveSchema(one, root)));
  if (variants.length > 0) return [...new Set(variants)].join(' or ');
  return schema.enum !== undefined || schema.const !== undefined ? 'one of' : 'any';
}

/** Of a variant, which may hold its own schema again. */
function shallowType({ type, properties }: Schema): string {
  return typeof type === 'string' ? type : isSchema(properties) ? 'object' : 'any';
}

const bounds: readonly (readonly [key: string, word: string])[] = [
  ['minimum', 'from'],
  ['exclusiveMinimum', 'over'],
  ['maximum', 'to'],
  ['exclusiveMaximum', 'under'],
  ['minLength', 'at least characters:'],
  ['maxLength', 'at most characters:'],
  ['minItems', 'at least items:'],
  ['maxItems', 'at most items:'],
  ['pattern', 'like'],
  ['format', 'as'],
];

function allowedIn(schema: Schema): string {
  const values = Array.isArray(schema.enum) ? schema.enum : schema.const === undefined ? [] : [schema.const];
  const told = bounds.flatMap(([key, word]) =>
    schema[key] === undefined
      ? []
      : [`${word} ${typeof schema[key] === 'string' ? schema[key] : JSON.stringify(schema[key])}`],
  );
  return [...values.map((value) => JSON.stringify(value)), ...told].join(', ');
}
