/** The few pages of the gateway itself, and browsers that sign in and out: plain text and one button, no scripts, nothing from anywhere else. */

import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AccessControl, Principal } from '../access/access.ts';
import type { AuditLog } from '../audit/audit.ts';
import { commandAnywhere } from '../base/own-program.ts';
import { type Authenticator, type CallerIdentity, cookieOf, setCookie, unauthenticated } from './authenticate.ts';
import { HttpError } from './exchange.ts';
import type { Route } from './routes.ts';
import type { Sender } from './sender.ts';

interface PageRequest {
  readonly route: Route;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly sender: Sender;
  readonly access: Pick<AccessControl, 'signIns'>;
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
export function serveSignIn(incoming: PageRequest, authenticator: Authenticator): void {
  const { route, request, response, sender, access, audit } = incoming;
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

export function serveSignOut(incoming: PageRequest, { principal, cookie }: CallerIdentity): void {
  const { request, response, sender, access, audit } = incoming;
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

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}' +
  'code{font:0.95em ui-monospace,monospace}button{font:inherit;padding:0.25rem 0.75rem}';

/** A page can load nothing, run nothing, be framed by nobody, and send forms only to where it came from. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  // With "no-referrer" browsers would not say that the button to sign out was ours.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
};

function homePage({ name, scopes }: Principal, isSignedIn: boolean): string {
  const who = isSignedIn
    ? `<p>You are signed in as <strong>${escapeHtml(name)}</strong> (${escapeHtml([...scopes].join(', '))}).</p>`
    : `<p>You are here as <strong>${escapeHtml(name)}</strong>.</p>`;
  const out = isSignedIn ? '<form method="post" action="/sign-out"><button>Sign out</button></form>' : '';
  return page(
    'Toolcrib',
    `${who}
<p>The API is described in <a href="/api/openapi.json">/api/openapi.json</a>.
Everything else needs a token, or the command line: <code>${escapeHtml(commandAnywhere())} help</code>.</p>
${out}`,
  );
}

/** Goes to the home page by itself: a browser that came from elsewhere sends its new cookie only from a page of ours. */
const signedInPage = page('Signed in', '<p>You are signed in. <a href="/">Go on</a>.</p>');

const signedOutPage = page('Signed out', '<p>You are signed out.</p>');

const headings: Readonly<Record<number, string>> = {
  401: 'Not signed in',
  403: 'Not allowed',
  429: 'Too many tries',
};

export function refusalPage(status: number, message: string): string {
  // Strangers read this too, and must not learn in which folder the program lies.
  const advice =
    status === 401
      ? `<p>Run <code>toolcrib sign-in</code> at the command line and open the link that it prints.
The link works once, for a few minutes.</p>`
      : `<p>${escapeHtml(message)}</p>`;
  return page(headings[status] ?? 'Toolcrib', advice);
}

export function messagePage(title: string, message: string): string {
  return page(title, `<p>${escapeHtml(message)}</p>`);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
<h1>${escapeHtml(title)}</h1>
${body}
</html>
`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
