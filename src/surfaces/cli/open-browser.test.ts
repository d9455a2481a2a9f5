/** Opening a browser: which program is started, for which addresses none is, and what others on the machine see of it. */

import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { browserCommand, openBrowser, webAddress, writeRedirectPage } from './open-browser.ts';

const screen = { DISPLAY: ':0' };
const secret = 'https://id.example/authorize?state=STATE&code_challenge=CHALLENGE';

test('each platform has its own program, which gets the page as one argument', () => {
  const page = 'file:///mine/sign-in.html';
  assert.deepEqual(browserCommand(page, 'linux', screen), { command: 'xdg-open', args: [page] });
  assert.deepEqual(browserCommand(page, 'darwin', {}), { command: 'open', args: [page] });
  assert.deepEqual(browserCommand(page, 'win32', {}), {
    command: 'rundll32',
    args: ['url.dll,FileProtocolHandler', page],
  });
});

test('without a screen nothing is started', () => {
  assert.equal(browserCommand('file:///x', 'linux', {}), null);
  assert.notEqual(browserCommand('file:///x', 'linux', { WAYLAND_DISPLAY: 'wayland-0' }), null);
});

test('only addresses of web pages are shown, in a form without quotes and spaces', () => {
  for (const bad of [
    '',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'ms-cmd:x',
    '-h',
    '$(touch P)',
    'http://a$(touch P)',
  ])
    assert.equal(webAddress(bad), undefined, bad);
  const shown = webAddress('https://x/";calc `id` \u0007')?.href ?? '';
  assert.match(shown, /^[!-~]+$/);
  assert.doesNotMatch(shown, /["`\s]/);
});

test('an address goes by a file that nobody else can read, and that is gone afterwards', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-page-'));
  try {
    const address = new URL(`${secret}&x="><script>alert(1)</script>`);
    const page = await writeRedirectPage(address, folder);
    const file = fileURLToPath(page.url);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.equal((await stat(dirname(file))).mode & 0o777, 0o700);
    const html = await readFile(file, 'utf8');
    const target = /content="0; url=([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
    assert.equal(target, address.href);
    assert.doesNotMatch(html, /<script/);
    await page[Symbol.asyncDispose]();
    assert.deepEqual(await readdir(folder), []);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('nothing of the address stands in the arguments of what is started', {
  skip: process.platform !== 'linux',
}, async () => {
  const home = await mkdtemp(join(tmpdir(), 'toolcrib-home-'));
  try {
    const noted = join(home, 'noted');
    const stub = join(home, 'xdg-open');
    const note = `require('node:fs').writeFileSync(${JSON.stringify(noted)}, process.argv.slice(2).join(' '))`;
    await writeFile(
      stub,
      `#!${process.execPath}\n${note}; setInterval(() => {}, 100);\nsetTimeout(process.exit, 2000);\n`,
    );
    await chmod(stub, 0o755);
    const page = await openBrowser(secret, home, { ...screen, HOME: home, PATH: home });
    assert.ok(page);
    const seen = await waitForText(noted);
    assert.equal(seen, page.url);
    assert.doesNotMatch(seen, /STATE|CHALLENGE|id\.example/);
    await page[Symbol.asyncDispose]();
    // Where no browser can be started, nothing stays behind.
    assert.equal(await openBrowser(secret, home, { ...screen, HOME: home, PATH: '/nowhere' }), undefined);
    assert.equal(await openBrowser('file:///etc/passwd', home, { ...screen, HOME: home, PATH: home }), undefined);
    assert.deepEqual(
      (await readdir(home)).filter((name) => name.startsWith('toolcrib-')),
      [],
    );
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

async function waitForText(path: string): Promise<string> {
  for (;;) {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (text !== '') return text;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
