/** Writes a file that its owner alone can read, in one step: a reader finds the old text or the new one, also after a crash. */

import { open, rename, rm } from 'node:fs/promises';

/**
 * The folder has to be there. A draft that a killed process left behind is written again; where several processes may write at
 * once, each needs a name of its own for its draft.
 */
export async function writePrivateFile(path: string, text: string, draft = `${path}.new`): Promise<void> {
  await rm(draft, { force: true });
  {
    await using file = await open(draft, 'wx', 0o600);
    await file.writeFile(text);
    await file.sync();
  }
  await rename(draft, path);
}
