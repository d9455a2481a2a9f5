/** The cookie of a signed-in browser. A request that comes with it must show that a page of ours sent it. */

import type { IncomingMessage } from 'node:http';
import { limits } from '../config/config.ts';
import { countOf } from './check-origin.ts';
import type { Sender } from './sender.ts';

/** A browser takes a name with this prefix only from an encrypted connection, for the whole host and for no other. */
const secureName = '__Host-toolcrib';

const safeMethods: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

export function cookieOf(request: IncomingMessage): string | undefined {
  const wanted = new Set([secureName, plainName(request)]);
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const at = part.indexOf('=');
    if (at !== -1 && wanted.has(part.slice(0, at).trim())) return part.slice(at + 1).trim();
  }
  return undefined;
}

/** The header that gives a browser its cookie, or takes it away again. */
export function setCookie(request: IncomingMessage, { isHttps }: Sender, secret: string | null): string {
  const name = isHttps ? secureName : plainName(request);
  const lifetime = secret === null ? 0 : Math.floor(limits.browserMs / 1_000);
  const rest = `Max-Age=${lifetime}; Path=/; HttpOnly; SameSite=Strict${isHttps ? '; Secure' : ''}`;
  return `${name}=${secret ?? ''}; ${rest}`;
}

/** Why a request is refused although its cookie is valid; undefined if it is not. */
export function sameOriginFault(request: IncomingMessage, { isHttps }: Sender): string | undefined {
  const site = request.headers['sec-fetch-site'];
  if (safeMethods.has(request.method))
    return site === undefined || site === 'same-origin' || site === 'none' ? undefined : crossSite;
  const { origin, host } = request.headers;
  const isSame = origin === `${isHttps ? 'https' : 'http'}://${host}` && countOf(request, 'origin') === 1;
  const isClaimed = site === 'same-origin' && origin === undefined;
  return isSame || isClaimed ? undefined : crossSite;
}

const crossSite = 'Only pages of this gateway can use a signed-in browser.';

/** Browsers keep cookies by host, not by port: two gateways on one machine must not take each other's. */
function plainName({ socket }: IncomingMessage): string {
  return `toolcrib-${socket.localPort}`;
}
