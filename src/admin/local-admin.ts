/** Operations in this process. */

import { z } from 'zod';
import { everybody, type Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
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
  const parsed = schema.safeParse(input);
  if (!parsed.success) {
    throw new GatewayError(
      'USAGE',
      `The input of "${name}" is not right: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`,
    );
  }
  // The table pairs each schema with its own function; TypeScript cannot follow that through a union.
  return (run as (request: unknown) => Promise<unknown>)({ context, input: parsed.data, principal, signal });
}
