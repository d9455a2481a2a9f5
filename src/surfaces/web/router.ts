/** Where the page is: the part of the address behind `#`, such as `#/servers/git?tab=tools`. */

import { useLayoutEffect, useState } from 'preact/hooks';

export interface PageAddress {
  /** The first part of the path: which page. */
  readonly page: string;
  /** The rest: of what. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

function readAddress(): PageAddress {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [page = '', ...parts] = path.split('/').map(decodePart);
  return { page, parts: parts.filter((part) => part !== ''), query: new URLSearchParams(query) };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a page, for links: `pageLink(['servers', 'git'], { tab: 'tools' })`. */
export function pageLink(parts: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const search = new URLSearchParams(given).toString();
  // Half a character in a tool's name cannot be part of an address.
  const path = parts.map((part) => encodeURIComponent(part.toWellFormed())).join('/');
  return `#/${path}${search === '' ? '' : `?${search}`}`;
}

export function goTo(parts: readonly string[], query?: Readonly<Record<string, string | undefined>>): void {
  location.hash = pageLink(parts, query);
}

/** Changes the query of the page that is shown, without a step in the history. */
export function setQuery(change: Readonly<Record<string, string | undefined>>): void {
  const { page, parts, query } = readAddress();
  const link = pageLink([page, ...parts], { ...Object.fromEntries(query), ...change });
  history.replaceState(null, '', link);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

export function useAddress(): PageAddress {
  const [address, setAddress] = useState(readAddress);
  useLayoutEffect(() => {
    const onChange = () => setAddress(readAddress());
    addEventListener('hashchange', onChange);
    return () => removeEventListener('hashchange', onChange);
  }, []);
  return address;
}
