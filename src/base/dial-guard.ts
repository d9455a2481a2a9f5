/** The dial guard: judges each address when the connection is made, and the connection then uses that very address. */

import { type LookupAddress, type LookupOptions, lookup as resolveName } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

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

/** For URLs that the owner wrote: they may lead into private networks where their spelling says so. */
export function ownerPolicy(privateHosts: readonly string[], ownerUrl: URL): DialPolicy {
  const hosts = new PrivateHosts(privateHosts);
  return {
    faultOf: (url, address) =>
      url.origin === ownerUrl.origin
        ? ownerFault(hosts, url, address)
        : `"${url.origin}" was not contacted, because the configured address is "${ownerUrl.origin}".`,
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
  return `"${url.origin}" was not contacted, because a server named it and it is not https.`;
}

const places: Readonly<Record<Exclude<AddressKind, 'public'>, string>> = {
  loopback: 'this machine itself',
  private: 'a private network',
  special: 'an address that is not meant for servers',
};

function refusal(url: URL, address: string, kind: keyof typeof places, entry: string): string {
  const where = plainHost(url) === address ? `${url.host} is` : `"${url.host}" leads to ${address},`;
  return `${where} ${places[kind]}, and was not contacted; to allow it, add ${JSON.stringify(entry)} to "access.privateHosts".`;
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

/** `host`, `*.host`, an address or a range of addresses, each perhaps with a port. */
interface Entry {
  readonly port: string | null;
  matchesHost(host: string): boolean;
  matchesAddress(address: string): boolean;
}

/** The owner's list of hosts that may lead into private networks (`access.privateHosts`). */
export class PrivateHosts {
  readonly #entries: readonly Entry[];

  /** Entries that cannot be read are left out: the config has told about them. */
  constructor(written: readonly string[]) {
    this.#entries = written.map(readEntry).filter((entry) => entry !== null);
  }

  /** True where the list names the host of a URL, as it is written there. */
  hasHost(url: URL): boolean {
    const host = plainHost(url);
    return this.#at(url).some((entry) => entry.matchesHost(host) || (isIP(host) > 0 && entry.matchesAddress(host)));
  }

  /** True where the list names the address that the host of a URL leads to. */
  hasAddress(url: URL, address: string): boolean {
    return this.#at(url).some((entry) => entry.matchesAddress(address));
  }

  #at(url: URL): Entry[] {
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    return this.#entries.filter((entry) => entry.port === null || entry.port === port);
  }
}

export function isPrivateHostEntry(written: string): boolean {
  return readEntry(written) !== null;
}

/** Ends of names that are never given out in the public name system, or mean this machine or network by custom. */
const privateEnds = ['local', 'internal', 'lan', 'home.arpa', 'localhost', 'test', 'corp', 'intranet'];

/** True for a host that is near by its spelling: an address, or a name that public DNS does not know. */
export function isWrittenPrivate(url: URL): boolean {
  const host = plainHost(url);
  if (isIP(host) > 0 || !host.includes('.')) return true;
  return privateEnds.some((end) => host.endsWith(`.${end}`));
}

/** The host of a URL without brackets and without the dot that may end a name. */
export function plainHost(url: URL): string {
  const { hostname } = url;
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '').toLowerCase();
}

const name = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

function readEntry(written: string): Entry | null {
  const text = written.trim().toLowerCase();
  const range = readAddresses(text.replace(/^\[(.*)\]$/, '$1'));
  if (range !== null) return { port: null, ...range };
  const [, host = '', port] = /^(.+):(\d{1,5}|\*)$/.exec(text) ?? [null, text];
  const at = port === undefined || port === '*' ? null : String(Number(port));
  const address = readAddresses(host.replace(/^\[(.*)\]$/, '$1'));
  if (address !== null) return { port: at, ...address };
  const isWild = host.startsWith('*.');
  const plain = (isWild ? host.slice(2) : host).replace(/\.$/, '');
  if (plain.length > 253 || !name.test(plain)) return null;
  const matchesHost = isWild ? (asked: string) => asked.endsWith(`.${plain}`) : (asked: string) => asked === plain;
  return { port: at, matchesHost, matchesAddress: () => false };
}

/** An address or, with `/` and a number of bits, a range of them. */
function readAddresses(text: string): Pick<Entry, 'matchesHost' | 'matchesAddress'> | null {
  const [, address = '', bits] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  if (family === 0) return null;
  const most = family === 4 ? 32 : 128;
  const prefix = bits === undefined ? most : Number(bits);
  if (prefix > most) return null;
  const list = new BlockList();
  list.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
  return {
    matchesHost: () => false,
    matchesAddress: (asked) => isIP(asked) > 0 && list.check(asked, isIP(asked) === 4 ? 'ipv4' : 'ipv6'),
  };
}

/** `special`: link-local, unspecified, multicast, broadcast, reserved, and where clouds answer about the machine itself. */
type AddressKind = 'public' | 'loopback' | 'private' | 'special';

type Range = readonly [address: string, prefix: number];

const loopback: readonly Range[] = [
  ['127.0.0.0', 8],
  ['::1', 128],
];

const privateRanges: readonly Range[] = [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  // Between a provider and its customers; overlay networks use it as well.
  ['100.64.0.0', 10],
  // Meant for measurements; some local proxies answer every name with an address of it.
  ['198.18.0.0', 15],
  ['fc00::', 7],
  ['fec0::', 10],
];

const special: readonly Range[] = [
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Where clouds answer about the machine itself, inside ranges that are otherwise harmless.
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['fd00:ec2::254', 128],
  ['fd20:ce::254', 128],
  // The unspecified address, and IPv4 addresses written into its range in a way that was given up long ago.
  ['::', 96],
  // The same in the form that translators used among themselves.
  ['::ffff:0:0:0', 96],
  ['100::', 64],
  ['2001:db8::', 32],
  ['3fff::', 20],
  ['fe80::', 10],
  ['ff00::', 8],
  // Tunnels that carry an IPv4 address of anybody's choice.
  ['2001::', 32],
  ['2002::', 16],
  ['64:ff9b:1::', 48],
];

/** The prefix under which networks that speak only IPv6 reach IPv4 addresses: those that are not public are not public there. */
const translated = '64:ff9b::';
const translatedPrefix = 96;

/** The first list that holds an address decides. */
const lists: readonly (readonly [AddressKind, BlockList])[] = [
  ['loopback', listOf(loopback)],
  ['special', listOf(special, [...loopback, ...privateRanges, ...special])],
  ['private', listOf(privateRanges)],
];

export function kindOfAddress(address: string): AddressKind {
  const family = isIP(address);
  // Not an address: nothing to connect to.
  if (family === 0) return 'special';
  const found = lists.find(([, list]) => list.check(address, family === 4 ? 'ipv4' : 'ipv6'));
  return found === undefined ? 'public' : found[0];
}

/** A list that also holds the ranges of `carried` where they are translated to IPv6. */
function listOf(ranges: readonly Range[], carried: readonly Range[] = []): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of ranges) list.addSubnet(address, prefix, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  for (const [address, prefix] of carried) {
    if (isIP(address) === 4) list.addSubnet(`${translated}${address}`, translatedPrefix + prefix, 'ipv6');
  }
  return list;
}

/** The authority of a URL as it was written: user information, then the host. */
const written = /^[a-z][a-z0-9+.-]*:[\\/]*(?:[^\\/?#]*@)?(\[[^\]]*\]|[^\\/?#:]*)/i;

/**
 * The plain spelling of an address that a URL writes in another way: as one number, in hexadecimal or octal, with parts
 * missing, or as IPv4 inside IPv6. People who read such a URL see something else than what is dialled.
 */
export function plainSpelling(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return undefined;
  const host = plainHost(url);
  const family = isIP(host);
  if (family === 0) return undefined;
  const carried = family === 6 ? carriedAddress(host) : undefined;
  if (carried !== undefined) return carried;
  const spelled = (written.exec(text)?.[1] ?? '').toLowerCase();
  return family === 6 || spelled === host ? undefined : host;
}

const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/** The IPv4 address in one of the form `::ffff:7f00:1`, which is how URLs are normalised. */
function carriedAddress(host: string): string | undefined {
  const [, high, low] = mapped.exec(host) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const words = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return words.map((word) => `${word >> 8}.${word & 255}`).join('.');
}
