/** Signing in, in a real browser: by a link, by one that was used, and from a page of somebody else. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openTestGateway } from '../kit/gateway.ts';
import { browserTest } from './browser.ts';

browserTest('[DASH-10] a link signs a browser in, and its code goes from the address', async ({ open, use }) => {
  const gateway = use(await openTestGateway());
  const { page } = await open(gateway);
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  assert.equal(page.url(), `${gateway.url}/`);
  await page.reload();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Not signed in' }).waitFor();
});

browserTest('[DASH-10] a link that was used is refused, and the page says what to do', async ({ open, use }) => {
  const gateway = use(await openTestGateway());
  const { url } = await gateway.gateway.admin.run('gateway.signInLink', {});
  const options = { signsIn: false, expects: /status of 401/ };
  const first = await open(gateway, undefined, options);
  await first.page.goto(url);
  await first.page.getByRole('button', { name: 'Sign out' }).waitFor();
  const { page } = await open(gateway, undefined, options);
  await page.goto(url);
  await page.getByRole('heading', { name: 'Not signed in' }).waitFor();
  await page.getByText('toolcrib open').first().waitFor();
});

browserTest('[DASH-11] a page of somebody else neither uses a link nor orders anything', async ({ open, use }) => {
  const gateway = use(await openTestGateway());
  const { url } = await gateway.gateway.admin.run('gateway.signInLink', {});
  const code = new URL(url).hash.slice('#code='.length);
  const stranger = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<p>Hello'),
  ).listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  const elsewhere = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
  // The browser is signed in; requests of the stranger's page are what is tried here.
  const { page } = await open(gateway, undefined, {
    expects: new RegExp(`${elsewhere}|CORS|status of 40[13]|ERR_FAILED`),
  });
  await page.goto(elsewhere);
  const outcomes = await page.evaluate(askAsStranger, { base: gateway.url, code });
  assert.deepEqual(outcomes, Array(outcomes.length).fill('nothing was read'));
  await page.goto(url);
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  stranger.closeAllConnections();
  stranger.close();
  const servers = await gateway.gateway.admin.run('servers.list', {});
  assert.deepEqual(servers, []);
});

/** Runs in the page of somebody else. */
async function askAsStranger({ base, code }: { readonly base: string; readonly code: string }): Promise<string[]> {
  const add = { name: 'evil', spec: { command: 'true' } };
  const asked: readonly (readonly [string, object])[] = [
    ['/sign-in', { code }],
    ['/api/servers/add', add],
    ['/api/servers/list', {}],
  ];
  const outcomes: string[] = [];
  for (const [path, body] of asked)
    for (const type of ['application/json', 'text/plain'])
      for (const mode of ['cors', 'no-cors'] as const) {
        const init = {
          method: 'POST',
          mode,
          credentials: 'include',
          headers: { 'content-type': type },
          body: JSON.stringify(body),
        } as const;
        outcomes.push(
          await fetch(`${base}${path}`, init).then(
            (response) => (response.type === 'opaque' ? 'nothing was read' : response.text()),
            () => 'nothing was read',
          ),
        );
      }
  return outcomes;
}
