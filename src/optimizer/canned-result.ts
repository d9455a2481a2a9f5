/** Makes a plausible result without calling the tool, from its output schema if it has one. */

import { mistakeInOutput } from '../arguments/arguments.ts';
import { isObject, jsonSize } from '../base/json.ts';
import type { Entry } from '../catalog/catalog.ts';
import type { Result } from '../protocol/messages.ts';

type ToolDefinition = Entry['definition'];

export function cannedResult(definition: ToolDefinition): Result {
  const { outputSchema } = definition;
  const structuredContent = isObject(outputSchema) ? new Sample(outputSchema).of(outputSchema, 0) : undefined;
  if (structuredContent === undefined || jsonSize(structuredContent, mostBytes) > mostBytes)
    return { content: [{ type: 'text', text: 'Done.' }] };
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

/** The definition, without an output schema that our result would not fit: agents check results by it. */
export function answerable(definition: ToolDefinition): ToolDefinition {
  if (mistakeInOutput(definition, cannedResult(definition).structuredContent) === undefined) return definition;
  const { outputSchema: _strange, ...rest } = definition;
  return rest;
}

/** Deeper values are left empty: a schema may refer to itself. */
const mostDepth = 8;
/** Values beyond this number are left empty too: each may refer to all others. */
const mostValues = 200;
/** Longest result: examples in a schema may be long, and referred to often. */
const mostBytes = 65_536;

class Sample {
  readonly #root: Readonly<Record<string, unknown>>;
  #left = mostValues;

  constructor(root: Readonly<Record<string, unknown>>) {
    this.#root = root;
  }

  of(schema: unknown, depth: number): unknown {
    this.#left -= 1;
    if (!isObject(schema) || depth > mostDepth || this.#left < 0) return null;
    const { const: only, examples, default: usual, enum: values, $ref: reference, anyOf, oneOf = anyOf } = schema;
    const [given] = [only, ...listOf(examples).slice(0, 1), usual, ...listOf(values).slice(0, 1)].filter(isGiven);
    if (given !== undefined) return given;
    if (typeof reference === 'string') return this.of(targetOf(reference, this.#root), depth + 1);
    if (schema.type === undefined && Array.isArray(oneOf)) return this.of(oneOf[0], depth + 1);
    const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
    if (type === 'array') return isObject(schema.items) ? [this.of(schema.items, depth + 1)] : [];
    if (type === 'string') return texts[String(schema.format)] ?? 'example';
    if (type === 'number' || type === 'integer')
      return typeof schema.minimum === 'number' ? Math.ceil(schema.minimum) : 1;
    if (type === 'boolean') return true;
    if (type === 'null') return null;
    const properties = Object.entries(isObject(schema.properties) ? schema.properties : {});
    return Object.fromEntries(properties.map(([name, property]) => [name, this.of(property, depth + 1)]));
  }
}

const texts: Readonly<Record<string, string>> = {
  'date-time': '2026-01-15T12:00:00Z',
  date: '2026-01-15',
  time: '12:00:00Z',
  email: 'somebody@example.com',
  uri: 'https://example.com/',
  uuid: '6f2c1d3e-8a4b-4c5d-9e6f-7a8b9c0d1e2f',
};

function isGiven(value: unknown): boolean {
  return value !== undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Where a reference within the schema leads, such as `#/$defs/place`. */
function targetOf(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#/')) return undefined;
  const steps = reference.slice(2).split('/');
  return steps.reduce<unknown>((at, step) => (isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined), root);
}
