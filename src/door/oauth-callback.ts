/** Where a browser comes back to after a sign-in to a server, and where authorization servers look us up. Both are open to everybody. */

import type { ServerResponse } from 'node:http';
import { GatewayError } from '../base/errors.ts';
import type { ReturnVisit, SignInDesk } from '../downstream/downstream.ts';
import { messagePage, pageHeaders } from './pages.ts';

/** The address of the page holds a code: it is told to nobody, although it is used up by then. */
const headers = { ...pageHeaders, 'referrer-policy': 'no-referrer' };

/** Only who knows the random state of a sign-in that is under way gets anything done here, and only once. */
export async function serveOauthCallback(
  desk: SignInDesk | null,
  visit: ReturnVisit,
  response: ServerResponse,
): Promise<void> {
  const outcome = await finish(desk, visit);
  if (response.destroyed) return;
  if (typeof outcome === 'string') {
    const text = `Toolcrib is signed in to the server ${outcome}. You can close this page.`;
    response.writeHead(200, headers).end(messagePage('Signed in', text));
  } else {
    const text = `${outcome.message} ${outcome.hint ?? ''}`.trim();
    response.writeHead(400, headers).end(messagePage('The sign-in did not work', text));
  }
}

/** The name of the server, or why there is no sign-in. */
async function finish(desk: SignInDesk | null, visit: ReturnVisit): Promise<string | GatewayError> {
  try {
    if (desk === null) throw new GatewayError('USAGE', 'Nobody can sign in to servers here.');
    const end = await desk.complete(visit);
    return end.trouble ?? end.server;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

export function serveClientDocument(desk: SignInDesk | null, response: ServerResponse): void {
  const document = desk?.clientDocument() ?? null;
  const plain = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' };
  if (document !== null) {
    response.writeHead(200, { ...plain, 'cache-control': 'max-age=300' }).end(JSON.stringify(document));
    return;
  }
  const error = { code: 'USAGE', message: 'This gateway has no public https address ("oauth.publicUrl").' };
  response.writeHead(404, { ...plain, 'cache-control': 'no-store' }).end(JSON.stringify({ error }));
}
