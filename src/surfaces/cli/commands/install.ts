/** `toolcrib install` and `uninstall`: Toolcrib in the config files of agents. */

import { defineCommand } from '../command.ts';

const agent = {
  summary:
    'claude-code, claude-desktop, cursor, vscode, codex, gemini, zed, windsurf, cline, continue, goose, opencode or lmstudio',
  isVariadic: true,
} as const;
const dryRun = { summary: 'Show how the file would change, and change nothing' };

export const install = defineCommand({
  name: 'install',
  isOrder: true,
  summary: 'Put Toolcrib into the config of an agent',
  description:
    'Makes a token for the agent alone and writes an entry "toolcrib" into its own config file; everything else in the file stays as it is, and a backup is kept until "toolcrib uninstall". A file of project scope, which people share, gets no token: its entry starts "toolcrib stdio".',
  args: { agent },
  flags: {
    scope: {
      value: 'SCOPE',
      choices: ['user', 'project'],
      summary: 'The file of the user, or the one of the project in the current folder',
      default: 'user',
    },
    transport: {
      value: 'NAME',
      choices: ['http', 'stdio'],
      summary: 'How the agent connects; over stdio it starts the gateway by itself',
      default: 'as it is now; at first http where the agent can, the file is not shared and the port stays the same',
    },
    move: { summary: 'Take the servers that Toolcrib has out of the file; uninstall puts them back' },
    'dry-run': dryRun,
    yes: { summary: 'Replace an entry "toolcrib" that somebody else wrote' },
  },
  examples: [
    { line: 'install claude-code', meaning: 'Claude Code uses Toolcrib in every project.' },
    { line: 'install cursor codex --dry-run', meaning: 'Shows how the files of two agents would change.' },
    { line: 'install vscode --scope project', meaning: 'For everybody who opens the project, without a token.' },
  ],
  async run({ args, flags, context }) {
    // The readers of all formats are loaded for these commands alone.
    const { runInstall } = await import('../setup/run-install.ts');
    return runInstall(args.agent, flags, context);
  },
});

export const uninstall = defineCommand({
  name: 'uninstall',
  isOrder: true,
  summary: 'Take Toolcrib out of the config of an agent',
  description:
    'Puts every file back as it was before "toolcrib install". In a file that was edited since, the edits stay: only the entry of Toolcrib goes, and servers that were moved come back, unless you wrote others in their place. Also revokes the token and deletes the backup, or says where it is kept if something in it did not come back. An entry of Toolcrib is found without its record, too, as after the data folder was deleted.',
  args: { agent: { ...agent, isOptional: true } },
  flags: { all: { summary: 'Every agent that has Toolcrib' }, 'dry-run': dryRun },
  examples: [
    { line: 'uninstall claude-code', meaning: 'Claude Code has its own servers again.' },
    { line: 'uninstall --all', meaning: 'Every agent has.' },
  ],
  async run({ args, flags, context }) {
    const { runUninstall } = await import('../setup/run-install.ts');
    return runUninstall(args.agent, flags, context);
  },
});
