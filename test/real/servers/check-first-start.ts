/** Checks a gateway that has never seen its servers: all are started and listed, found by search, and called. */

import type { Checks } from '../kit/checks.ts';
import { expectEqual, expectText, shortened } from '../kit/expect.ts';
import type { GatewayProcess } from '../kit/gateway-process.ts';
import { whenListed } from '../kit/listed.ts';
import type { RealServer } from './roster.ts';

export async function checkListing(checks: Checks, gateway: GatewayProcess, servers: readonly RealServer[]) {
  checks.section('First start: every server is started and listed, four at a time');
  checks.note(`started in ${Math.round(gateway.readyMs)} ms; what follows is counted from there`);
  const { rows, msByServer, ms } = await whenListed(gateway);
  for (const server of servers) {
    await checks.that(`${server.name.padEnd(10)} ${server.package}@${server.version}`, async () => {
      const row = rows.find((item) => item.name === server.name);
      if (row?.listedAt == null) throw new Error(`${row?.state}: ${row?.lastError}`);
      const { junkLines } = await gateway.admin.run('servers.output', { name: server.name });
      expectEqual(row.state, 'connected', 'state');
      expectEqual(row.era, server.era, 'era');
      expectEqual(row.toolCount, server.tools, 'tools');
      expectEqual(row.heldCount, server.held ?? 0, 'withheld');
      expectEqual(junkLines, server.junk ?? 0, 'junk lines');
      const junk = junkLines === 0 ? '' : `, ${junkLines} junk line skipped`;
      const held = row.heldCount === 0 ? '' : `, ${row.heldCount} withheld`;
      return { ms: msByServer.get(server.name) ?? 0, note: `${row.era}, ${row.toolCount} tools${held}${junk}` };
    });
  }
  await checks.that('all of them', async () => {
    const wanted = servers.reduce((sum, server) => sum + server.tools, 0);
    const tools = await gateway.admin.run('tools.list', {});
    expectEqual(tools.length, wanted, 'tools');
    return { ms, note: `${tools.length} tools` };
  });
}

/** A query, and a tool that must be among the first three. */
const needs: readonly (readonly [query: string, tool: string])[] = [
  ['read a file', 'files:read_text_file'],
  ['create a github issue', 'github:create_issue'],
  ['run a shell command', 'commands:run_command'],
  ['current time', 'time:current_time'],
  ['draw a pie chart', 'chart:generate_pie_chart'],
  ['commit changes', 'git:git_commit'],
  ['run a sql query', 'dbhub:execute_sql'],
];

export async function checkSearch(checks: Checks, gateway: GatewayProcess): Promise<void> {
  checks.section('Search');
  for (const [query, wanted] of needs) {
    await checks.that(`"${query}"`, async () => {
      const found = await gateway.admin.run('tools.search', { query: [query], limit: 3, detailLevel: 'minimal' });
      const keys = (found.tools as { toolKey: string }[]).map((tool) => tool.toolKey);
      expectText(keys.join(' '), wanted);
      return keys.join(', ');
    });
  }
}

export async function checkCallsOf(checks: Checks, gateway: GatewayProcess, servers: readonly RealServer[]) {
  checks.section('One call of each');
  for (const { name, call } of servers) {
    await checks.that(`${name}:${call.tool}`, async () => {
      const input = { toolKey: `${name}:${call.tool}`, arguments: { ...call.args } };
      const answer = await gateway.admin.run('tools.call', input).then(
        (result) => ({ text: JSON.stringify(result.content), isFailure: result.isError === true }),
        (error: unknown) => ({ text: JSON.stringify(String(error)), isFailure: true }),
      );
      const text = answer.text.replaceAll('\\"', '"').replaceAll('\\n', ' ');
      expectText(text, call.text);
      expectEqual(answer.isFailure, call.fails === true, 'failure');
      return `${call.fails ? 'fails as it must offline: ' : ''}${shortened(text, 90)}`;
    });
  }
}
