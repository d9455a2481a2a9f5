/** Which commands may have to download a server before they start it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packageRunnerOf } from './package-runner.ts';

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
