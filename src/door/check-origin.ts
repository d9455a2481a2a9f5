/** Host and Origin: a web page must not reach a local gateway through a name it controls. */

import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';

/** Why a request is refused, or undefined when it may pass. `allowedHosts` are names besides loopback. */
export function originFault(request: IncomingMessage, allowedHosts: ReadonlySet<string>): string | undefined {
  const host = request.headers.host;
  if (host === undefined || countOf(request, 'host') !== 1) return 'The request needs exactly one Host header.';
  const name = hostNameOf(host);
  if (name === undefined || !isAllowed(name, allowedHosts))
    return 'This host name is not allowed. To allow it, add it to "access.allowedHosts" in the config.';
  const origin = request.headers.origin;
  if (origin === undefined) return undefined;
  const from = originNameOf(origin);
  if (from === undefined || !isAllowed(from, allowedHosts)) return 'Requests from this origin are not allowed.';
  return undefined;
}

/** A host as people write it, in the one form in which a Host header names it: lower case, IPv6 short and in brackets. */
export function normalHost(host: string): string {
  const name = host.trim().toLowerCase();
  const bare = name.replace(/^\[(.*)\]$/, '$1');
  // URL knows the short form; a zone (fe80::1%eth0) is none that it knows, and is no part of a Host header.
  return isIPv6(bare) && !bare.includes('%') ? new URL(`http://[${bare}]`).hostname : name;
}

/** True for this machine itself, however it is written. */
export function isLoopback(host: string): boolean {
  const name = normalHost(host);
  return name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'));
}

function isAllowed(name: string, allowedHosts: ReadonlySet<string>): boolean {
  return isLoopback(name) || allowedHosts.has(name);
}

const largestPort = 65_535;

/** The name of a Host header without its port, in lower case. */
export function hostNameOf(host: string): string | undefined {
  const [, name, port = '1'] = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]{1,253})(?::(\d{1,5}))?$/.exec(host) ?? [];
  return Number(port) >= 1 && Number(port) <= largestPort ? name?.toLowerCase() : undefined;
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
