/** The config file that `init` writes where there is none: every setting is a comment with its default. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/folders.ts';
import { inspectConfig } from '../../../config/config.ts';
import type { CommandContext } from '../context.ts';
import { configLocation } from '../trusted-config.ts';

export const firstConfig = `// Settings of Toolcrib. Remove the slashes before a setting to change it: it applies at once, without a restart.
// "toolcrib config check" finds mistakes; all settings: docs/reference/config.schema.json, or "toolcrib config schema".
{
  // Servers of your own, in the form that agents use. Those that you import or add by a command are kept elsewhere.
  "mcpServers": {
    // "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] },
  },

  // Where the gateway listens; this needs a restart.
  // "listen": { "host": "127.0.0.1", "port": 3333 },

  // Milliseconds for one call, and the largest result that an agent gets whole.
  // "calls": { "timeoutMs": 60000, "maxResultBytes": 20000 },

  // The number of tools in one answer of the search.
  // "search": { "maxResults": 10 },

  // A risky change of a tool waits for your review ("hold"), passes with a mark ("mark") or passes ("allow").
  // approveNew: tools of a new server wait, too.
  // "access": { "upgrades": "hold", "approveNew": false },

  // Keep the arguments of calls in the audit, and how long records are kept.
  // "audit": { "arguments": false, "retentionDays": 365 },
}
`;

/** Resolves with its path; null: there is a config file already. */
export async function writeFirstConfig(context: CommandContext): Promise<string | null> {
  const { dataDir } = context;
  if ((await inspectConfig(configLocation(context))).file !== null) return null;
  const file = join(dataDir, 'toolcrib.json');
  await makeFolder(dataDir);
  try {
    await writeFile(file, firstConfig, { flag: 'wx', mode: 0o600 });
    return file;
  } catch (error) {
    // Somebody was faster.
    if (systemCodeOf(error) === 'EEXIST') return null;
    throw error;
  }
}
