/** Operations in this process. */

import { z } from 'zod';
import { everybody, lackingScope, type Principal } from '../access/access.ts';
import { signatureOf } from '../arguments/arguments.ts';
import { GatewayError } from '../base/errors.ts';
import { inRequest, newRequest } from '../base/ids.ts';
import { type AgentSide, RequestTrace } from '../caller/caller.ts';
import type { OnProgress } from '../door/door.ts';
import { readInput } from '../tools/tools.ts';
import { type Admin, type OperationName, operations } from './admin.ts';
import { auditOperation, auditRefused } from './audit-operation.ts';
import type { AdminContext, Operation } from './operation.ts';

const never = new AbortController().signal;

/** The user who can open the data folder can do anything with it. */
const owner: Principal = { ...everybody, id: 'owner', name: 'owner' };

/** The owner's own administration: what runs here has every right, unless it is to act on somebody else's behalf. */
export function localAdmin(context: AdminContext, principal: Principal = owner): Admin {
  return {
    run: (name, input, signal = never, onProgress) => {
      const sender = { principal, signal, client: 'toolcrib', onProgress };
      return inRequest(newRequest(), () => runOperation(context, name, input, sender)) as never;
    },
    events: (signal, after) => context.events.read(principal, signal, after),
  };
}

/** The caller of an operation. */
export interface OperationCaller {
  readonly principal: Principal;
  readonly signal: AbortSignal;
  /** The program that they use, as it names itself. */
  readonly client: string;
  readonly onProgress?: OnProgress | undefined;
}

/** Runs the operation, and has it written down in the audit before its answer leaves. */
export async function runOperation(
  context: AdminContext,
  name: OperationName,
  input: unknown,
  sender: OperationCaller,
): Promise<unknown> {
  // The table pairs each schema with its own function; TypeScript cannot follow that through a union.
  const operation = operations[name] as Operation<z.ZodType, unknown>;
  const { principal } = sender;
  if (!isOperation(name, context)) throw switchedOff();
  const { audit = 'administration', scope = 'admin' } = operation;
  const agent = agentByHand(sender);
  const call = { name, audit, input, principal, agent };
  if (!principal.scopes.has(scope)) {
    await auditRefused(context, call);
    throw new GatewayError('ACCESS_DENIED', lackingScope(scope), { data: { scope } });
  }
  return auditOperation(context, call, async () => {
    const checked = readChecked(name, operation.input, input);
    return operation.run({ context, input: checked, principal, agent, signal: sender.signal });
  });
}

/** The trouble with an operation of a part that the owner has not switched on. */
export function switchedOff(): GatewayError {
  return new GatewayError('USAGE', 'The optimizer is switched off.', {
    hint: 'Start the gateway with --enable-optimization, or set "optimize": { "enabled": true } in the config.',
  });
}

/** False for the name of no operation, and for one of a part that is switched off. */
export function isOperation(name: string, context: AdminContext): name is OperationName {
  if (!Object.hasOwn(operations, name)) return false;
  const operation = operations[name as OperationName] as Operation<z.ZodType, unknown>;
  return operation.isThere?.(context) ?? true;
}

/** A person at a terminal answers no questions in the middle of a call, and may follow its progress. */
function agentByHand({ principal, signal, client, onProgress }: OperationCaller): AgentSide {
  return {
    era: 'modern',
    capabilities: {},
    session: `principal:${principal.id}`,
    client,
    signal,
    ...(onProgress && { progressToken: 'by-hand' }),
    notify({ method, params }) {
      if (method === 'notifications/progress') onProgress?.(params ?? {});
    },
    trace: new RequestTrace(),
  };
}

/** Wrong input is the caller's mistake and says which part. */
function readChecked(name: string, schema: z.ZodType, input: unknown): unknown {
  const reading = readInput<z.ZodType>(schema, input, 'it');
  if ('mistakes' in reading) {
    throw new GatewayError('USAGE', `Invalid input of "${name}": ${reading.mistakes}.`, {
      hint: `It takes: ${membersOf(schema)}.`,
    });
  }
  return reading.value;
}

/** The members of an operation's input in one line. */
function membersOf(schema: z.ZodType): string {
  return signatureOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })) || 'no members';
}
