/** A gateway that lets in by tokens of an issuer, and the issuer, which signs any claims that a test wants. */

import { openTestGateway, type TestGateway, type TestGatewayOptions } from './gateway.ts';
import { startTokenIssuer, type TokenIssuer } from './token-issuer.ts';
import { bearer } from './tokens.ts';

export interface IssuerSetup extends AsyncDisposable {
  readonly issuer: TokenIssuer;
  readonly test: TestGateway;
  /** Headers with a token for the whole gateway. */
  headers(claims?: Record<string, unknown>): Promise<Record<string, string>>;
}

/** `oauth`: more of `access.oauth`. */
export async function openIssuerSetup(
  options: TestGatewayOptions = {},
  oauth: Record<string, unknown> = {},
): Promise<IssuerSetup> {
  await using parts = new AsyncDisposableStack();
  const issuer = parts.use(await startTokenIssuer());
  const access = { auth: 'oauth', oauth: { issuer: issuer.url, ...oauth } };
  const test = parts.use(await openTestGateway({ ...options, config: { access, ...options.config } }));
  const all = parts.move();
  return {
    issuer,
    test,
    headers: async (claims) => bearer(await issuer.token(test.url, claims)),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
