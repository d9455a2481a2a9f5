/** Serves the pages, and lets browsers in and out. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AccessControl } from '../access/access.ts';
import type { AuditLog } from '../audit/audit.ts';
import { type Authenticator, type CallerIdentity, unauthenticated } from './authenticate.ts';
import { cookieOf, setCookie } from './cookies.ts';
import { homePage, pageHeaders, signedInPage, signedOutPage } from './pages.ts';
import { HttpError } from './read-request.ts';
import type { Route } from './routes.ts';
import type { Sender } from './sender.ts';

interface PageRequest {
  readonly route: Route;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly sender: Sender;
  readonly access: AccessControl;
  readonly audit: Pick<AuditLog, 'record'>;
}

export function serveHome(
  { request, response }: Pick<PageRequest, 'request' | 'response'>,
  { principal, cookie }: CallerIdentity,
): void {
  if (!principal) throw unauthenticated();
  const html = homePage(principal, cookie !== undefined);
  response.writeHead(200, { ...pageHeaders, 'content-length': Buffer.byteLength(html) });
  response.end(request.method === 'HEAD' ? undefined : html);
}

/** The code works once, whatever becomes of the answer. */
export function serveSignIn(visit: PageRequest, authenticator: Authenticator): void {
  const { route, request, response, sender, access, audit } = visit;
  const code = route.query.get('code') ?? '';
  if (code === '') throw unauthenticated();
  if (isPrefetch(request)) throw new HttpError(503, 'A sign-in link must be opened by a person, not prefetched.');
  const secret = access.signIns.redeem(code);
  const principal = secret === undefined ? undefined : access.signIns.find(secret);
  if (secret === undefined || !principal) throw authenticator.refused(sender);
  const before = cookieOf(request);
  if (before !== undefined) access.signIns.end(before);
  void audit.record({ kind: 'access', action: 'browser.sign-in', principal, outcome: 'ok', detail: addressIn(sender) });
  response.writeHead(200, { ...pageHeaders, 'set-cookie': setCookie(request, sender, secret), refresh: '0; url=/' });
  response.end(signedInPage);
}

/** Browsers fetch pages that might be opened next, and say so; after a refusal they fetch them again when they are opened. */
function isPrefetch({ headers }: IncomingMessage): boolean {
  return [headers['sec-purpose'], headers.purpose].some((purpose) => /\bprefetch\b/i.test(String(purpose)));
}

export function serveSignOut(visit: PageRequest, { principal, cookie }: CallerIdentity): void {
  const { request, response, sender, access, audit } = visit;
  if (cookie !== undefined) access.signIns.end(cookie);
  if (principal)
    void audit.record({
      kind: 'access',
      action: 'browser.sign-out',
      principal,
      outcome: 'ok',
      detail: addressIn(sender),
    });
  response.writeHead(200, { ...pageHeaders, 'set-cookie': setCookie(request, sender, null) }).end(signedOutPage);
}

function addressIn({ address }: Sender): { readonly address: string } {
  return { address };
}
