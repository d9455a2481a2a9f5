/** Printed commands are those of this installation: in the folder of a checkout, outside of it, and for the user of an agent. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connectAgent, KINDS } from '../kit/agents.ts';
import { CliMachine } from '../kit/cli.ts';
import { openListedGateway } from '../kit/gateway.ts';
import { hostServers } from '../kit/planned-servers.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '');

test('[ADVICE-04] inside its folder a checkout is called with npx, and elsewhere by its folder', async () => {
  await using machine = await CliMachine.make();
  const empty = await machine.run('list');
  assert.ok(empty.stdout.includes(`Add one: npx --prefix ${root} toolcrib add NAME`), empty.stdout);
  const near = await machine.launch(['list'], { cwd: root }).ended;
  assert.match(near.stdout, /Add one: npx toolcrib add NAME/);
  const elsewhere = await machine.launch(['list', '--data', '/tmp/other tools'], { cwd: root }).ended;
  assert.match(elsewhere.stdout, /Add one: npx toolcrib --data "\/tmp\/other tools" add NAME/);
  const mistyped = await machine.launch(['lst'], { cwd: root }).ended;
  assert.match(mistyped.stderr, /hint: Did you mean "npx toolcrib list"\?/);
  const help = await machine.launch(['add', '--help'], { cwd: root }).ended;
  assert.match(help.stdout, /\n +npx toolcrib add files -- npx -y @modelcontextprotocol/);
  const script = await machine.launch(['completions', 'bash'], { cwd: root }).ended;
  assert.doesNotMatch(script.stdout, /npx toolcrib/, 'a script for shells completes the name itself');
});

for (const kind of KINDS) {
  test(`[ADVICE-04] an agent is given a command that works in any folder of its user (${kind})`, async () => {
    const { servers } = hostServers({ guarded: { entry: { permissions: { '*': 'ask' } } } });
    await using gateway = await openListedGateway({ servers });
    const url = `${gateway.url}/mcp?surface=search`;
    const agent = await connectAgent(kind, url, { headers: gateway.agentHeaders, capabilities: {} });
    const result = await agent.call('tool_execute', { toolKey: 'guarded:echo', arguments: { text: 'x' } });
    await agent.client.close();
    const said = JSON.stringify(result.content);
    assert.match(said, new RegExp(`npx --prefix ${root} toolcrib approve call_\\w+ --data ${gateway.dataDir}`));
  });
}
