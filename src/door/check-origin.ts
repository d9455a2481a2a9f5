/** Host and Origin: a web page must not reach a local gateway through a name it controls. */

import type { IncomingMessage } from 'node:http';

const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1', '[::1]']);

/** Why a request is refused, or undefined when it may pass. `allowedHosts` are names besides loopback. */
export function originFault(request: IncomingMessage, allowedHosts: ReadonlySet<string>): string | undefined {
  const host = request.headers.host;
  if (host === undefined || countOf(request, 'host') !== 1) return 'The request needs exactly one Host header.';
  const name = hostNameOf(host);
  if (name === undefined || !isAllowed(name, allowedHosts)) return 'This host name is not one of the gateway.';
  const origin = request.headers.origin;
  if (origin === undefined) return undefined;
  const from = originNameOf(origin);
  if (from === undefined || !isAllowed(from, allowedHosts)) return 'Requests from this origin are not allowed.';
  return undefined;
}

export function isLoopback(host: string): boolean {
  return loopbackNames.has(host) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

function isAllowed(name: string, allowedHosts: ReadonlySet<string>): boolean {
  return loopbackNames.has(name) || allowedHosts.has(name);
}

/** The name of a Host header without its port, in lower case. */
function hostNameOf(host: string): string | undefined {
  const match = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]{1,253})(?::\d{1,5})?$/.exec(host);
  return match?.[1]?.toLowerCase();
}

function originNameOf(origin: string): string | undefined {
  const match = /^https?:\/\/([^/]+)$/.exec(origin);
  return match?.[1] === undefined ? undefined : hostNameOf(match[1]);
}

/** How often a header was sent: Node keeps only the first of some headers and does not say so. */
export function countOf(request: IncomingMessage, name: string): number {
  const { rawHeaders } = request;
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at];
    if (header?.length === name.length && header.toLowerCase() === name) count += 1;
  }
  return count;
}
