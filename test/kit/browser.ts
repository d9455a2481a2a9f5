/** The page of the dashboard as far as it signs in: hands in the code of a link, and sends the token that it gets. */

import assert from 'node:assert/strict';
import type { TestGateway } from './gateway.ts';
import { bearer } from './tokens.ts';

/** A new link, made with these headers. */
export async function signInLink({ url, ownerHeaders }: TestGateway, headers = ownerHeaders): Promise<URL> {
  const response = await fetch(`${url}/api/gateway.signInLink`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(response.status, 200);
  return new URL(((await response.json()) as { url: string }).url);
}

export function codeIn(link: URL): string {
  return new URLSearchParams(link.hash.slice(1)).get('code') ?? '';
}

/** Posts as a page of the gateway does, or one with these headers. */
export function postSignIn(
  { url }: Pick<TestGateway, 'url'>,
  body: unknown,
  headers: Record<string, string> = { origin: url },
) {
  return fetch(`${url}/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** The headers of a browser that is signed in. */
export async function signIn(gateway: TestGateway, headers?: Record<string, string>): Promise<Record<string, string>> {
  const response = await postSignIn(gateway, { code: codeIn(await signInLink(gateway, headers)) });
  assert.equal(response.status, 200);
  return bearer(((await response.json()) as { token: string }).token);
}
