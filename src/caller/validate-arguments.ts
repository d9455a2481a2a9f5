/** Stage: checks the arguments against the tool's schema before they cost a call, and says what is wrong with them. */

import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import type { Stage } from './call.ts';
import { describeMistakes, knownNames } from './describe-mistakes.ts';
import { signatureOf } from './signature.ts';
import { tameSchema } from './tame-schema.ts';

type Check = (args: unknown) => readonly OutputUnit[];

/** Unknown names that are told. */
const maxNamed = 20;
/** Validators by definition: a definition is immutable, so its validator is made once. */
const checks = new WeakMap<object, Check>();
const acceptAll: Check = () => [];

export const validateArguments: Stage = (call, next) => {
  const args = call.params.arguments ?? {};
  if (!isObject(args)) throw wrong(call.key, call.definition, ['the arguments must be an object'], {});
  const mistakes = describeMistakes(checkFor(call.definition)(args), call.definition.inputSchema, args);
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

/** What cannot be checked safely is left to the server, which has to check it anyway. */
function makeCheck(schema: unknown): Check {
  if (!isObject(schema)) return acceptAll;
  try {
    const draft = String(schema.$schema ?? '').includes('draft-07') ? '7' : '2020-12';
    // Shown to be an object above; its members are the server's business and are tamed.
    const validator = new Validator(tameSchema(schema) as Schema, draft, false);
    return (args) => {
      if (!isSmall(args)) return [];
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

/** Values in arguments above which they are not checked: the work grows with schema and arguments together. */
const maxValues = 2_000;

function isSmall(args: unknown): boolean {
  let count = 0;
  const visit = (value: unknown): boolean => {
    count += 1;
    if (count > maxValues) return false;
    return typeof value !== 'object' || value === null || Object.values(value).every(visit);
  };
  return visit(args);
}

function wrong(
  key: string,
  definition: Readonly<Record<string, unknown>>,
  mistakes: readonly string[],
  args: Record<string, unknown>,
): GatewayError {
  const signature = signatureOf(definition.inputSchema);
  const known = knownNames(definition.inputSchema);
  const unknown = Object.keys(args)
    .filter((name) => !known.includes(name))
    .slice(0, maxNamed);
  const said = mistakes.join('; ');
  const message = `The arguments for "${key}" are not right: ${said}${said.endsWith('?') ? '' : '.'}`;
  return new GatewayError('ARGUMENTS_INVALID', message, {
    hint: `It takes: ${signature || 'no parameters'}`,
    data: { mistakes, parameters: signature, ...(unknown.length > 0 ? { unknown } : {}) },
  });
}
