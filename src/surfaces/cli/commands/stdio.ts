/** `toolcrib stdio`: the agent door on stdin and stdout, for agents that launch a process. */

import { defineCommand } from '../command.ts';
import { ensureGateway } from '../ensure-gateway.ts';

export const stdio = defineCommand({
  name: 'stdio',
  summary: 'Serve an agent on stdin and stdout',
  description:
    'A thin bridge to the running gateway. If none is running, it starts one in the background, which stops some time after its last agent has left. TOOLCRIB_TOKEN identifies the agent; the default is the agent token of the data folder. TOOLCRIB_SURFACE (auto, search, direct, code or full) chooses the tools that the agent sees; the default is in the config.',
  examples: [{ line: 'stdio', meaning: 'Runs the bridge. Configure your agent to launch this command.' }],
  async run({ context }) {
    const { runStdio } = await import('../../stdio/stdio.ts');
    const { dataDir, configPath } = context;
    const { env } = context.host;
    const connect = () => ensureGateway({ dataDir, env, configPath });
    return { exitCode: await runStdio({ env, dataDir, connect }) };
  },
});
