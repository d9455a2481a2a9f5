/** From an input schema to the fields of a form. Servers write schemas as they like: whatever is beyond a form becomes a field for JSON. */

import { isSchema, joinSchemas, resolveSchema, type Schema } from '../../../wording/wording.ts';

interface FieldFacts {
  readonly description: string;
  readonly default: unknown;
  /** True if null is a value of it. */
  readonly isNullable: boolean;
}

export interface MemberField {
  readonly name: string;
  readonly isRequired: boolean;
  /** Made when it is shown: a schema may hold itself. */
  readonly field: () => SchemaField;
}

export type SchemaField = FieldFacts &
  (
    | { readonly kind: 'text'; readonly format: string }
    | { readonly kind: 'number'; readonly isInteger: boolean }
    | { readonly kind: 'boolean' }
    | { readonly kind: 'choice'; readonly options: readonly unknown[] }
    | { readonly kind: 'object'; readonly members: readonly MemberField[] }
    | { readonly kind: 'list'; readonly item: () => SchemaField }
    | { readonly kind: 'variants'; readonly variants: readonly SchemaVariant[] }
    | { readonly kind: 'json' }
  );

export interface SchemaVariant {
  readonly label: string;
  readonly field: () => SchemaField;
}

/** Below this depth everything is JSON: nobody fills in such a form. */
const deepest = 8;

/** The field for a whole input schema: an object, or JSON where it is none. */
export function fieldOfSchema(schema: unknown): SchemaField {
  return makeField(schema, { root: schema, depth: 0 });
}

interface Place {
  readonly root: unknown;
  readonly depth: number;
}

function makeField(given: unknown, place: Place): SchemaField {
  const { schema, isNullable } = withoutNull(resolveSchema(given, place.root), place.root);
  const facts: FieldFacts = {
    description: typeof schema.description === 'string' ? schema.description : '',
    default: schema.default,
    isNullable,
  };
  const options = optionsOf(schema, place.root);
  if (options) return { ...facts, kind: 'choice', options };
  const inner = { ...place, depth: place.depth + 1 };
  if (inner.depth > deepest) return { ...facts, kind: 'json' };
  const variants = variantsOf(schema, place.root);
  if (variants)
    return {
      ...facts,
      kind: 'variants',
      variants: variants.map((variant, at) => ({
        label: labelOf(variant, at),
        field: () => makeField(variant, inner),
      })),
    };
  switch (typeOf(schema)) {
    case 'string':
      return { ...facts, kind: 'text', format: typeof schema.format === 'string' ? schema.format : '' };
    case 'integer':
      return { ...facts, kind: 'number', isInteger: true };
    case 'number':
      return { ...facts, kind: 'number', isInteger: false };
    case 'boolean':
      return { ...facts, kind: 'boolean' };
    case 'object':
      return objectField(schema, facts, inner);
    case 'array':
      return isSchema(schema.items)
        ? { ...facts, kind: 'list', item: () => makeField(schema.items, inner) }
        : { ...facts, kind: 'json' };
    default:
      return { ...facts, kind: 'json' };
  }
}

/** An object with any members is JSON. The required members come first. */
function objectField(schema: Schema, facts: FieldFacts, place: Place): SchemaField {
  const entries = Object.entries(isSchema(schema.properties) ? schema.properties : {});
  // A tool that takes nothing has an empty form.
  if (entries.length === 0 && place.depth > 1) return { ...facts, kind: 'json' };
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const members = entries.map(([name, member]) => ({
    name,
    isRequired: required.includes(name),
    field: () => makeField(member, place),
  }));
  return { ...facts, kind: 'object', members: members.sort((a, b) => Number(b.isRequired) - Number(a.isRequired)) };
}

/** Takes null out of the types and variants. */
function withoutNull(schema: Schema, root: unknown): { readonly schema: Schema; readonly isNullable: boolean } {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const key = variantKey(schema);
  const variants = key === undefined ? [] : (schema[key] as readonly unknown[]).map((one) => resolveSchema(one, root));
  const others = variants.filter(({ type }) => type !== 'null');
  const isNullable = types.includes('null') || others.length < variants.length;
  if (!isNullable) return { schema, isNullable };
  const left = types.filter((type) => type !== 'null' && type !== undefined);
  const { type: _, ...rest } = schema;
  const typed: Schema = left.length === 0 ? rest : { ...rest, type: left.length === 1 ? left[0] : left };
  if (key === undefined) return { schema: typed, isNullable };
  const { [key]: __, ...base } = typed;
  const [only] = others;
  return {
    schema: others.length === 1 && only ? joinSchemas(base, only) : { ...base, [key]: others },
    isNullable,
  };
}

function variantKey(schema: Schema): 'oneOf' | 'anyOf' | undefined {
  return (['oneOf', 'anyOf'] as const).find((key) => Array.isArray(schema[key]));
}

/** The values of which one has to be chosen. */
function optionsOf(schema: Schema, root: unknown): readonly unknown[] | undefined {
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum.filter((value) => value !== null);
  if (schema.const !== undefined) return [schema.const];
  const key = variantKey(schema);
  if (key === undefined) return undefined;
  const variants = (schema[key] as readonly unknown[]).map((one) => resolveSchema(one, root));
  const isChoice = variants.length > 0 && variants.every((one) => one.const !== undefined);
  return isChoice ? variants.map((one) => one.const) : undefined;
}

/** Keywords that a variant can have without being another form. */
const conditions: ReadonlySet<string> = new Set(['required', 'not', 'title', 'description', 'if', 'then', 'else']);

function variantsOf(schema: Schema, root: unknown): readonly Schema[] | undefined {
  if (Array.isArray(schema.type)) return schema.type.map((type) => ({ ...schema, type }));
  const key = variantKey(schema);
  if (key === undefined) return undefined;
  const { [key]: given, ...base } = schema;
  const variants = (given as readonly unknown[]).map((one) => resolveSchema(one, root));
  // Variants that only say which members go together are one form.
  if (variants.every((one) => Object.keys(one).every((name) => conditions.has(name)))) return undefined;
  return variants.map((one) => joinSchemas(one, base));
}

function labelOf(schema: Schema, at: number): string {
  if (typeof schema.title === 'string' && schema.title !== '') return schema.title;
  const names = isSchema(schema.properties) ? Object.keys(schema.properties) : [];
  const kind = String(schema.type ?? typeOf(schema) ?? `variant ${at + 1}`);
  return names.length === 0 ? kind : `${kind} with ${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}`;
}

/** The meaning of a schema without a type. */
function typeOf(schema: Schema): unknown {
  if (schema.type !== undefined) return schema.type;
  if (isSchema(schema.properties)) return 'object';
  return schema.items === undefined ? undefined : 'array';
}
