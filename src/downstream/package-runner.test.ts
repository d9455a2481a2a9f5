/** Which commands may have to download a server before they start it, and what is said when that went wrong. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { installFaultIn, packageRunnerOf } from './package-runner.ts';

const cases: readonly (readonly [line: string, runner: string | undefined])[] = [
  ['npx -y some-server', 'npx'],
  ['/usr/local/bin/npx -y some-server', 'npx'],
  ['C:\\Program_Files\\nodejs\\npx.cmd -y some-server', 'npx'],
  ['cmd /c npx -y some-server', 'npx'],
  ['cmd.exe /C C:\\nodejs\\NPX.CMD some-server', 'npx'],
  ['uvx some-server', 'uvx'],
  ['bunx some-server', 'bunx'],
  ['bun x some-server', 'bun'],
  ['pnpm dlx some-server', 'pnpm'],
  ['pnpm --package=some-server dlx start', 'pnpm'],
  ['yarn dlx some-server', 'yarn'],
  ['npm exec -y -- some-server', 'npm'],
  ['pipx run some-server', 'pipx'],
  ['uv tool run some-server', 'uv'],
  ['uv --directory /srv run server.py', 'uv'],
  ['docker run -i --rm some/server', 'docker'],
  ['podman run -i --rm some/server', 'podman'],
  ['node server.js', undefined],
  ['npm start', undefined],
  ['pnpm start', undefined],
  ['docker exec -i box server', undefined],
  ['uv tool list', undefined],
  ['constructor run', undefined],
  ['cmd /c node server.js', undefined],
];

test('[LINK-38] package runners are known by name, path, ending and words', () => {
  for (const [line, runner] of cases) {
    const [command = '', ...args] = line.split(' ');
    assert.equal(packageRunnerOf({ command, args }), runner, line);
  }
});

const folder = '/srv/ada/.npm/_npx/68b53d3fd47bf8db';

/** Output of npm 11 and servers below it, after an npx that was killed in the middle or cannot do its work. */
const printed: readonly (readonly [stderr: string, exitCode: number, repair: string | undefined])[] = [
  [
    `Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from ${folder}/node_modules/@some/server/dist/index.js\n    at packageResolve (node:internal/modules/esm/resolve:873:9)`,
    1,
    `rm -rf "${folder}"`,
  ],
  [
    `npm error code ENOENT\nnpm error syscall open\nnpm error path ${folder}/package.json\nnpm error errno -2\nnpm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '${folder}/package.json'`,
    254,
    `rm -rf "${folder}"`,
  ],
  [
    `npm error code ENOTEMPTY\nnpm error syscall rename\nnpm error path /srv/a da/.npm/_npx/68b53d3fd47bf8db/node_modules/zod\nnpm error ENOTEMPTY: directory not empty, rename '/srv/a da/.npm/_npx/68b53d3fd47bf8db/node_modules/zod'`,
    190,
    'rm -rf "/srv/a da/.npm/_npx/68b53d3fd47bf8db"',
  ],
  [
    'npm error code EINTEGRITY\nnpm error sha512-a integrity checksum failed when using sha512: wanted sha512-a but got sha512-b.',
    1,
    'npm cache clean --force',
  ],
  ['npm error could not determine executable to run', 1, 'rm -rf "$(npm config get cache)/_npx"'],
  ['sh: 1: mcp-server-files: not found', 127, 'rm -rf "$(npm config get cache)/_npx"'],
  ['sh: 1: mcp-server-files: not found', 1, undefined],
  ['Error: the file "/srv/ada/notes.txt" was not found (ENOENT)', 1, undefined],
  ['Error: API_KEY is not set', 1, undefined],
  ['', 0, undefined],
];

test('[LINK-47] the hint after an interrupted installation names the command that repairs it', () => {
  for (const [stderr, exitCode, repair] of printed) {
    const fault = installFaultIn(stderr, exitCode);
    assert.equal(fault?.reason, repair === undefined ? undefined : 'broken-install', stderr);
    assert.ok(fault === undefined || fault.hint.endsWith(`: ${repair}`), fault?.hint ?? stderr);
  }
  const masked = `Cannot find package 'zod' imported from ***/_npx/68b53d3fd47bf8db/node_modules/a/index.js`;
  const hint = installFaultIn(masked, 1, { KEY: 'a', npm_config_cache: '/srv/cache' })?.hint ?? '';
  assert.ok(hint.endsWith(': rm -rf "$npm_config_cache/_npx/68b53d3fd47bf8db"'), hint);
  const evil = 'Cannot find module imported from /srv/$(touch x)/_npx/68b53d3fd47bf8db/index.js';
  assert.equal(installFaultIn(evil, 1), undefined, 'a shell would run a part of it');
  const unpublished = 'npm error code E404\nnpm error 404 Not Found - GET https://registry.example/no-such';
  assert.equal(installFaultIn(unpublished, 1)?.reason, 'package-not-found');
});
