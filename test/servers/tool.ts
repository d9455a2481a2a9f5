/** A tool of the test server, and the little that all tools need: schemas, text results, argument checks. */

import type { Call, UNANSWERED } from './call.ts';
import { type Dict, isDict } from './rpc.ts';

export interface ToolDefinition {
  readonly name: string;
  readonly inputSchema?: unknown;
  readonly [member: string]: unknown;
}

type Answer = Dict | typeof UNANSWERED;

export interface Tool {
  readonly definition: ToolDefinition;
  readonly run: (call: Call) => Answer | Promise<Answer>;
}

interface ToolShape {
  readonly name: string;
  readonly description: string;
  /** The parameters' schemas; one with a `default` is optional. */
  readonly parameters?: Readonly<Record<string, Dict>>;
  /** Further members of the definition. */
  readonly more?: Dict;
}

export function defineTool(shape: ToolShape, run: Tool['run']): Tool {
  const properties = shape.parameters ?? {};
  const required = Object.keys(properties).filter((name) => properties[name]?.default === undefined);
  const inputSchema = { type: 'object', properties, ...(required.length > 0 && { required }) };
  const { name, description, more } = shape;
  return { definition: { name, description, inputSchema, ...more }, run };
}

export const READ_ONLY = { annotations: { readOnlyHint: true, idempotentHint: true } };

export function text(content: string): Dict {
  return { content: [{ type: 'text', text: content }] };
}

export function json(value: unknown): Dict {
  return text(JSON.stringify(value));
}

/** The mistake in the arguments, in words; undefined if they fit. Knows `required` and primitive types only. */
export function argumentTrouble(definition: ToolDefinition, args: Dict): string | undefined {
  const schema = isDict(definition.inputSchema) ? definition.inputSchema : {};
  const properties = isDict(schema.properties) ? schema.properties : {};
  for (const name of Array.isArray(schema.required) ? schema.required : []) {
    if (!Object.hasOwn(args, name)) return `The argument "${name}" is missing.`;
  }
  for (const [name, value] of Object.entries(args)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const type = isDict(property) ? property.type : undefined;
    if (typeof type === 'string' && !hasType(value, type)) return `The argument "${name}" is not of type ${type}.`;
  }
  return undefined;
}

/** The answer of a tool that does nothing: who was asked, and what for. */
export function pretend(server: string, definition: ToolDefinition, args: Dict): Dict {
  const said = { server, tool: definition.name, arguments: args };
  const { outputSchema } = definition;
  return outputSchema === undefined ? json(said) : { ...text('done'), structuredContent: sampleOf(outputSchema) };
}

/** The plainest value that a schema allows, for tools that only pretend to work. */
function sampleOf(schema: unknown): unknown {
  if (!isDict(schema)) return null;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.type === 'object') {
    const properties = isDict(schema.properties) ? schema.properties : {};
    return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, sampleOf(property)]));
  }
  const samples: Dict = { string: 'sample', number: 1, integer: 1, boolean: true, array: [] };
  return samples[String(schema.type)] ?? null;
}

function hasType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isDict(value);
  if (type === 'null') return value === null;
  return type === 'string' || type === 'number' || type === 'boolean' ? typeof value === type : true;
}
