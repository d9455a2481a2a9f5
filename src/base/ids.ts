/** Identifiers: random ones, the id of the request that is being served, and fingerprints of definitions (SHA-256 over canonical JSON). */

import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import canonicalize from 'canonicalize';

/** 128 random bits, URL-safe: cannot be guessed and has no shared prefix. */
export function randomId(): string {
  return randomBytes(16).toString('base64url');
}

/** A random id that names the replica that made it, by its own id; null: there is one gateway. */
export function idAt(replica: string | null): string {
  return replica === null ? randomId() : `${replica}.${randomId()}`;
}

/** Random ids, or the id of a replica and a secret; a handle has a word before them. */
const idWithReplica = /(?:^|\.)([\w-]{22})\.[\w-]{22,64}$/;

/** The replica that made an id; undefined for an id that names none. */
export function replicaOf(id: string): string | undefined {
  return idWithReplica.exec(id)?.[1];
}

/** Without characters that are mistaken for one another. */
const typable = 'abcdefghjkmnpqrstuvwxyz23456789';
const typableLength = 6;
/** With a digit, so that words such as `call_center` stay free for servers. */
const callIdForm = /^call_(?=.*[2-9])[a-hjkmnp-z2-9]{6}$/;

/** A call that waits, for people to type: no secret, and unique among those that are there already. */
export function callId(isTaken: (id: string) => boolean): string {
  for (;;) {
    const id = `call_${Array.from({ length: typableLength }, () => typable[randomInt(typable.length)]).join('')}`;
    if (isCallId(id) && !isTaken(id)) return id;
  }
}

/** No server has such a name. */
export function isCallId(text: string): boolean {
  return callIdForm.test(text);
}

interface RequestScope {
  /** Given by us, and given once. */
  readonly id: string;
  /** The sender's `traceparent`, else its `x-request-id`: believed for nothing. */
  readonly trace: string | null;
  /** The trace that it belongs to, for the log: the sender's, or ours where one is made. */
  traceId: string | undefined;
}

const scopes = new AsyncLocalStorage<RequestScope | undefined>();

/** Characters that are kept of an id that somebody else gave. */
const mostTraceCharacters = 128;
/** W3C trace context; of another version only its beginning has this form. */
const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?![0-9a-f])/;

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
  const trace = traceIn(headers);
  return { id: randomUUID(), trace, traceId: traceparent.exec(trace ?? '')?.[1] };
}

function traceIn({ traceparent: parent, 'x-request-id': given }: Headers): string | null {
  if (typeof parent === 'string' && traceparent.test(parent)) return parent.slice(0, mostTraceCharacters);
  // Other characters of a header are no part of an id, and would only get in the way where it is printed.
  const id = typeof given === 'string' ? given.replace(/[^\x21-\x7e]/g, '').slice(0, mostTraceCharacters) : '';
  return id === '' ? null : id;
}

export function fingerprintOf(definition: unknown): string {
  const { value, mark } = wellFormed(definition);
  return createHash('sha256')
    .update(mark)
    .update(canonicalize(value) ?? '')
    .digest('hex');
}

/** No JSON starts like this, so a rewritten text never reads like one that was not. */
const rewritten = 'lone surrogates ';

/**
 * RFC 8785 knows no lone surrogates, but JSON carries them (half an emoji, where a text was cut): each counts as the
 * six characters of its escape, and a backslash beside them as two, so that no two definitions read the same.
 */
function wellFormed(definition: unknown): { readonly value: unknown; readonly mark: string } {
  const text = JSON.stringify(definition);
  if (text === undefined || !loneSurrogate.test(text)) return { value: definition, mark: '' };
  const escaped = text.replaceAll(/\\(\\|ud[89a-f])/g, (found, rest) => (rest === '\\' ? found + found : `\\${found}`));
  return { value: JSON.parse(escaped), mark: rewritten };
}

/** An escape of JSON, which a backslash before it would make a text. */
const loneSurrogate = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;
