/** Sign-ins to remote servers with replicas: made once, and renewed once for all. */

import assert from 'node:assert/strict';
import type { TestGateway } from '../kit/gateway.ts';
import { visit } from '../kit/oauth-browser.ts';
import { openOAuthSetup } from '../kit/oauth-setup.ts';
import { postgresTest } from '../kit/postgres.ts';

const echo = ({ gateway }: TestGateway, text: string) =>
  gateway.admin.run('tools.call', { toolKey: 'far:echo', arguments: { text } });

postgresTest('[REP-35] a sign-in counts for every replica, and is renewed once for all', async (url) => {
  await using setup = await openOAuthSetup({ storeUrl: url });
  const { test: one, issuer, gate } = setup;
  await setup.signIn();
  await using other = await setup.openAnother();
  await other.gateway.admin.run('servers.refresh', { name: 'far' });
  const renewals = () => issuer.tokenRequests.filter(({ grantType }) => grantType === 'refresh_token').length;
  assert.equal(renewals(), 0);
  gate.expire();
  const answers = await Promise.all([one, other].map((gateway) => echo(gateway, 'still here')));
  for (const answer of answers) assert.match(JSON.stringify(answer), /still here/);
  assert.equal(renewals(), 1, 'the second one found what the first was given');
});

postgresTest('[REP-36] a browser that comes back to another replica ends the sign-in, for all', async (url) => {
  await using setup = await openOAuthSetup({ storeUrl: url });
  const { test: one } = setup;
  await using other = await setup.openAnother();
  const { address, flow, redirectUri } = await one.gateway.admin.run('servers.signIn', { name: 'far' });
  assert.ok(redirectUri);
  const { url: back } = await visit(address, redirectUri);
  const elsewhere = back.replace(new URL(back).origin, other.url);
  assert.equal((await fetch(elsewhere)).status, 200);
  for (const { gateway } of [one, other]) {
    const report = await gateway.admin.run('servers.signInEnd', { name: 'far', flow, waitMs: 30_000 });
    assert.equal(report.state, 'done');
    await gateway.admin.run('servers.refresh', { name: 'far' });
  }
  for (const gateway of [one, other]) assert.match(JSON.stringify(await echo(gateway, 'in')), /in/);
  // Nobody comes back with it twice, wherever.
  for (const again of [elsewhere, back]) assert.notEqual((await fetch(again)).status, 200);
});
