/** Makes sure that the data folder is our own: what somebody else puts into it would be believed, and be the owner. */

import { chmod, lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError, systemCodeOf } from '../../base/errors.ts';

/** The files that are believed. Anything else may lie there and be anybody's. */
const believed = /^(toolcrib\.|gateway\.lock|(owner|agent)-token$|secret-key$|results$|trusted-configs\.json$)/;

const writableByOthers = 0o022;
/** Of a folder in which everybody may have files, but nobody those of others. */
const sticky = 0o1000;

/** Our user id; undefined where the system has none. */
type User = number | undefined;

/** Before anything in it is read or written: throws STORE_BROKEN where it is not ours, and takes from others the right to write. */
export async function claimFolder(dataDir: string, user: User = process.getuid?.()): Promise<void> {
  const folder = await checkFolder(dataDir, user);
  if (folder === undefined || (folder.mode & writableByOthers) === 0) return;
  if ((folder.mode & sticky) !== 0) throw shared(dataDir);
  await chmod(dataDir, folder.mode & 0o7777 & ~writableByOthers).catch((error) => {
    // A volume that the system manages for us, or a disk that knows no modes: whose the files are was checked all the same.
    if (!isPassedOver(error)) throw error;
  });
}

/** For those who only look. Gives what the system says about the folder; undefined: there is none, or nothing can be known. */
export async function checkFolder(
  dataDir: string,
  user: User = process.getuid?.(),
): Promise<{ readonly mode: number } | undefined> {
  if (user === undefined) return undefined;
  const folder = await orNothing(stat(dataDir));
  if (folder === undefined) return undefined;
  // Nothing is safe from root. Root may be meant to work in another user's folder, such as in a container.
  const trusted = new Set([user, 0, ...(user === 0 ? [folder.uid] : [])]);
  if (!trusted.has(folder.uid)) throw foreign(`The data folder ${dataDir}`);
  for (const name of await readdir(dataDir)) {
    if (!believed.test(name)) continue;
    const file = join(dataDir, name);
    const entry = await orNothing(lstat(file));
    if (entry !== undefined && !trusted.has(entry.uid)) throw foreign(file);
  }
  return folder;
}

/** Files come and go while a gateway runs. */
function orNothing<T>(found: Promise<T>): Promise<T | undefined> {
  return found.catch((error) => {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
}

function isPassedOver(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EROFS'].includes(systemCodeOf(error) ?? '');
}

function foreign(what: string): GatewayError {
  return new GatewayError('STORE_BROKEN', `${what} belongs to another user, and is not trusted.`, {
    hint: 'Choose a data folder of your own with --data. If it should be yours, check its files, then make it yours with chown.',
  });
}

function shared(dataDir: string): GatewayError {
  return new GatewayError('STORE_BROKEN', `${dataDir} is a shared folder and cannot be the data folder.`, {
    hint: 'Choose one of your own with --data, such as a folder inside of it.',
  });
}
