/** Signing in, in a real browser: by a link, by one that was used, and from a page of somebody else. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  request as sendRequest,
} from 'node:http';
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
  await page.getByText('toolcrib open').waitFor();
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

browserTest('[DASH-16] behind a front end, below a path, the page signs in and stays live', async ({ open, use }) => {
  const frontEnd = use(await FrontEnd.open('/crib'));
  const gateway = use(await openTestGateway({ config: { access: { oauth: { publicUrl: frontEnd.url } } } }));
  frontEnd.target = gateway.url;
  const { page } = await open({ ...gateway, url: frontEnd.url }, '/access');
  assert.equal(new URL(page.url()).pathname, '/crib/');
  await gateway.gateway.admin.run('tokens.create', { name: 'ann' });
  await page.getByRole('row').filter({ hasText: 'ann' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Not signed in' }).waitFor();
});

/** Serves a gateway below a path, which it takes away; everything else is not found. */
class FrontEnd implements AsyncDisposable {
  readonly url: string;
  target = '';
  readonly #server: Server;

  private constructor(server: Server, path: string) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const { method, headers, url = '' } = request;
      if (!url.startsWith(`${path}/`)) return response.writeHead(404).end();
      const passed = sendRequest(`${this.target}${url.slice(path.length)}`, { method, headers }, (answer) =>
        answer.pipe(response.writeHead(answer.statusCode ?? 500, answer.headers)),
      );
      passed.on('error', () => response.destroy());
      response.on('close', () => passed.destroy());
      return request.pipe(passed);
    });
  }

  static async open(path: string): Promise<FrontEnd> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FrontEnd(server, path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
