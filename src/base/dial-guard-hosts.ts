/** The owner's list of hosts that may lead into private networks (`access.privateHosts`), and names that say so by themselves. */

import { BlockList, isIP } from 'node:net';

/** `host`, `*.host`, an address or a range of addresses, each perhaps with a port. */
interface Entry {
  readonly port: string | null;
  matchesHost(host: string): boolean;
  matchesAddress(address: string): boolean;
}

export class PrivateHosts {
  readonly #entries: readonly Entry[];

  /** Entries that cannot be read are left out: the config has told about them. */
  constructor(written: readonly string[]) {
    this.#entries = written.map(readEntry).filter((entry) => entry !== null);
  }

  /** Whether the list names the host of a URL, as it is written there. */
  hasHost(url: URL): boolean {
    const host = plainHost(url);
    return this.#at(url).some((entry) => entry.matchesHost(host) || (isIP(host) > 0 && entry.matchesAddress(host)));
  }

  /** Whether the list names the address that the host of a URL leads to. */
  hasAddress(url: URL, address: string): boolean {
    return this.#at(url).some((entry) => entry.matchesAddress(address));
  }

  #at(url: URL): Entry[] {
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    return this.#entries.filter((entry) => entry.port === null || entry.port === port);
  }
}

/** Whether an entry of the list can be read. */
export function isPrivateHostEntry(written: string): boolean {
  return readEntry(written) !== null;
}

/** Ends of names that are never given out in the public name system, or mean this machine or network by custom. */
const privateEnds = ['local', 'internal', 'lan', 'home.arpa', 'localhost', 'test', 'corp', 'intranet'];

/** Whether the way a host is written says by itself that it is near: an address, or a name that no public name system knows. */
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
