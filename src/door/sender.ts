/** Where a request comes from: a Host and Origin that may reach a local gateway, and the address and scheme as a trusted front end names them. */

import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

export interface Sender {
  /** The front end's own, where it does not name its client's. */
  readonly address: string;
  /** True if the address is the client's own and not that of a proxy in between. */
  readonly isKnown: boolean;
  /** True if the request came by a front end that may speak for others. */
  readonly isTrusted: boolean;
  /** True for a stdio bridge: it runs on this machine, and speaks for the agent that started it. */
  readonly isBridge: boolean;
}

/** The stdio bridge sends this header, so that no arguments are expected in headers: it does not know which. */
const bridgeHeader = 'x-toolcrib-bridge';

/** Headers that proxies add to a request. */
export const proxyHeaders = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'forwarded',
  'via',
];

/** On a request that another replica passed on: it is answered where it is, whatever it names. */
export const passedHeader = 'x-toolcrib-passed-on';

/** True for a request that another replica passed on. A page of somebody else can't send the header: browsers would ask us first. */
export function isPassedOn({ headers }: IncomingMessage): boolean {
  return headers[passedHeader] !== undefined;
}

/**
 * True if a request comes from this machine: by loopback, or by an address of its own to that same address. A request that
 * came through a proxy does not, unless a trusted front end says so.
 */
export function isFromHere(request: IncomingMessage, { address, isKnown, isTrusted }: Sender): boolean {
  // The other replica may be on another machine, and its forwarding headers were left out.
  if (isPassedOn(request)) return false;
  if (isTrusted && isKnown) return isLoopback(address);
  const own = plainAddress(request.socket.localAddress ?? '');
  const isNear = isLoopback(address) || (!isTrusted && address !== '' && address === own);
  return isNear && !proxyHeaders.some((header) => header in request.headers) && namesThisMachine(request, own);
}

/** A front end that adds nothing passes on at least the name by which it was called. */
function namesThisMachine({ headers }: IncomingMessage, own: string): boolean {
  const name = hostNameOf(headers.host ?? '');
  // A gateway that listens on all addresses prints one of these as its own.
  return name !== undefined && (isLoopback(name) || [normalHost(own), '0.0.0.0', '[::]'].includes(name));
}

export class FrontEnds {
  readonly #named: () => readonly string[];
  /** Made once for each config. */
  #known: { readonly from: readonly string[]; readonly list: BlockList } | undefined;

  /** `named`: addresses, or networks such as 10.0.0.0/8. */
  constructor(named: () => readonly string[]) {
    this.#named = named;
  }

  /** Reads forwarding headers only from a trusted front end: anybody else can write them, too. */
  senderOf(request: IncomingMessage): Sender {
    const address = plainAddress(request.socket.remoteAddress ?? '');
    const isBridge = request.headers[bridgeHeader] === 'stdio' && isLoopback(address);
    if (!this.#isTrusted(address)) return { address, isKnown: true, isTrusted: false, isBridge };
    const named = addressIn(lastOf(request.headers['x-forwarded-for']));
    return { address: named ?? address, isKnown: named !== undefined, isTrusted: true, isBridge };
  }

  #isTrusted(address: string): boolean {
    const from = this.#named();
    if (from.length === 0 || isIP(address) === 0) return false;
    if (this.#known?.from !== from) this.#known = { from, list: listOf(from) };
    return this.#known.list.check(address, familyOf(address));
  }
}

/** True if everything that runs on this machine counts as a front end: other programs cannot be told apart. */
export function trustsThisMachine(named: readonly string[]): boolean {
  const list = listOf(named);
  return list.check('127.0.0.1', 'ipv4') || list.check('::1', 'ipv6');
}

/** The key under which a sender is counted: the owner of an IPv6 network has all of its addresses. */
export function countedAddress(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.toLowerCase().split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...(tail === undefined ? [] : zeros), ...after].slice(0, 4).join(':');
}

/** Some front ends write the port of the sender as well, and IPv6 in brackets. */
function addressIn(named: string): string | undefined {
  const [, inBrackets, beforePort] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(named) ?? [];
  if (inBrackets !== undefined && !isIPv6(inBrackets)) return undefined;
  const address = inBrackets ?? beforePort ?? named;
  return isIP(address) === 0 ? undefined : plainAddress(address);
}

/** An address of the old kind that came in by a socket of the new one. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}

/** Behind several hops only the last one was written by somebody we know. */
function lastOf(header: string | string[] | undefined): string {
  return [header ?? ''].flat().join(',').split(',').at(-1)?.trim() ?? '';
}

function listOf(named: readonly string[]): BlockList {
  const list = new BlockList();
  for (const item of named) {
    const [address = '', prefix] = item.split('/', 2);
    if (isIP(address) === 0) continue;
    const bits = prefix === undefined ? undefined : Number(prefix);
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else if (Number.isInteger(bits) && bits >= 0 && bits <= (isIPv6(address) ? 128 : 32))
      list.addSubnet(address, bits, familyOf(address));
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

/**
 * Why a request is refused, or undefined when it may pass. `allowedHosts` are names besides loopback. The very address that the
 * request came in by is allowed too: no page of a stranger can have it as its own name.
 */
export function originFault(request: IncomingMessage, allowedHosts: ReadonlySet<string>): string | undefined {
  const host = request.headers.host;
  if (host === undefined || countOf(request, 'host') !== 1) return 'The request needs exactly one Host header.';
  const name = hostNameOf(host);
  const here = normalHost(plainAddress(request.socket.localAddress ?? ''));
  const isAllowed = (named: string) => isLoopback(named) || named === here || allowedHosts.has(named);
  if (name === undefined || !isAllowed(name))
    return 'This host name is not allowed. To allow it, add it to "access.allowedHosts" in the config.';
  const origin = request.headers.origin;
  if (origin === undefined) return undefined;
  const from = originNameOf(origin);
  if (from === undefined || !isAllowed(from))
    return 'Requests from this origin are not allowed. To allow it, add its host to "access.allowedHosts" in the config.';
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

const largestPort = 65_535;

/** The name of a Host header without its port, in lower case. */
function hostNameOf(host: string): string | undefined {
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
