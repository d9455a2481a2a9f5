/** Serves the pages, and lets browsers in and out. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AccessBook } from '../access/access.ts';
import type { AuditBook } from '../audit/audit.ts';
import { type Authenticator, unauthenticated, type Visitor } from './authenticate.ts';
import { cookieOf, setCookie } from './cookies.ts';
import { homePage, pageHeaders, signedInPage, signedOutPage } from './pages.ts';
import type { Route } from './routes.ts';
import type { Sender } from './sender.ts';

export interface PageVisit {
  readonly route: Route;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly access: AccessBook;
  readonly audit: Pick<AuditBook, 'record'>;
}

export function serveHome({ request, response }: PageVisit, { principal, cookie }: Visitor): void {
  if (!principal) throw unauthenticated();
  const html = homePage(principal, cookie !== undefined);
  response.writeHead(200, { ...pageHeaders, 'content-length': Buffer.byteLength(html) });
  response.end(request.method === 'HEAD' ? undefined : html);
}

/** The code is good once, whatever becomes of the answer. */
export function serveSignIn(visit: PageVisit, sender: Sender, authenticator: Authenticator): void {
  const { route, request, response, access, audit } = visit;
  const code = route.query.get('code') ?? '';
  if (code === '') throw unauthenticated();
  const secret = access.signIns.redeem(code);
  const principal = secret === undefined ? undefined : access.signIns.find(secret);
  if (secret === undefined || !principal) throw authenticator.refused(sender);
  const before = cookieOf(request);
  if (before !== undefined) access.signIns.end(before);
  void audit.record({ kind: 'access', action: 'browser.sign-in', principal, outcome: 'ok', detail: addressIn(sender) });
  response.writeHead(200, { ...pageHeaders, 'set-cookie': setCookie(request, sender, secret), refresh: '0; url=/' });
  response.end(signedInPage);
}

export function serveSignOut(visit: PageVisit, { principal, cookie, sender }: Visitor): void {
  const { request, response, access, audit } = visit;
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
