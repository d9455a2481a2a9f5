/** Tokens for scenarios: made by the owner of a test gateway, with the headers that bring them. */

import type { CreatedToken, InputOf } from '../../src/admin/admin.ts';
import type { TestGateway } from './gateway.ts';

export interface TestToken extends CreatedToken {
  readonly headers: Record<string, string>;
}

let count = 0;

/** `more`: what is special about it; without a name it gets one of its own. */
export async function makeToken(
  { gateway }: Pick<TestGateway, 'gateway'>,
  more: Partial<InputOf<'tokens.create'>> = {},
): Promise<TestToken> {
  count += 1;
  const made = await gateway.admin.run('tokens.create', { name: `token-${count}`, ...more });
  return { ...made, headers: bearer(made.token) };
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
