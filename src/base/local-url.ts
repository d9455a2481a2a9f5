/** Addresses of a gateway that listens on all addresses of its machine: the one that it prints stands for all and leads nowhere. */

import { isIPv4 } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';

const everyAddress = /\/\/(0\.0\.0\.0|\[::\])(?=:)/;

/** True for an address that stands for all: followed from another machine it leads to that one. */
export function isEveryAddress(url: string): boolean {
  return ['0.0.0.0', '[::]'].includes(new URL(url).hostname);
}

/** The address for programs on the gateway's machine. */
export function localUrlOf(listening: string): string {
  return listening.replace(everyAddress, '//127.0.0.1');
}

/** The address for programs on others: the first outside one, IPv4 before IPv6. null where it is no other, or there is none. */
export function outsideUrlOf(
  listening: string,
  interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>,
): string | null {
  const [, host] = everyAddress.exec(listening) ?? [];
  if (host === undefined) return null;
  const outside = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    // An address that holds on one cable only needs the name of the cable as well.
    .filter(({ internal, address }) => !internal && !/^(fe80:|169\.254\.)/i.test(address))
    .map(({ address }) => address);
  const best = outside.find((address) => isIPv4(address)) ?? (host === '[::]' ? outside[0] : undefined);
  return best === undefined ? null : listening.replace(host, isIPv4(best) ? best : `[${best}]`);
}
