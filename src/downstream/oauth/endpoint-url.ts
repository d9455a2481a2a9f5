/** Addresses that others name for a sign-in: only those that may be asked, or shown to a browser, at all. */

import { isIP } from 'node:net';
import { kindOfAddress, PrivateHosts, plainHost } from '../../base/dial-guard.ts';

/** A host without anything that a program further on might take for something else. */
const plainName = /^(?:[a-z0-9_-]+\.)*[a-z0-9_-]+$/;

/** The URL, or undefined: it must be https, or http on this machine, without user name, password or fragment. */
export function readEndpoint(text: unknown): URL | undefined {
  if (typeof text !== 'string' || text.length > 4_096 || /[\s\u0000-\u001f\u007f-\u009f]/.test(text)) return undefined;
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
  const host = plainHost(url);
  if (isIP(host) === 0 && !plainName.test(host)) return undefined;
  if (url.protocol === 'https:') return url;
  return url.protocol === 'http:' && isLoopbackHost(host) ? url : undefined;
}

/** True if a token may travel to a server: nobody on the way can read it, or the owner calls the host private. */
export function isConfidential(serverUrl: URL, privateHosts: readonly string[]): boolean {
  if (serverUrl.protocol === 'https:' || isLoopbackHost(plainHost(serverUrl))) return true;
  return new PrivateHosts(privateHosts).hasHost(serverUrl);
}

function isLoopbackHost(host: string): boolean {
  if (isIP(host) > 0) return kindOfAddress(host) === 'loopback';
  return host === 'localhost' || host.endsWith('.localhost');
}
