/** `toolcrib config path`: where the config file is, or would be. */

import { access } from 'node:fs/promises';
import { defineCommand } from '../command.ts';

export const configPath = defineCommand({
  name: 'config path',
  summary: 'Print the path of the config file',
  description: 'The file that is used, or, where there is none yet, the one in the data folder that would be.',
  examples: [{ line: 'config path', meaning: 'To open it in an editor: $EDITOR "$(toolcrib config path)"' }],
  async run({ context }) {
    const { candidateFiles } = await import('../../../config/config.ts');
    const { cwd, env } = context.host;
    const candidates = candidateFiles({ path: context.configPath, cwd, env, dataDir: context.dataDir });
    const checked = await Promise.all(candidates.map(async (file) => ((await exists(file)) ? file : null)));
    const found = checked.find((file) => file !== null) ?? null;
    return {
      data: { file: found, candidates },
      text: found ?? candidates.at(-1) ?? '',
    };
  },
});

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
