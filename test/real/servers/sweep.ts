/** Every server of a list behind one gateway: all of them listed, one harmless call each, each held definition printed. */

import { readFile } from 'node:fs/promises';
import { GatewayError } from '../../../src/base/errors.ts';
import type { Checks } from '../kit/checks.ts';
import { expectEqual, shortened } from '../kit/expect.ts';
import { type GatewayProcess, startGatewayProcess } from '../kit/gateway-process.ts';
import { whenListed } from '../kit/listed.ts';
import { entryOfListed, type ListedPackage, serverNameOf } from '../kit/listed-package.ts';
import { providePackages } from '../kit/packages.ts';
import type { Scratch } from '../kit/scratch.ts';
import { checkClosing } from './check-second-start.ts';

interface ListedVersion extends ListedPackage {
  readonly version: string;
}

/** `file` is JSON: `{ servers: [{ package, version, bin, args }] }`. */
export async function sweepServers(checks: Checks, scratch: Scratch, file: string): Promise<void> {
  const { servers } = JSON.parse(await readFile(file, 'utf8')) as { servers: readonly ListedVersion[] };
  const packages = await providePackages(Object.fromEntries(servers.map((item) => [item.package, item.version])));
  const entries = await Promise.all(
    servers.map(async (item) => [serverNameOf(item), await entryOfListed(item, packages, scratch)]),
  );
  const options = { dataDir: scratch.dataDir, env: scratch.env, servers: Object.fromEntries(entries) };
  await using gateway = await startGatewayProcess(options);
  await checkListed(checks, gateway);
  await checkCalls(checks, gateway, servers.map(serverNameOf));
  await printHeld(checks, gateway);
  await checkClosing(checks, gateway, 1);
}

async function checkListed(checks: Checks, gateway: GatewayProcess): Promise<void> {
  checks.section('Listed');
  const { rows, msByServer } = await whenListed(gateway);
  for (const row of rows) {
    await checks.that(row.name, async () => {
      if (row.listedAt === null) throw new Error(`${row.state}: ${row.lastError}`);
      const held = row.heldCount === 0 ? '' : `, ${row.heldCount} withheld`;
      return { ms: msByServer.get(row.name) ?? 0, note: `${row.era}, ${row.toolCount} tools${held}` };
    });
  }
  const sum = (count: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + count(row), 0);
  checks.note(`${sum((row) => row.toolCount)} tools shown, ${sum((row) => row.heldCount)} withheld`);
}

/** Tools that should only look something up: these are called, with no arguments. */
const looksHarmless = /^(?:.*[_-])?(?:list|get|current|show|read|status|search|find|check|ping)(?:[_-]|$)/i;

async function checkCalls(checks: Checks, gateway: GatewayProcess, servers: readonly string[]): Promise<void> {
  checks.section('One call of each: a tool that reads and needs no arguments, else one with a wrong argument');
  for (const server of servers) {
    // Servers that were not listed have failed their check already.
    const tools = await gateway.admin.run('tools.list', { server }).catch(() => []);
    if (tools.length === 0) continue;
    const { readable, any } = await chooseTool(
      gateway,
      tools.map((tool) => tool.toolKey),
    );
    await checks.that(readable ?? any, async () => {
      if (readable !== undefined) return callHarmless(gateway, readable);
      const said = await gateway.admin
        .run('tools.call', { toolKey: any, arguments: { 'no such parameter': 1 } })
        .then(JSON.stringify, String);
      // A tool whose schema is open to any parameter gets the call, and says itself what it thinks of it.
      return shortened(said, 90);
    });
  }
}

async function chooseTool(gateway: GatewayProcess, keys: readonly string[]) {
  for (const key of keys.filter((item) => looksHarmless.test(item.slice(item.indexOf(':') + 1)))) {
    const { definition } = await gateway.admin.run('tools.info', { toolKey: key });
    const { inputSchema } = definition as { inputSchema?: { required?: readonly string[] } };
    if ((inputSchema?.required ?? []).length === 0) return { readable: key, any: key };
  }
  return { readable: undefined, any: keys[0] ?? '' };
}

/** Offline most answer that they failed, some by an error of the protocol. Only trouble of the gateway's own is a failure here. */
async function callHarmless(gateway: GatewayProcess, toolKey: string): Promise<string> {
  const result = await gateway.admin.run('tools.call', { toolKey, arguments: {} }).catch((error: unknown) => {
    if (!(error instanceof GatewayError) || error.code !== 'TOOL_FAILED') throw error;
    return { isError: true, content: error.message };
  });
  const kind = result.isError === true ? 'says no' : 'answers';
  return `${kind}: ${shortened(JSON.stringify(result.content), 90)}`;
}

async function printHeld(checks: Checks, gateway: GatewayProcess): Promise<void> {
  checks.section('Held back, for a verdict on each');
  const { changes } = await gateway.admin.run('changes.list', {});
  for (const { key, state, reasons } of changes) {
    checks.note(`${key} (${state}): ${reasons.map((reason) => JSON.stringify(reason)).join('; ')}`);
  }
  await checks.that('held definitions are those that the servers count', async () => {
    const rows = await gateway.admin.run('servers.list', {});
    const held = rows.reduce((total, row) => total + row.heldCount, 0);
    expectEqual(changes.filter((change) => change.state === 'held').length, held, 'held');
    return `${held}`;
  });
}
