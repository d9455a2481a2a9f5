/** Stage: the call itself, over the server's link. */

import { isObject } from '../base/json.ts';
import { type ParamHeader, paramHeadersFor, scanParamHeaders } from '../protocol/param-headers.ts';
import type { Call, Stage } from './call.ts';
import type { Forwarder } from './forward.ts';

const scans = new WeakMap<object, readonly ParamHeader[]>();

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
      },
      call.agent,
    );
}

/** Arguments that the tool's schema wants repeated as HTTP headers; other transports ignore them. */
function headersOf(call: Call): Record<string, string> | undefined {
  let headers = scans.get(call.definition);
  if (!headers) {
    const scan = isObject(call.definition.inputSchema)
      ? scanParamHeaders(call.definition.inputSchema)
      : { headers: [] };
    headers = 'headers' in scan ? scan.headers : [];
    scans.set(call.definition, headers);
  }
  return headers.length === 0 ? undefined : paramHeadersFor(headers, call.params.arguments);
}
