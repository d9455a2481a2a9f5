/** Looks whether the data folder can be used. */

import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Finding } from '../../../admin/admin.ts';
import { messageOf, systemCodeOf } from '../../../base/errors.ts';

const subject = 'data';

export async function checkDataFolder(dataDir: string): Promise<Finding> {
  try {
    if (!(await stat(dataDir)).isDirectory()) return problem(`The data folder ${dataDir} is not a folder.`);
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return { severity: 'ok', subject, message: `The data folder ${dataDir} can be used.` };
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return checkParent(dataDir);
    return problem(`The data folder ${dataDir} cannot be used (${systemCodeOf(error) ?? messageOf(error)}).`);
  }
}

/** The folder is made at the first start, which needs the nearest folder above it that exists. */
async function checkParent(dataDir: string): Promise<Finding> {
  for (let folder = dirname(dataDir); ; folder = dirname(folder)) {
    const code = await access(folder, constants.W_OK | constants.X_OK).then(
      () => 'OK',
      (error) => systemCodeOf(error) ?? messageOf(error),
    );
    if (code === 'OK') {
      return { severity: 'ok', subject, message: `The data folder ${dataDir} will be made at the first start.` };
    }
    if (code !== 'ENOENT' || folder === dirname(folder)) {
      return problem(`The data folder ${dataDir} cannot be made, because of ${folder} (${code}).`);
    }
  }
}

function problem(message: string): Finding {
  return { severity: 'problem', subject, message, hint: 'Choose another folder with --data, or change who owns it.' };
}
