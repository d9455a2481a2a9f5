/**
 * Sixteen servers behind a package runner that takes its time before their first byte, and one that starts at once: all come
 * up without help, and nobody waits for the slow ones. Exits with 1 when a check fails.
 *
 *   npm run real:runners [-- --seconds 45]
 */

import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { serverCommand } from '../servers/launch.ts';
import { Checks } from './kit/checks.ts';
import { expectEqual } from './kit/expect.ts';
import { startGatewayProcess } from './kit/gateway-process.ts';
import { whenListed } from './kit/listed.ts';
import { openScratch } from './kit/scratch.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '45' } } });
const slowCount = 16;

await using scratch = await openScratch();
const npx = join(scratch.folder, 'npx');
await writeFile(npx, `#!/bin/sh\nsleep ${Number(values.seconds)}\nexec "$@"\n`);
await chmod(npx, 0o755);
const names = Array.from({ length: slowCount }, (_, at) => `slow-${String(at).padStart(2, '0')}`);
const slow = names.map((name) => {
  const { command, args } = serverCommand({ name, toolCount: 2 });
  return [name, { command: npx, args: [command, ...args] }];
});
const servers = { ...Object.fromEntries(slow), 'z-fast': serverCommand({ name: 'z-fast', toolCount: 2 }) };

const checks = new Checks();
try {
  await using gateway = await startGatewayProcess({ dataDir: scratch.dataDir, env: scratch.env, servers });
  checks.section(`${slowCount} servers, ${values.seconds} s before the first byte of each`);
  const listed = await whenListed(gateway, Number(values.seconds) * 1000 + 300_000);
  for (const [name, ms] of listed.msByServer) checks.note(`${name} listed after ${(ms / 1000).toFixed(1)} s`);
  await checks.that('the fast server is listed before all others', async () => {
    expectEqual([...listed.msByServer.keys()][0], 'z-fast', 'first');
    return { ms: listed.msByServer.get('z-fast') ?? 0 };
  });
  await checks.that('every server comes up without help', async () => {
    const failed = listed.rows.filter(({ state, toolCount }) => state !== 'connected' || toolCount !== 2);
    expectEqual(failed.map(({ name, state }) => `${name} ${state}`).join(', '), '', 'not there');
    return { note: `${listed.rows.length} of ${listed.rows.length}`, ms: listed.ms };
  });
} finally {
  checks.finish();
}
