/**
 * Stage: checks the arguments against the tool's schema before they cost a call. Harmless mistakes are corrected and noted,
 * others are explained; what cannot be checked safely is left to the server, which has to check it anyway.
 */

import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import type { Call, Stage } from './call.ts';
import { coerceArguments } from './coerce-arguments.ts';
import { describeMistakes } from './describe-mistakes.ts';
import { parametersOf } from './describe-mistakes-names.ts';
import { cut, isOfType } from './describe-mistakes-values.ts';
import { signatureOf } from './signature.ts';
import { TamedSchema } from './tame-schema.ts';
import { checkValue } from './validate-arguments-check.ts';

/** Unknown names that are told. */
const maxNamed = 20;
/** Schemas by definition: a definition is immutable, so what is found out about its schema stays true. */
const schemas = new WeakMap<object, TamedSchema>();

export const validateArguments: Stage = (call, next) => next(checkedCall(call));

/** The call, with harmless mistakes in its arguments corrected; throws at others. */
export function checkedCall(call: Call): Call {
  const args = call.params.arguments ?? {};
  const tamed = schemaOf(call.definition);
  if (!isObject(args)) throw wrong(call, tamed, ['the arguments must be an object'], {});
  const { verdict, mistakes } = checkValue(tamed, tamed.root, args);
  if (verdict !== 'invalid') return call;
  const coerced = coerceArguments(tamed, args);
  if (coerced === undefined) throw wrong(call, tamed, describeMistakes(mistakes, tamed), args);
  return { ...call, params: { ...call.params, arguments: coerced.value }, coerced: coerced.notes };
}

/** What a tool takes, for an agent whose arguments do not fit. */
export function takesNow({ definition, isRenewed }: Pick<Call, 'definition' | 'isRenewed'>): string {
  const signature = signatureOf(schemaOf(definition).root) || 'no parameters';
  return isRenewed ? `The tool changed lately; it now takes: ${signature}` : `It takes: ${signature}`;
}

function schemaOf(definition: Readonly<Record<string, unknown>>): TamedSchema {
  const known = schemas.get(definition);
  if (known) return known;
  const schema = isObject(definition.inputSchema) ? definition.inputSchema : {};
  // Arguments are always an object: a type that leaves it out is a slip, and nothing would do.
  const { type: _slip, ...others } = schema;
  const made = new TamedSchema(isOfType(schema, {}) ? schema : others);
  schemas.set(definition, made);
  return made;
}

function wrong(
  call: Call,
  tamed: TamedSchema,
  mistakes: readonly string[],
  args: Readonly<Record<string, unknown>>,
): GatewayError {
  const signature = signatureOf(tamed.root);
  const known = parametersOf([tamed.root], tamed);
  const unknown = Object.keys(args)
    .filter((name) => !known.has(name))
    .slice(0, maxNamed)
    .map((name) => cut(name));
  const said = mistakes.join('; ');
  const message = `The arguments for "${call.key}" are not right: ${said}${said.endsWith('?') ? '' : '.'}`;
  return new GatewayError('ARGUMENTS_INVALID', message, {
    hint: takesNow(call),
    data: { mistakes, parameters: signature, ...(unknown.length > 0 ? { unknown } : {}) },
  });
}
