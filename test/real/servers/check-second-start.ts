/** Checks that closing leaves no process behind, and that a second start answers from what is known, starting nothing. */

import type { Checks } from '../kit/checks.ts';
import { expectEqual, expectText } from '../kit/expect.ts';
import { type GatewayProcess, type GatewayProcessOptions, startGatewayProcess } from '../kit/gateway-process.ts';
import { descendantsOf, survivorsOf } from '../kit/processes.ts';
import type { RealServer } from './roster.ts';

export async function checkClosing(checks: Checks, gateway: GatewayProcess, serverCount: number): Promise<void> {
  checks.section('Closing');
  const running = await descendantsOf(gateway.pid);
  await checks.that('the gateway ends in good order', async () => {
    const { code, ms } = await gateway.stop();
    expectEqual(code, 0, 'exit code');
    return { ms };
  });
  await checks.that('no process is left', async () => {
    if (running.length < serverCount) throw new Error(`only ${running.length} processes were found before`);
    const left = await survivorsOf(running);
    if (left.length > 0) throw new Error(left.map((line) => `${line.pid} ${line.command}`).join('; '));
    return `${running.length} were running`;
  });
}

export async function checkSecondStart(
  checks: Checks,
  options: GatewayProcessOptions,
  servers: readonly RealServer[],
): Promise<void> {
  checks.section('Second start');
  await using gateway = await startGatewayProcess(options);
  checks.note(`started in ${Math.round(gateway.readyMs)} ms`);
  await checks.that('all tools are known at once', async () => {
    const tools = await gateway.admin.run('tools.list', {});
    const wanted = servers.reduce((sum, server) => sum + server.tools, 0);
    expectEqual(tools.length, wanted, 'tools');
    return `${tools.length} tools`;
  });
  await checks.that('search works at once', async () => {
    const found = await gateway.admin.run('tools.search', { query: ['draw a pie chart'], limit: 1 });
    expectText(JSON.stringify(found.tools), 'chart:generate_pie_chart');
    return undefined;
  });
  await checks.that('no server was started', async () => {
    expectEqual((await startedServers(gateway)).join(' '), '', 'started');
    const rows = await gateway.admin.run('servers.list', {});
    expectEqual(rows.map((row) => row.state).filter((state) => state !== 'configured').length, 0, 'other states');
    return `${rows.length} configured`;
  });
  await checks.that('a call starts its server and no other', async () => {
    const result = await gateway.admin.run('tools.call', { toolKey: 'calculator:sqrt', arguments: { a: 1764 } });
    expectText(JSON.stringify(result), '42');
    expectEqual((await startedServers(gateway)).join(' '), 'calculator', 'started');
    return undefined;
  });
  await checkClosing(checks, gateway, 1);
}

async function startedServers(gateway: GatewayProcess): Promise<string[]> {
  const rows = await gateway.admin.run('servers.list', {});
  const started = await Promise.all(
    rows.map(async ({ name }) => {
      const { pids } = await gateway.admin.run('servers.output', { name });
      return pids.length > 0 ? [name] : [];
    }),
  );
  return started.flat();
}
