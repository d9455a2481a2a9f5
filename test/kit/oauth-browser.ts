/** A browser without a window: follows redirects with cookies, the way a person's does who clicks nothing. */

import assert from 'node:assert/strict';

export interface Visit {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

const mostHops = 20;

/** `until`: an address that begins so is not visited any more; it is where the visit ends. */
export async function visit(address: string, until?: string): Promise<Visit> {
  const cookies = new Map<string, Map<string, string>>();
  let url = new URL(address);
  for (let hop = 0; hop < mostHops; hop += 1) {
    if (until !== undefined && url.href.startsWith(until)) {
      return { url: url.href, status: 0, text: '', headers: new Headers() };
    }
    const jar = cookies.get(url.origin) ?? new Map<string, string>();
    cookies.set(url.origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    const text = await response.text();
    const next = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || next === null) {
      return { url: url.href, status: response.status, text, headers: response.headers };
    }
    url = new URL(next, url);
  }
  return assert.fail(`The visit of ${address} does not end.`);
}
