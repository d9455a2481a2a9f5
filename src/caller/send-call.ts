/** Stage: the call itself, over the server's link. */

import { paramHeadersFor, paramHeadersOf } from '../protocol/param-headers.ts';
import type { Call, Stage } from './call.ts';
import type { Forwarder } from './forward.ts';

export function sendCall(forwarder: Forwarder): Stage {
  return (call) =>
    forwarder.forward(
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
      },
      call.agent,
    );
}

/** Arguments that the tool's schema wants repeated as HTTP headers; other transports ignore them. */
function headersOf(call: Call): Record<string, string> | undefined {
  const headers = paramHeadersOf(call.definition);
  return headers.length === 0 ? undefined : paramHeadersFor(headers, call.params.arguments);
}
