/** Reads the arguments of a call by the schema of its tool: checks them, corrects harmless mistakes and explains the others. */

import { isObject } from '../base/json.ts';
import { checkValue } from './check-value.ts';
import { coerceArguments } from './coerce-arguments.ts';
import { describeMistakes } from './describe-mistakes.ts';
import { cut } from './show-value.ts';
import { signatureOf } from './signature.ts';
import { isOfType, namedParameters, TamedSchema } from './tamed-schema.ts';

export { hideArguments } from './hide-arguments.ts';
export { signatureOf } from './signature.ts';

/** A tool as its server defines it. It never changes, so facts about its schemas are remembered by it. */
type ToolDefinition = Readonly<Record<string, unknown>>;

/** Arguments as they are sent: as they came, or corrected with a note on each correction. */
export interface GoodArguments {
  readonly value: unknown;
  readonly corrections?: readonly string[] | undefined;
}

export interface BadArguments {
  /** Short sentences. */
  readonly mistakes: readonly string[];
  /** Names that the schema does not know. */
  readonly unknown: readonly string[];
}

const maxUnknownNames = 20;
const inputSchemas = new WeakMap<ToolDefinition, TamedSchema>();
const outputSchemas = new WeakMap<ToolDefinition, TamedSchema>();

/** Arguments that can't be checked safely count as good: the server has to check them anyway. */
export function fitArguments(definition: ToolDefinition, given: unknown): GoodArguments | BadArguments {
  const tamed = inputSchemaOf(definition);
  if (!isObject(given)) return { mistakes: ['the arguments must be an object'], unknown: [] };
  const { validity, mistakes } = checkValue(tamed, tamed.root, given);
  if (validity !== 'invalid') return { value: given };
  const coerced = coerceArguments(tamed, given);
  if (coerced) return { value: coerced.value, corrections: coerced.notes };
  const known = namedParameters([tamed.root], tamed);
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  return {
    mistakes: describeMistakes(mistakes, tamed),
    unknown: unknown.slice(0, maxUnknownNames).map((name) => cut(name)),
  };
}

/** The parameters of a tool as one line; empty for none. */
export function parameterLine(definition: ToolDefinition): string {
  return signatureOf(inputSchemaOf(definition).root);
}

/** The first thing wrong with structured content by the tool's output schema, or undefined. */
export function mistakeInOutput(definition: ToolDefinition, structuredContent: unknown): string | undefined {
  const { outputSchema } = definition;
  if (!isObject(outputSchema)) return undefined;
  const tamed = outputSchemas.get(definition) ?? new TamedSchema(outputSchema);
  outputSchemas.set(definition, tamed);
  const { validity, mistakes } = checkValue(tamed, tamed.root, structuredContent);
  return validity === 'invalid' ? describeMistakes(mistakes, tamed)[0] : undefined;
}

function inputSchemaOf(definition: ToolDefinition): TamedSchema {
  const known = inputSchemas.get(definition);
  if (known) return known;
  const schema = isObject(definition.inputSchema) ? definition.inputSchema : {};
  // Arguments are always an object: a type that leaves it out is a slip, and no arguments would fit.
  const { type: _slip, ...others } = schema;
  const made = new TamedSchema(isOfType(schema, {}) ? schema : others);
  inputSchemas.set(definition, made);
  return made;
}
