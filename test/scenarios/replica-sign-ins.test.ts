/** Sign-ins to remote servers with replicas: made once, and renewed once for all. */

import assert from 'node:assert/strict';
import type { TestGateway } from '../kit/gateway.ts';
import { openOAuthSetup } from '../kit/oauth-setup.ts';
import { postgresTest } from '../kit/postgres.ts';

const echo = ({ gateway }: TestGateway, text: string) =>
  gateway.admin.run('tools.call', { toolKey: 'far:echo', arguments: { text } });

postgresTest('[REP-35] a sign-in counts for every replica, and is renewed once for all', async (url) => {
  await using setup = await openOAuthSetup({ storeUrl: url });
  const { test: one, issuer, gate } = setup;
  await using other = await setup.openAnother();
  await setup.signIn();
  await other.gateway.admin.run('servers.refresh', { name: 'far' });
  const renewals = () => issuer.tokenRequests.filter(({ grantType }) => grantType === 'refresh_token').length;
  assert.equal(renewals(), 0);
  gate.expire();
  const answers = await Promise.all([one, other].map((gateway) => echo(gateway, 'still here')));
  for (const answer of answers) assert.match(JSON.stringify(answer), /still here/);
  assert.equal(renewals(), 1, 'the second one found what the first was given');
});
