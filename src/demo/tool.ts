/** A demo tool: one declaration from which its definition, the check of its arguments and the form of its result come. */

import type { Json, JsonObject } from '../base/json.ts';
import type { Result } from '../protocol/messages.ts';
import { type FieldSet, inputSchemaOf, readFields, type Values } from './fields.ts';
import { ToolRefusal } from './tool-refusal.ts';

export interface ToolContext {
  /** Aborts when the caller has cancelled. */
  readonly signal: AbortSignal;
  /** Reaches the caller only when it has asked for progress. */
  reportProgress(done: number, total: number, message: string): void;
}

export interface Tool {
  readonly definition: {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly inputSchema: JsonObject;
    readonly outputSchema?: JsonObject;
    readonly annotations: Annotations;
  };
  /** Wrong arguments and refusals become results with `isError`; only bugs and cancellation reject. */
  run(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<Result>;
}

export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  /** Always false here: the demo reaches nothing outside itself. */
  readonly openWorldHint: false;
}

export const reads: Annotations = { readOnlyHint: true, openWorldHint: false };
export const adds: Annotations = { ...reads, readOnlyHint: false, destructiveHint: false, idempotentHint: false };
export const overwrites: Annotations = { ...adds, destructiveHint: true, idempotentHint: true };

export interface ToolPlan<F extends FieldSet> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: Annotations;
  readonly input: F;
  /** The schema of the object that `run` gives; a tool without one gives a text. */
  readonly output?: JsonObject;
  run(values: Values<F>, context: ToolContext): object | string | Promise<object | string>;
}

export function defineTool<F extends FieldSet>(plan: ToolPlan<F>): Tool {
  const { name, title, description, annotations, input, output } = plan;
  const inputSchema = inputSchemaOf(input);
  return {
    definition: { name, title, description, inputSchema, ...(output && { outputSchema: output }), annotations },
    async run(args, context) {
      try {
        return resultOf(await plan.run(readFields(input, args), context));
      } catch (error) {
        if (!(error instanceof ToolRefusal)) throw error;
        return { content: [{ type: 'text', text: error.message }], isError: true };
      }
    },
  };
}

/** The schema of an object that always has all of these members and no others. */
export function objectOf(properties: Readonly<Record<string, Json>>): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** Structured results are repeated as JSON text, for clients that read only text. */
function resultOf(reply: object | string): Result {
  if (typeof reply === 'string') return { content: [{ type: 'text', text: reply }] };
  return { content: [{ type: 'text', text: JSON.stringify(reply) }], structuredContent: reply };
}
