/** The operations of a gateway that runs in another process, over its API. */

import { type ErrorCode, errorCodes, GatewayError, systemCodeOf } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { version } from '../base/own-program.ts';
import type { Admin } from './admin.ts';

export function connectAdmin(url: string, token: string): Admin {
  return {
    async run(name, input, signal) {
      const response = await post(new URL(`/api/${name}`, url), token, input, signal);
      const body: unknown = await response.json().catch(() => undefined);
      if (response.ok) return body as never;
      throw asTrouble(response.status, body);
    },
  };
}

async function post(url: URL, token: string, input: unknown, signal: AbortSignal | undefined): Promise<Response> {
  try {
    return await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'user-agent': `toolcrib/${version}`,
      },
      body: JSON.stringify(input),
      redirect: 'error',
      signal: signal ?? null,
    });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw new GatewayError(
      'UNREACHABLE',
      `The gateway at ${url.origin} does not answer (${systemCodeOf(error) ?? 'network error'}).`,
      {
        hint: 'Start it: toolcrib start',
        cause: error,
      },
    );
  }
}

function asTrouble(status: number, body: unknown): GatewayError {
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const message = typeof error.message === 'string' ? error.message : `The gateway answered HTTP ${status}.`;
  const fallback: ErrorCode = status === 401 ? 'UNAUTHENTICATED' : status === 403 ? 'ACCESS_DENIED' : 'UNREACHABLE';
  const code = errorCodes.find((item) => item === error.code) ?? fallback;
  const isRefused = status === 401 || status === 403;
  const advice = isRefused ? 'The owner token is needed: unset TOOLCRIB_TOKEN, or put that one into it.' : undefined;
  return new GatewayError(code, message, {
    hint: typeof error.hint === 'string' ? error.hint : advice,
    data: isObject(error.data) ? error.data : undefined,
  });
}
