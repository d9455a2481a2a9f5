/** Stage: the call itself, over the server's link. */

import { GatewayError } from '../base/errors.ts';
import { paramHeadersFor, paramHeadersOf } from '../protocol/headers.ts';
import { type Result, RpcError, rpcCodes } from '../protocol/messages.ts';
import { releaseLong } from '../results/results.ts';
import { changedMeanwhile, checkAuthorized } from './authorize-call.ts';
import type { Call, Stage } from './call.ts';
import type { Forwarder } from './forward.ts';
import { checkedCall } from './validate-arguments.ts';

/** `onAbandoned`: the agent was asked something and never came back. */
export function sendCall(
  forwarder: Forwarder,
  onAbandoned: (call: Call, error: GatewayError, workedMs: number) => void,
): Stage {
  return async (call) => {
    const forwarded = forwarder.forward(
      {
        server: call.server,
        method: 'tools/call',
        params: call.params,
        timeoutMs: call.timeoutMs,
        headers: headersOf(call),
        recheck: () => checkAgain(call),
        principal: call.principal.id,
        // A result that stays whole has to fit into the memory.
        takesLong: call.maxResultBytes !== null,
        wantsProgress: call.way !== 'plain',
        onAbandoned: (error, workedMs) => onAbandoned(call, error, workedMs),
      },
      call.agent,
    );
    return call.way === 'chain' ? unasked(call, forwarded) : forwarded;
  };
}

/** Nobody could go on with a conversation: a program has one answer for each call. That is neither the tool's fault nor the agent's. */
async function unasked(call: Call, forwarded: Promise<Result>): Promise<Result> {
  const wasUnasked = () => call.agent.ask === undefined && (call.agent.unasked?.length ?? 0) > 0;
  try {
    const result = await forwarded;
    if (result.resultType !== 'input_required' && !(result.isError === true && wasUnasked())) return result;
    releaseLong(result);
  } catch (error) {
    const isLack = error instanceof RpcError && error.code === rpcCodes.missingCapability;
    if (!wasUnasked() && !(isLack && call.agent.ask === undefined)) throw error;
  }
  const message = `Tool "${call.key}" asks its caller a question, and a program cannot answer it.`;
  throw new GatewayError('TOOL_FAILED', message, {
    hint: `Call it by itself: tool_execute ${JSON.stringify({ toolKey: call.key })} with the same arguments, or directly.`,
    cause: new RpcError(rpcCodes.methodNotFound, message, { reason: 'agent-capability' }),
    data: { reason: 'agent-capability', tool: call.key },
  });
}

/** Arguments that the tool's schema wants repeated as HTTP headers; other transports ignore them. */
function headersOf(call: Call): Record<string, string> | undefined {
  const headers = paramHeadersOf(call.definition);
  return headers.length === 0 ? undefined : paramHeadersFor(headers, call.params.arguments);
}

/** Throws where it may not be made any more, or does not fit the tool as it is now. */
export function checkAgain(call: Call): void {
  const { permission, hold, definition, fingerprint } = call.standing();
  checkAuthorized({ ...call, permission, hold });
  // Nobody was asked yet.
  if (permission === 'ask' && call.permission !== 'ask') throw changedMeanwhile(call);
  if (fingerprint === call.fingerprint) return;
  // Somebody approved the call of the tool that it was.
  if (call.permission === 'ask') throw changedMeanwhile(call);
  if (call.way === 'plain') return;
  const checked = checkedCall({ ...call, definition, isRenewed: true });
  // Its arguments fit only when they are corrected, and headers were made of them as they are.
  if (checked.params !== call.params) throw changedMeanwhile(call);
}
