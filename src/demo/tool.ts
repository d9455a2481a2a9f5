/** A demo tool: one declaration gives its definition, the check of its arguments and the form of its result. */

import type { Clock } from '../base/clock.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import type { Signal } from '../base/signal.ts';
import { cutAtWord } from '../base/text.ts';
import type { Result } from '../protocol/messages.ts';

/** The tool said no: the message is for the agent, which can mend its arguments or tell the user. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal';
}

type Arguments = Readonly<Record<string, unknown>>;

export interface ToolContext {
  readonly clock: Clock;
  /** Aborts when the caller has cancelled. */
  readonly signal: AbortSignal;
  /** Reaches the caller only when it has asked for progress. */
  reportProgress(done: number, total: number, message: string): void;
}

export interface Tool {
  readonly definition: JsonObject & { readonly name: string };
  /** Wrong arguments and refusals become results with `isError`; only bugs and cancellation reject. */
  run(args: Arguments, context: ToolContext): Promise<Result>;
}

/** Everything that one demo server offers. */
export interface ToolSet {
  readonly tools: readonly Tool[];
  readonly resources?: {
    readonly templates: readonly JsonObject[];
    /** Emits when `list()` would give something else than before. */
    readonly changed: Signal<void>;
    list(): readonly JsonObject[];
    read(uri: string): JsonObject | undefined;
  };
  readonly prompts?: readonly {
    readonly definition: JsonObject & { readonly name: string; readonly description: string };
    write(args: Arguments): string;
  }[];
}

/** The demo reaches nothing outside itself, so no world is open. */
const reads = { readOnlyHint: true, openWorldHint: false };
export const adds = { ...reads, readOnlyHint: false, destructiveHint: false, idempotentHint: false };
export const overwrites = { ...adds, destructiveHint: true, idempotentHint: true };

interface ToolPlan<F extends FieldSet> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Without them the tool only reads. */
  readonly annotations?: typeof adds;
  readonly input: F;
  /** The schema of the object that `run` gives; a tool without one gives a text. */
  readonly output?: JsonObject;
  run(values: Values<F>, context: ToolContext): object | string | Promise<object | string>;
}

export function defineTool<F extends FieldSet>(plan: ToolPlan<F>): Tool {
  const { name, title, description, annotations = reads, input, output } = plan;
  const inputSchema = inputSchemaOf(input);
  return {
    definition: { name, title, description, inputSchema, ...(output && { outputSchema: output }), annotations },
    async run(args, context) {
      try {
        const reply = await plan.run(readFields(input, args), context);
        if (typeof reply === 'string') return { content: [{ type: 'text', text: reply }] };
        // Repeated as JSON text, for clients that read only text.
        return { content: [{ type: 'text', text: JSON.stringify(reply) }], structuredContent: reply };
      } catch (error) {
        if (!(error instanceof ToolRefusal)) throw error;
        return { content: [{ type: 'text', text: error.message }], isError: true };
      }
    },
  };
}

/** The schema of an object that always has all of these members and no others; a member is a schema, or its type alone. */
export function objectOf(members: Readonly<Record<string, Json>>): JsonObject {
  const schemas = Object.entries(members).map(([name, one]) => [name, typeof one === 'string' ? { type: one } : one]);
  return {
    type: 'object',
    properties: Object.fromEntries(schemas),
    required: Object.keys(members),
    additionalProperties: false,
  };
}

/** A parameter: its JSON Schema, its check and its type in one, so that they cannot disagree. */
export interface Field<T> {
  readonly schema: JsonObject;
  /** The allowed values, to complete the sentence "… must be …". */
  readonly expected: string;
  readonly isRequired: boolean;
  /** The value of a field that was left out. */
  readonly fallback?: T;
  accepts(value: unknown): value is T;
}

type FieldSet = Readonly<Record<string, Field<unknown>>>;
type Values<F extends FieldSet> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

function field<T>(schema: JsonObject, expected: string, accepts: (value: unknown) => boolean): Field<T> {
  return { schema, expected, isRequired: true, accepts: (value): value is T => accepts(value) };
}

export function text(description: string, maxLength = 200): Field<string> {
  const accepts = (value: unknown) => typeof value === 'string' && value.trim() !== '' && value.length <= maxLength;
  const schema = { type: 'string', description, minLength: 1, maxLength };
  return field(schema, `a text of 1 to ${maxLength} characters`, accepts);
}

export function number(description: string): Field<number> {
  return field({ type: 'number', description }, 'a number', Number.isFinite);
}

export function numberBetween(minimum: number, maximum: number, description: string): Field<number> {
  const accepts = (value: unknown) => typeof value === 'number' && value >= minimum && value <= maximum;
  return field({ type: 'number', description, minimum, maximum }, `a number from ${minimum} to ${maximum}`, accepts);
}

export function integerBetween(minimum: number, maximum: number, description: string): Field<number> {
  const { schema, expected, accepts } = numberBetween(minimum, maximum, description);
  const isWhole = (value: unknown) => Number.isInteger(value) && accepts(value);
  return field({ ...schema, type: 'integer' }, expected.replace('number', 'whole number'), isWhole);
}

export function several<T>(item: Field<T>, minItems: number, maxItems: number, description: string): Field<T[]> {
  return field(
    { type: 'array', description, items: item.schema, minItems, maxItems },
    `a list of ${minItems} to ${maxItems} items, each ${item.expected}`,
    (value) =>
      Array.isArray(value) && value.length >= minItems && value.length <= maxItems && value.every(item.accepts),
  );
}

export function optional<T>(one: Field<T>): Field<T | undefined> {
  return { ...one, isRequired: false };
}

export function withDefault<T extends string | number>(one: Field<T>, fallback: T): Field<T> {
  return { ...one, schema: { ...one.schema, default: fallback }, isRequired: false, fallback };
}

export function inputSchemaOf(fields: FieldSet): JsonObject {
  const entries = Object.entries(fields);
  const required = entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  return { ...objectOf(Object.fromEntries(entries.map(([name, { schema }]) => [name, schema]))), required };
}

/** The arguments as typed values. Throws one `ToolRefusal` that names everything that is wrong with them. */
export function readFields<F extends FieldSet>(fields: F, args: Arguments): Values<F> {
  const unknown = Object.keys(args).filter((name) => !Object.hasOwn(fields, name));
  const mistakes = unknown.slice(0, 5).map((name) => {
    const [near] = nearest(name, Object.keys(fields), 1);
    return `There is no parameter ${shown(name)}${near === undefined ? '.' : `; did you mean "${near}"?`}`;
  });
  const values: Record<string, unknown> = {};
  for (const [name, { isRequired, expected, fallback, accepts }] of Object.entries(fields)) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    values[name] = value ?? fallback;
    if (value === undefined) {
      if (isRequired) mistakes.push(`"${name}" is missing; it must be ${expected}.`);
    } else if (!accepts(value)) mistakes.push(`"${name}" must be ${expected}, but it is ${shown(value)}.`);
  }
  if (mistakes.length > 0) throw new ToolRefusal(mistakes.join(' '));
  // Every field of F was read above, by the check that carries its type.
  return values as Values<F>;
}

function shown(value: unknown): string {
  return cutAtWord(JSON.stringify(value), 60);
}
