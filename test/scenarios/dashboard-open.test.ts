/** `toolcrib open`: a browser that signs in by the link, one that cannot be started, and what is printed. */

import assert from 'node:assert/strict';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CommandContext } from '../../src/surfaces/cli/context.ts';
import { renderStarted } from '../../src/surfaces/cli/render-started.ts';
import { styleFor } from '../../src/surfaces/cli/style.ts';
import { postSignIn } from '../kit/browser.ts';
import { CliMachine } from '../kit/cli.ts';
import { openTestGateway } from '../kit/gateway.ts';

/** Does what a browser and the page do: follows the file to the link, and hands in the code. */
const browser = `#!${process.execPath}
const text = require('node:fs').readFileSync(new URL(process.argv[2]), 'utf8');
const link = new URL(/url=([^"]*)"/.exec(text)[1]);
const headers = { origin: link.origin, 'content-type': 'application/json' };
const body = JSON.stringify({ code: link.hash.replace('#code=', '') });
fetch(new URL('/sign-in', link), { method: 'POST', headers, body });
`;

async function withBrowser(machine: CliMachine): Promise<NodeJS.ProcessEnv> {
  const program = join(machine.home, 'xdg-open');
  await writeFile(program, browser);
  await chmod(program, 0o755);
  return { DISPLAY: ':0', PATH: machine.home };
}

test('[DASH-03] open shows the dashboard, signed in, and leaves no trace of its link', {
  skip: process.platform !== 'linux',
}, async () => {
  await using machine = await CliMachine.make();
  await machine.start();
  const env = await withBrowser(machine);
  const opened = await machine.launch(['open'], { env }).ended;
  assert.deepEqual([opened.code, opened.stdout], [0, 'The dashboard is open in your browser.\n'], opened.stderr);
  assert.deepEqual(
    (await readdir(machine.home)).filter((name) => name.startsWith('toolcrib-')),
    [],
  );
  const events = (await machine.run('audit', '--json')).stdout;
  assert.match(events, /"browser\.sign-in"/);
  const [, id = ''] = /^([0-9a-f]{8}) +owner +20\d\d-/m.exec((await machine.run('browser', 'list')).stdout) ?? [];
  assert.equal((await machine.run('browser', 'end', id)).stdout, `Browser ${id} is signed out.\n`);
  assert.equal((await machine.run('browser', 'list')).stdout, 'No browser is signed in.\n');
  assert.equal((await machine.run('browser', 'end', id)).code, 2);
});

test('[DASH-03] open prints the link where it is asked to, or no browser can be opened', async () => {
  await using machine = await CliMachine.make();
  const none = await machine.run('open');
  assert.deepEqual([none.code, /No gateway is running.*toolcrib start/s.test(none.stderr)], [5, true]);
  const { url } = await machine.start();
  const env = { DISPLAY: '', WAYLAND_DISPLAY: '', PATH: '/nowhere' };
  const link = new RegExp(`^  ${url}/#code=tc_[\\w-]{43}$`, 'm');
  const printed = await machine.launch(['open', '--print'], { env }).ended;
  assert.match(printed.stdout, link);
  assert.match(printed.stdout, /works once, for 5 minutes/);
  const missing = await machine.launch(['open'], { env }).ended;
  if (process.platform === 'linux') assert.match(missing.stdout, /^No browser can be opened here\. Open this/);
  assert.match(missing.stdout, link);
  const older = await machine.launch(['sign-in', '--print'], { env }).ended;
  assert.match(older.stdout, link);
  assert.match(older.stderr, /is now "npx .*toolcrib open"/);
  const json = (await machine.run('open', '--json')).json<{ url: string; code: string; expiresInMs: number }>();
  assert.deepEqual([json.url, json.expiresInMs], [`${url}/#code=${json.code}`, 300_000]);
});

test('[ACC-63] a gateway that listens on all addresses gives a link for this machine, and says so', async () => {
  for (const host of ['0.0.0.0', '::']) {
    await using machine = await CliMachine.make();
    const running = machine.launch(['start', '--port', '0', '--host', host]);
    await running.until(({ stdout }) => stdout.includes('--demo'));
    const [, port] = /^ {2}agents +http:\/\/127\.0\.0\.1:(\d+)\/mcp$/m.exec(running.printed.stdout) ?? [];
    const { stdout } = await machine.run('open', '--print');
    const [, code = ''] = new RegExp(`^  http://127\\.0\\.0\\.1:${port}/#code=(\\S+)$`, 'm').exec(stdout) ?? [];
    assert.match(stdout, /works on the machine of the gateway.*"access\.allowedHosts"/);
    const reached = { url: `http://127.0.0.1:${port}` };
    assert.equal((await postSignIn(reached, { code })).status, 200, host);
  }
});

test('[DASH-03] start prints a link to a terminal, and to nothing else', async () => {
  await using opened = await openTestGateway();
  const { gateway, dataDir } = opened;
  const host = { env: { HOME: dataDir }, cwd: dataDir } as unknown as CommandContext['host'];
  const context = { style: styleFor({ write() {} }, {}), dataDir, command: 'toolcrib', isJson: false, host };
  const started = (width: number | undefined) =>
    // Nothing else of it is used.
    renderStarted(gateway, { ...context, width } as CommandContext, false);
  assert.match(await started(undefined), /^ {2}dashboard {2}toolcrib open$/m);
  const [, code = ''] = /^ {2}dashboard {2}\S+\/#code=(\S+)$/m.exec(await started(80)) ?? [];
  assert.equal((await postSignIn(opened, { code })).status, 200);
  assert.doesNotMatch(
    await renderStarted(gateway, { ...context, width: 80, isJson: true } as CommandContext, false),
    /code=/,
  );
  assert.ok(opened.logged.every((line) => !line.includes(code)));
});

test('[DASH-03] where nobody is asked for a token, the address alone is enough', async () => {
  await using machine = await CliMachine.make();
  const { url } = await machine.start('--no-auth');
  const printed = await machine.run('open', '--print');
  assert.match(printed.stdout, new RegExp(`^  ${url}/$`, 'm'));
  assert.match(printed.stdout, /needs no token/);
});
