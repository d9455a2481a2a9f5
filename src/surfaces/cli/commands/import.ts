/** `toolcrib import`: takes over the servers that other agents on this machine have. Their files are only read. */

import { defineCommand } from '../command.ts';
import { allowEnvFlag, projectFlag, yesFlag } from '../confirm.ts';

export const importCommand = defineCommand({
  name: 'import',
  summary: 'Take over the servers that other agents have configured',
  description:
    'Reads the config files of claude-code, claude-desktop, cursor, vscode, codex, gemini, zed, windsurf, cline, continue, goose, opencode and lmstudio: those of the user, and those of the current folder. Shows a plan, then asks. Secrets in them go to the vault. Never changes these files.',
  flags: {
    from: { value: 'AGENTS', summary: 'Only these agents, with commas between them', default: 'all' },
    'dry-run': { summary: 'Show the plan and change nothing' },
    yes: yesFlag,
    project: projectFlag,
    'allow-env': allowEnvFlag,
  },
  examples: [
    { line: 'import', meaning: 'Shows what was found and asks which servers to take.' },
    { line: 'import --from cursor,vscode --yes', meaning: 'All servers of two agents, without a question.' },
  ],
  async run({ flags, context }) {
    // The readers of all formats are loaded for this command alone.
    const { runImport } = await import('../setup/run-import.ts');
    return runImport(flags, context);
  },
});
