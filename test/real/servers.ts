/**
 * Real servers of different kinds behind one gateway, offline: started, listed, searched, called and ended; then a second
 * start that knows them all and starts none. Exits with 1 when a check fails.
 *
 *   npm run real:servers [-- --prefix DIR] [--list FILE]
 *
 * `--list` takes every server of a file instead: all listed, one harmless call each, held definitions printed.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Checks } from './kit/checks.ts';
import { type GatewayProcessOptions, startGatewayProcess } from './kit/gateway-process.ts';
import { providePackages } from './kit/packages.ts';
import { openScratch } from './kit/scratch.ts';
import { checkCommands } from './servers/check-commands.ts';
import { checkCallsOf, checkListing, checkSearch } from './servers/check-first-start.ts';
import { checkClosing, checkSecondStart } from './servers/check-second-start.ts';
import { entryOf, type RealServer, roster } from './servers/roster.ts';
import { sweepServers } from './servers/sweep.ts';

const { list } = parseArgs({ options: { list: { type: 'string' }, prefix: { type: 'string' } } }).values;
await using scratch = await openScratch();
const checks = new Checks();
try {
  if (list === undefined) await checkRoster();
  else await sweepServers(checks, scratch, list);
} finally {
  checks.finish();
}

async function checkRoster(): Promise<void> {
  const servers = roster(scratch);
  const packages = await providePackages(Object.fromEntries(servers.map((server) => [server.package, server.version])));
  await mkdir(join(scratch.home, 'repository'));
  await writeFile(join(scratch.home, 'greeting.txt'), 'Good morning.\n');
  const entries = await Promise.all(servers.map(async (server) => [server.name, await entryOf(server, packages)]));
  const options = { dataDir: scratch.dataDir, env: scratch.env, servers: Object.fromEntries(entries) };
  await checkFirstStart(options, servers);
  await checkSecondStart(checks, options, servers);
}

async function checkFirstStart(options: GatewayProcessOptions, servers: readonly RealServer[]): Promise<void> {
  await using gateway = await startGatewayProcess(options);
  await checkListing(checks, gateway, servers);
  await checkSearch(checks, gateway);
  await checkCallsOf(checks, gateway, servers);
  await checkCommands(checks, scratch, servers.length);
  await checkClosing(checks, gateway, servers.length);
}
