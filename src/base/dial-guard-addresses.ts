/** What kind of place an address leads to: the public network, this machine, a private network, or somewhere nobody should be sent. */

import { BlockList, isIP } from 'node:net';

/** `special`: link-local, unspecified, multicast, broadcast, reserved, and where clouds answer about the machine itself. */
export type AddressKind = 'public' | 'loopback' | 'private' | 'special';

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

/** In the order of the questions: the first list that holds an address decides. */
const lists: readonly (readonly [AddressKind, BlockList])[] = [
  ['loopback', listOf(loopback)],
  ['special', listOf(special, [...loopback, ...privateRanges, ...special])],
  ['private', listOf(privateRanges)],
];

export function kindOfAddress(address: string): AddressKind {
  const family = isIP(address);
  // What cannot be read as an address is nothing to connect to.
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
