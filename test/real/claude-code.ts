/**
 * A real agent end to end, offline: Claude Code lists and calls the tools of real servers through a gateway, over HTTP and
 * over stdio, on every surface, while a stand-in plays its model. Exits with 1 when a check fails.
 *
 *   npm run real:claude [-- --prefix DIR]
 */

import { checkBeside } from './claude/check-beside.ts';
import { checkCalls, stepsFor } from './claude/check-calls.ts';
import { checkConfiguring } from './claude/check-configuring.ts';
import { Claude, claudePackage } from './claude/claude.ts';
import { Model } from './claude/model.ts';
import { type Stage, stdioEntry, surfaces, transports } from './claude/stage.ts';
import { Checks } from './kit/checks.ts';
import { expectText } from './kit/expect.ts';
import { startGatewayProcess } from './kit/gateway-process.ts';
import { whenListed } from './kit/listed.ts';
import { providePackages } from './kit/packages.ts';
import { openScratch } from './kit/scratch.ts';
import { stopBackground } from './kit/stop-background.ts';

const everything = '@modelcontextprotocol/server-everything';

const packages = await providePackages({ ...claudePackage, [everything]: '2026.8.31' });
const real = { command: process.execPath, args: [await packages.script(everything)] };
await using scratch = await openScratch();
await using model = await Model.open();
const checks = new Checks();
const claude = await Claude.open(packages, scratch, model);
try {
  await checkWithGateway();
  await checkWithoutGateway();
} finally {
  await stopBackground(scratch.dataDir);
  checks.finish();
}

async function checkWithGateway(): Promise<void> {
  const { dataDir, env } = scratch;
  await using gateway = await startGatewayProcess({ dataDir, env, servers: { everything: real }, hasDemo: true });
  const stage: Stage = { checks, claude, gateway };
  checks.section('The gateway');
  checks.note(`started in ${Math.round(gateway.readyMs)} ms`);
  await checks.that('lists a real server and the demo servers', async () => {
    const { rows, ms } = await whenListed(gateway);
    for (const row of rows) if (row.toolCount === 0) throw new Error(`${row.name} is ${row.state}: ${row.lastError}`);
    return { ms, note: `${rows.reduce((sum, row) => sum + row.toolCount, 0)} tools of ${rows.length} servers` };
  });
  await checkConfiguring(stage);
  for (const transport of transports) {
    for (const surface of surfaces) {
      for (const defersTools of [false, true]) await checkCalls(stage, transport, surface, defersTools);
    }
    await checkBeside(stage, transport, real);
  }
}

/** The bridge starts a gateway in the background, on the same data. */
async function checkWithoutGateway(): Promise<void> {
  checks.section('With no gateway running');
  await checks.that('toolcrib stdio starts one, and the call arrives', async () => {
    const server = stdioEntry(scratch.dataDir, 'search');
    const asked = await claude.ask({ server, defersTools: false, steps: stepsFor('search', 'alone') });
    expectText(asked.results.at(-1)?.text, 'Echo: alone');
    return { ms: asked.ms, note: `protocol ${asked.version}` };
  });
}
