/** Sign-ins on another device: which issuers offer them, and how often we poll. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviceGrant } from './client-identity.ts';
import { askForDeviceCode } from './sign-in-flow.ts';
import type { SignInPlan } from './sign-in-plan.ts';

const issuer = {
  ...{ issuer: 'https://id.example', token_endpoint: 'https://id.example/token' },
  device_authorization_endpoint: 'https://id.example/device',
};
const code = {
  ...{ device_code: 'd', user_code: 'ABCD', verification_uri: 'https://id.example/enter', expires_in: 600 },
};

function planWith(more: Partial<SignInPlan['issuer']>, answer: object = code): SignInPlan {
  return {
    ...{ server: 'far', url: 'https://far.example/mcp', resource: 'https://far.example/mcp', scopes: [] },
    issuer: { ...issuer, ...more },
    client: { id: 'c', secret: null, method: 'none', kind: 'configured', redirectUri: null },
    redirectUri: 'http://127.0.0.1:3333/oauth/callback',
    fetch: async () => Response.json(answer),
  };
}

test('an issuer that lists its grants without this one offers no sign-in by device', async () => {
  const refused = { message: /offers no sign-in by device/ };
  await assert.rejects(askForDeviceCode(planWith({ grant_types_supported: ['authorization_code'] })), refused);
  assert.equal((await askForDeviceCode(planWith({}))).userCode, 'ABCD');
  assert.equal((await askForDeviceCode(planWith({ grant_types_supported: [deviceGrant] }))).userCode, 'ABCD');
});

test('polls at the interval of the issuer, at most once a second, and every five seconds by default', async () => {
  const intervals = [undefined, 7, 0.1].map(async (interval) => {
    const plan = planWith({}, { ...code, ...(interval !== undefined && { interval }) });
    return (await askForDeviceCode(plan)).intervalMs;
  });
  assert.deepEqual(await Promise.all(intervals), [5_000, 7_000, 1_000]);
});

test('a code is entered only at an address that a browser may open', async () => {
  const plan = (address: string) => planWith({}, { ...code, verification_uri: address });
  for (const address of ['javascript:alert(1)', 'http://id.example/enter', 'here'])
    await assert.rejects(askForDeviceCode(plan(address)), { message: /address for the code that is not allowed/ });
  assert.equal((await askForDeviceCode(plan('https://id.example/a'))).address, 'https://id.example/a');
});
