/** Makes a folder with all that is missing above it. Node's own way tries without end where the system can never have it. */

import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCodeOf } from './errors.ts';

/** Readable by its owner alone. Throws what the system says where there can be no such folder. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    const parent = dirname(path);
    if (systemCodeOf(error) !== 'ENOENT' || parent === path) throw error;
    await makeFolder(parent);
    await makeOne(path);
  }
}

/** One that is there already is left as it is; a file in its place shows when the folder is used. */
async function makeOne(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error) => {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  });
}
