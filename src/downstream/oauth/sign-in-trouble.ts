/** Trouble with signing in to servers, each with what its owner can do. */

import { GatewayError, messageOf } from '../../base/errors.ts';
import { redactText } from '../../base/redact.ts';
import { cutAtWord, printable } from '../../base/text.ts';

const longestWords = 200;

/** Words of a server or issuer, short and printable enough for a sentence of ours. */
export function quotedWords(text: string): string {
  return cutAtWord(redactText(printable(text)), longestWords);
}

export function signInNeeded(server: string): GatewayError {
  return new GatewayError('SERVER_NOT_RUNNING', `Server "${server}" asks for a sign-in. Run: toolcrib auth ${server}`, {
    hint: `Run: toolcrib auth ${server}. If it wants a key instead, give it under "headers" in the config.`,
    data: { reason: 'sign-in' },
  });
}

/** Nothing secret is sent where everybody on the way could read it. */
export function signInUnsafe(server: string, { host }: URL): GatewayError {
  const what = `Server "${server}" asks for a sign-in, but is reached by plain http, where others could read the token.`;
  return new GatewayError('SERVER_NOT_RUNNING', what, {
    hint: `Use its https address. If the network to it is trusted, add ${JSON.stringify(host)} to "access.privateHosts".`,
    data: { reason: 'credential' },
  });
}

/** The link is fine: only what was asked for needs more rights than the sign-in brought. */
export function moreScopesNeeded(server: string, scopes: readonly string[]): GatewayError {
  const what = `Server "${server}" wants more rights than were granted${listed(scopes)}.`;
  return new GatewayError('APPROVAL_NEEDED', `${what} Run: toolcrib auth ${server}`, {
    hint: `The owner can grant them: toolcrib auth ${server}`,
    data: { reason: 'scope', isSignInWorthwhile: true },
  });
}

/** Another sign-in would ask for the same once more. */
export function scopesRefused(server: string, scopes: readonly string[]): GatewayError {
  const what = `Server "${server}" refuses this although the sign-in asked for all rights that it names${listed(scopes)}.`;
  return new GatewayError('ACCESS_DENIED', what, {
    hint: `The account may lack them: sign in with another one by toolcrib auth ${server}`,
    data: { reason: 'scope', isSignInWorthwhile: false },
  });
}

function listed(scopes: readonly string[]): string {
  return scopes.length === 0 ? '' : ` (${quotedWords(scopes.join(' '))})`;
}

/** Nothing is lost: the credential is kept, and renewing it is tried again. */
export function renewalFailed(server: string, why: string, cause: unknown): GatewayError {
  return new GatewayError('SERVER_NOT_RUNNING', `The sign-in to server "${server}" could not be renewed: ${why}`, {
    hint: 'Toolcrib tries again by itself and keeps the sign-in.',
    cause,
    data: { reason: 'renewal' },
  });
}

/** Nothing is lost: the browser can bring the same once more. */
export function tooManyReturns(): GatewayError {
  return new GatewayError('RATE_LIMITED', 'Too many browsers come back from sign-ins at once.', {
    hint: 'Reload the page in a moment.',
  });
}

const unreadable = 'sign-in-unreadable';

/** What is kept cannot be unsealed: the store is fine, and another look finds the same. */
export function signInUnreadable(server: string, cause: unknown): GatewayError {
  const what = `The stored sign-in to server "${server}" cannot be read: ${messageOf(cause)}`;
  const hint = cause instanceof GatewayError ? cause.hint : undefined;
  return new GatewayError('STORE_BROKEN', what, { hint, cause, data: { reason: unreadable } });
}

export function isUnreadable(error: unknown): boolean {
  return error instanceof GatewayError && error.data?.reason === unreadable;
}

/** A sign-in cannot begin or did not end well. */
export function signInFailed(server: string, why: string, options: { hint?: string; cause?: unknown } = {}) {
  return new GatewayError('SERVER_NOT_RUNNING', `The sign-in to server "${server}" failed: ${why}`, {
    ...options,
    data: { reason: 'oauth' },
  });
}
