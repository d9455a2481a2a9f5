/** Stage: the call itself, over the server's link. */

import type { GatewayError } from '../base/errors.ts';
import { RpcError, rpcCodes } from '../protocol/messages.ts';
import { paramHeadersFor, paramHeadersOf } from '../protocol/param-headers.ts';
import type { Call, Stage } from './call.ts';
import type { Forwarder } from './forward.ts';

/** `onAbandoned`: the agent was asked something and never came back. */
export function sendCall(
  forwarder: Forwarder,
  onAbandoned: (call: Call, error: GatewayError, workedMs: number) => void,
): Stage {
  return async (call) => {
    const result = await forwarder.forward(
      {
        server: call.server,
        method: 'tools/call',
        params: call.params,
        timeoutMs: call.timeoutMs,
        headers: headersOf(call),
        principal: call.principal.id,
        // A result that stays whole has to fit into the memory.
        takesLong: call.maxResultBytes !== null,
        wantsProgress: call.way !== 'plain',
        onAbandoned: (error, workedMs) => onAbandoned(call, error, workedMs),
      },
      call.agent,
    );
    if (call.way === 'chain' && result.resultType === 'input_required') throw asksProgram();
    return result;
  };
}

/** Nobody could go on with the conversation: a program has one answer for each call. */
function asksProgram(): RpcError {
  const message = 'It asks its caller for more input, which a program cannot give. Call the tool by itself.';
  return new RpcError(rpcCodes.methodNotFound, message, { reason: 'agent-capability' });
}

/** Arguments that the tool's schema wants repeated as HTTP headers; other transports ignore them. */
function headersOf(call: Call): Record<string, string> | undefined {
  const headers = paramHeadersOf(call.definition);
  return headers.length === 0 ? undefined : paramHeadersFor(headers, call.params.arguments);
}
