/** Whether an address may be dialled for a URL, judged when the connection is made, on the very address that is then used. */

import { type LookupAddress, type LookupOptions, lookup as resolveName } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type AddressKind, kindOfAddress } from './dial-guard-addresses.ts';
import { isWrittenPrivate, PrivateHosts, plainHost } from './dial-guard-hosts.ts';

export interface DialPolicy {
  /** Why this address must not be dialled for this URL, as a full sentence; undefined: it may. */
  faultOf(url: URL, address: string): string | undefined;
}

/** The error of a connection that was not made because a policy refused it. */
export class DialRefusedError extends Error {
  readonly code = 'ERR_DIAL_REFUSED';

  constructor(message: string) {
    super(message);
    this.name = 'DialRefusedError';
  }
}

/** For URLs that the owner wrote: they may lead to private places where the way they are written says so. */
export function ownerPolicy(privateHosts: readonly string[], ownerUrl: URL): DialPolicy {
  const hosts = new PrivateHosts(privateHosts);
  return {
    faultOf: (url, address) =>
      url.origin === ownerUrl.origin
        ? ownerFault(hosts, url, address)
        : `"${url.origin}" was not asked, because the address that was configured is "${ownerUrl.origin}".`,
  };
}

/** For URLs that somebody else named, such as a server's metadata: the public network by https, and what the owner named. */
export function foundPolicy(privateHosts: readonly string[], ownerUrl: URL): DialPolicy {
  const hosts = new PrivateHosts(privateHosts);
  return {
    faultOf: (url, address) =>
      url.origin === ownerUrl.origin ? ownerFault(hosts, url, address) : foundFault(hosts, url, address),
  };
}

function ownerFault(hosts: PrivateHosts, url: URL, address: string): string | undefined {
  const kind = kindOfAddress(address);
  if (kind === 'public' || hosts.hasAddress(url, address)) return undefined;
  if (kind === 'special') return refusal(url, address, kind, address);
  if (isWrittenPrivate(url) || hosts.hasHost(url)) return undefined;
  return refusal(url, address, kind, url.hostname);
}

function foundFault(hosts: PrivateHosts, url: URL, address: string): string | undefined {
  const kind = kindOfAddress(address);
  const isNamed = hosts.hasHost(url);
  if (kind === 'special' && !(isNamed && hosts.hasAddress(url, address))) return refusal(url, address, kind, address);
  if (isNamed) return undefined;
  if (kind !== 'public') return refusal(url, address, kind, url.host);
  if (url.protocol === 'https:') return undefined;
  return `"${url.origin}" was not asked, because it was named by a server and is not https.`;
}

const places: Readonly<Record<Exclude<AddressKind, 'public'>, string>> = {
  loopback: 'this machine itself',
  private: 'a private network',
  special: 'an address that is not meant for servers',
};

function refusal(url: URL, address: string, kind: keyof typeof places, entry: string): string {
  const where = plainHost(url) === address ? `${url.host} is` : `"${url.host}" leads to ${address},`;
  return `${where} ${places[kind]}, and was not asked; if it is meant to be, add ${JSON.stringify(entry)} to "access.privateHosts".`;
}

/** Throws where a URL names an address that must not be dialled. Names are judged when they are resolved, by `guardedLookup`. */
export function checkLiteral(policy: DialPolicy, url: URL): void {
  const host = plainHost(url);
  if (isIP(host) === 0) return;
  const fault = policy.faultOf(url, host);
  if (fault !== undefined) throw new DialRefusedError(fault);
}

/** Resolves one name to addresses, as `dns.lookup` does with `all`. */
export type ResolveName = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * For `lookup` of a request: only addresses that may be dialled come out of it, and the connection is made to one of those,
 * so that a name cannot lead elsewhere between the question and the connection. It is never asked about literal addresses.
 */
export function guardedLookup(policy: DialPolicy, url: URL, resolve: ResolveName = resolveName): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '', 0);
      const faults = found.map(({ address }) => policy.faultOf(url, address));
      const allowed = found.filter((_, index) => faults[index] === undefined);
      const [first] = allowed;
      if (first === undefined) {
        return callback(new DialRefusedError(faults[0] ?? `"${url.host}" leads to no address.`), '', 0);
      }
      // Node asks for all of them where it tries several in turn; the type of its callback knows only of one.
      if (options.all) return (callback as unknown as AllCallback)(null, allowed);
      callback(null, first.address, first.family);
    });
  };
}

type AllCallback = (error: null, addresses: readonly LookupAddress[]) => void;
