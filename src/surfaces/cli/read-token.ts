/** The tokens of the data folder, for those who speak to its gateway. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError, messageOf, systemCodeOf } from '../../base/errors.ts';
import { tokenFiles } from '../../base/token-files.ts';

/** `TOOLCRIB_TOKEN` if it is set, else the token of the folder. */
export async function readToken(
  kind: keyof typeof tokenFiles,
  dataDir: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  if (env.TOOLCRIB_TOKEN) return env.TOOLCRIB_TOKEN;
  const file = join(dataDir, tokenFiles[kind]);
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new GatewayError(
      'UNAUTHENTICATED',
      `The token file ${file} cannot be read (${systemCodeOf(error) ?? messageOf(error)}).`,
      { hint: 'Give the token in TOOLCRIB_TOKEN, or the folder of the gateway with --data.', cause: error },
    );
  }
}
