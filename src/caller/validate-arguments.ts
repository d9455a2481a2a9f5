/** Stage: checks the arguments against the tool's schema before they cost a call, and says what is wrong with them. */

import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import type { Stage } from './call.ts';
import { isScreened } from './screen-schema.ts';
import { signatureOf } from './signature.ts';

type Check = (args: unknown) => readonly OutputUnit[];

/** Validators by definition: a definition is immutable, so its validator is made once. */
const checks = new WeakMap<object, Check>();
const acceptAll: Check = () => [];

export const validateArguments: Stage = (call, next) => {
  const args = call.params.arguments ?? {};
  if (!isObject(args)) throw wrong(call.key, call.definition, ['the arguments must be an object'], {});
  const mistakes = describe(checkFor(call.definition)(args), call.definition, args);
  if (mistakes.length > 0) throw wrong(call.key, call.definition, mistakes, args);
  return next(call);
};

function checkFor(definition: Readonly<Record<string, unknown>>): Check {
  const known = checks.get(definition);
  if (known) return known;
  const made = makeCheck(definition.inputSchema);
  checks.set(definition, made);
  return made;
}

/** A schema that cannot be checked safely is left to the server, which has to check it anyway. */
function makeCheck(schema: unknown): Check {
  if (!isObject(schema) || !isScreened(schema)) return acceptAll;
  try {
    const draft = String(schema.$schema ?? '').includes('draft-07') ? '7' : '2020-12';
    // Shown to be an object above; its members are the server's business and are screened.
    const validator = new Validator(schema as Schema, draft, false);
    return (args) => {
      try {
        return validator.validate(args).errors;
      } catch {
        return [];
      }
    };
  } catch {
    return acceptAll;
  }
}

/** Errors as short sentences: the innermost only, because the outer ones merely say that something inside is wrong. */
function describe(
  errors: readonly OutputUnit[],
  definition: Readonly<Record<string, unknown>>,
  args: Record<string, unknown>,
): string[] {
  const isOuter = (error: OutputUnit) =>
    ['properties', 'items', 'allOf', '$ref'].includes(error.keyword) &&
    errors.some((other) => other !== error && other.instanceLocation.startsWith(error.instanceLocation));
  const sentences = errors.filter((error) => !isOuter(error)).map((error) => sentence(error, definition, args));
  return [...new Set(sentences)].slice(0, 8);
}

function sentence(
  error: OutputUnit,
  definition: Readonly<Record<string, unknown>>,
  args: Record<string, unknown>,
): string {
  const where = error.instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.') || 'the arguments';
  if (error.keyword === 'required') {
    const missing = /"([^"]+)"/.exec(error.error)?.[1] ?? '';
    if (where !== 'the arguments') return `${where}: the parameter "${missing}" is missing`;
    // Where a schema allows any name, a misspelt one is noticed only by what is missing.
    const near = nearest(missing, strangersIn(args, definition), 1)[0];
    return `the parameter "${missing}" is missing${near ? `; is "${near}" meant to be it?` : ''}`;
  }
  if (error.keyword === 'additionalProperties' || error.keyword === 'false') {
    const name = where.split('.').at(-1) ?? where;
    const known = propertiesOf(definition);
    const near = nearest(
      name,
      known.filter((item) => !Object.hasOwn(args, item)),
      1,
    )[0];
    return `there is no parameter "${name}"${near ? `; did you mean "${near}"?` : ''}`;
  }
  return `${where}: ${error.error.replace(/\.$/, '').replace(/^Instance/, 'the value')}`;
}

function propertiesOf(definition: Readonly<Record<string, unknown>>): string[] {
  const schema = definition.inputSchema;
  return isObject(schema) && isObject(schema.properties) ? Object.keys(schema.properties) : [];
}

/** Names that were given and that the schema does not speak of. */
function strangersIn(args: Record<string, unknown>, definition: Readonly<Record<string, unknown>>): string[] {
  const known = propertiesOf(definition);
  return Object.keys(args).filter((name) => !known.includes(name));
}

function wrong(
  key: string,
  definition: Readonly<Record<string, unknown>>,
  mistakes: readonly string[],
  args: Record<string, unknown>,
): GatewayError {
  const signature = signatureOf(definition.inputSchema);
  const unknown = strangersIn(args, definition);
  return new GatewayError('ARGUMENTS_INVALID', `The arguments for "${key}" are not right: ${mistakes.join('; ')}.`, {
    hint: `It takes: ${signature || 'no parameters'}`,
    data: { mistakes, parameters: signature, ...(unknown.length > 0 ? { unknown } : {}) },
  });
}
