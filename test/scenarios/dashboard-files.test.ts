/** The files of the dashboard: the same for everybody, strictly headed, and nothing but what was built. */

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openTestGateway, type TestGateway } from '../kit/gateway.ts';
import { sendRaw } from '../kit/raw-http.ts';

const page = '<!doctype html><title>Toolcrib</title><script type="module" src="./assets/index-AbC.js"></script>';
const script = 'console.log("hello");\n'.repeat(100);

let dashboardDir: string;
let gateway: TestGateway;

before(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-dashboard-'));
  dashboardDir = join(folder, 'dashboard');
  gateway = await openTestGateway({ dashboardDir });
});
after(async () => {
  await gateway.close();
  await rm(join(dashboardDir, '..'), { recursive: true, force: true });
});

/** As it goes over the wire: `fetch` would change the path and unpack the body. */
async function get(path: string, { method = 'GET', headers = {} }: { method?: string; headers?: object } = {}) {
  const all = { Host: new URL(gateway.url).host, Connection: 'close', ...headers };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return await sendRaw(gateway.url, `${method} ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
}

test('[DASH-01] without a build the page says how to make one, and the gateway runs', async () => {
  const missing = await fetch(`${gateway.url}/`);
  assert.equal(missing.status, 404);
  assert.match(await missing.text(), /not built.*npm run build:dashboard/s);
  assert.match(missing.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
  assert.equal((await get('/assets/index-AbC.js')).status, 404);
  assert.equal((await fetch(`${gateway.url}/readyz`)).status, 200);
  await mkdir(join(dashboardDir, 'assets'), { recursive: true });
  await writeFile(join(dashboardDir, 'index.html'), page);
  // In the middle of a build.
  assert.equal((await get('/assets/index-AbC.js')).status, 404);
  await writeFile(join(dashboardDir, 'assets', 'index-AbC.js'), script);
  await writeFile(join(dashboardDir, 'assets', 'index-DeF.css'), 'body { margin: 0 }');
  await writeFile(join(dashboardDir, 'assets', 'icon-GhI.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(dashboardDir, 'secret.txt'), 'secret');
  assert.equal(await (await fetch(`${gateway.url}/`)).text(), page);
  assert.equal((await get('/assets/index-AbC.js')).status, 200);
});

test('[DASH-01] the page and its files need no token, and come with strict headers', async () => {
  const types = {
    '/': 'text/html; charset=utf-8',
    '/assets/index-AbC.js': 'text/javascript; charset=utf-8',
    '/assets/index-DeF.css': 'text/css; charset=utf-8',
    '/assets/icon-GhI.svg': 'image/svg+xml',
  };
  for (const [path, type] of Object.entries(types)) {
    const { status, headers } = await fetch(`${gateway.url}${path}`);
    assert.deepEqual([status, headers.get('content-type')], [200, type], path);
    assert.equal(
      headers.get('content-security-policy'),
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    assert.deepEqual(
      ['x-content-type-options', 'x-frame-options', 'referrer-policy', 'set-cookie'].map((name) => headers.get(name)),
      ['nosniff', 'DENY', 'no-referrer', null],
    );
    for (const policy of ['cross-origin-opener-policy', 'cross-origin-resource-policy'])
      assert.equal(headers.get(policy), 'same-origin', policy);
    assert.match(headers.get('permissions-policy') ?? '', /camera=\(\)/);
  }
});

test('[DASH-01] the page is never kept, and its files for long, by what they hold', async () => {
  const { headers } = await fetch(`${gateway.url}/`);
  assert.deepEqual([headers.get('cache-control'), headers.get('etag')], ['no-store', null]);
  const asset = await fetch(`${gateway.url}/assets/index-AbC.js`);
  assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  const etag = asset.headers.get('etag') ?? '';
  const same = await get('/assets/index-AbC.js', { headers: { 'If-None-Match': etag } });
  assert.deepEqual([same.status, same.body], [304, '']);
  const other = await get('/assets/index-DeF.css', { headers: { 'If-None-Match': etag } });
  assert.equal(other.status, 200);
});

test('[DASH-01] files are small over the wire where the browser can unpack them, and HEAD has no body', async () => {
  const zipped = await fetch(`${gateway.url}/assets/index-AbC.js`, { headers: { 'accept-encoding': 'br, gzip' } });
  assert.deepEqual([zipped.headers.get('content-encoding'), zipped.headers.get('vary')], ['gzip', 'accept-encoding']);
  assert.ok(Number(zipped.headers.get('content-length')) < script.length / 5);
  assert.equal(await zipped.text(), script);
  for (const accepted of ['', 'br', 'gzip;q=0', 'gzip; q=0.00, br', 'xgzip']) {
    const plain = await get('/assets/index-AbC.js', { headers: { 'Accept-Encoding': accepted } });
    assert.equal(plain.body, script, accepted);
  }
  for (const accepted of ['gzip', 'br, GZIP;q=0.5', 'gzip;q=1.0']) {
    const packed = await get('/assets/index-AbC.js', { headers: { 'Accept-Encoding': accepted } });
    assert.notEqual(packed.body, script, accepted);
  }
  for (const path of ['/', '/assets/index-AbC.js']) {
    const head = await get(path, { method: 'HEAD' });
    assert.deepEqual([head.status, head.body], [200, ''], path);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      assert.equal((await get(path, { method })).status, 405, `${method} ${path}`);
  }
});

test('[DASH-02] no path leads out of the build', async () => {
  const tricks = [
    '/assets/',
    '/assets',
    '/assets/.',
    '/assets/..',
    '/assets/../secret.txt',
    '/assets/..%2fsecret.txt',
    '/assets/%2e%2e/secret.txt',
    '/assets/%2e%2e%2fsecret.txt',
    '/assets/..%5csecret.txt',
    '/assets/%252e%252e%252fsecret.txt',
    '/assets//etc/passwd',
    '/assets/%2fetc%2fpasswd',
    '/assets/index-AbC.js%00.css',
    '/assets/%00',
    '/assets/index-AbC.js/',
    '/assets/INDEX-abc.js',
    '/assets/index-AbC.js.gz',
    '/assets/__proto__',
    '/assets/constructor',
    '/index.html',
    '/secret.txt',
    '/dist/dashboard/index.html',
  ];
  for (const path of tricks) assert.equal((await get(path)).status, 404, path);
  assert.equal((await get('/assets/%ff')).status, 400);
});

test('[DASH-02] another host or origin gets no file', async () => {
  for (const headers of [{ Host: 'evil.example' }, { Origin: 'http://evil.example' }, { Origin: 'null' }])
    for (const path of ['/', '/assets/index-AbC.js']) assert.equal((await get(path, { headers })).status, 403, path);
});
