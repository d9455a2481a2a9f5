/** The request that is being served: an id of ours, and the trace that its sender gave, for everything done on its behalf. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

export interface RequestScope {
  /** Given by us, and given once. */
  readonly id: string;
  /** The sender's `traceparent`, else its `x-request-id`: believed for nothing. */
  readonly trace: string | null;
}

const scopes = new AsyncLocalStorage<RequestScope | undefined>();

/** Characters that are kept of an id that somebody else gave. */
const mostTraceCharacters = 128;
/** W3C trace context; of another version only its beginning has this form. */
const traceparent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?![0-9a-f])/;

/** Everything that `serve` does, also later, belongs to this request; undefined: to none. */
export function inRequest<T>(scope: RequestScope | undefined, serve: () => T): T {
  return scopes.run(scope, serve);
}

/** The request that is served just now; undefined for what the gateway does by itself. */
export function currentRequest(): RequestScope | undefined {
  return scopes.getStore();
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export function newRequest(headers: Headers = {}): RequestScope {
  return { id: randomUUID(), trace: traceIn(headers) };
}

function traceIn({ traceparent: parent, 'x-request-id': given }: Headers): string | null {
  if (typeof parent === 'string' && traceparent.test(parent)) return parent.slice(0, mostTraceCharacters);
  // Other characters of a header are no part of an id, and would only get in the way where it is printed.
  const id = typeof given === 'string' ? given.replace(/[^\x21-\x7e]/g, '').slice(0, mostTraceCharacters) : '';
  return id === '' ? null : id;
}
