/** `toolcrib init`: from what other agents have to agents that use Toolcrib, in one go. */

import { defineCommand } from '../command.ts';
import { allowEnvFlag, projectFlag } from '../confirm.ts';

export const init = defineCommand({
  name: 'init',
  summary: 'Set up: import servers, connect agents, try a search',
  description:
    'Finds the agents on this machine, imports the servers that you choose, and puts Toolcrib into the agents that you choose, in place of these servers. An agent starts the gateway by itself when it needs it. "toolcrib uninstall" puts every file back. Writes a config file with comments if there is none.',
  flags: {
    yes: { summary: 'Ask nothing: all servers of yours, all agents' },
    project: projectFlag,
    'allow-env': allowEnvFlag,
  },
  examples: [
    { line: 'init', meaning: 'Asks which servers to import and which agents to connect.' },
    { line: 'init --yes', meaning: 'The same without questions.' },
  ],
  async run({ flags, context }) {
    // The readers of all formats are loaded for this command alone.
    const { runInit } = await import('../setup/run-init.ts');
    return runInit(flags, context);
  },
});
