/** Operations in this process. */

import { z } from 'zod';
import { everybody, type Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { signatureOf } from '../caller/caller.ts';
import { readInput } from '../endpoint/endpoint.ts';
import { type Admin, type OperationName, operations } from './admin.ts';
import type { AdminContext } from './operation.ts';

const never = new AbortController().signal;

/** The owner's own administration: what runs here has every right. */
export function localAdmin(context: AdminContext): Admin {
  return {
    run: (name, input, signal = never) => runOperation(context, name, input, everybody, signal) as never,
  };
}

/** Checks the input and runs the operation; wrong input is the caller's mistake and says which part. */
export async function runOperation(
  context: AdminContext,
  name: OperationName,
  input: unknown,
  principal: Principal,
  signal: AbortSignal,
): Promise<unknown> {
  const { input: schema, run } = operations[name];
  const reading = readInput<z.ZodType>(schema, input, 'it');
  if ('mistakes' in reading) {
    throw new GatewayError('USAGE', `The input of "${name}" is not right: ${reading.mistakes}.`, {
      hint: `It takes: ${membersOf(schema)}. GET /api/openapi.json describes it.`,
    });
  }
  // The table pairs each schema with its own function; TypeScript cannot follow that through a union.
  return (run as (request: unknown) => Promise<unknown>)({ context, input: reading.value, principal, signal });
}

/** The members of an operation's input in one line. */
function membersOf(schema: z.ZodType): string {
  return signatureOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })) || 'no members';
}
