/** Folders: the home folder, paths that start with `~`, and making a folder with all that is missing above it. */

import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { systemCodeOf } from './errors.ts';

/** Where the gateway keeps its data unless told otherwise: `~/.toolcrib`. */
export function defaultDataDir(env: NodeJS.ProcessEnv): string {
  return join(homeOf(env), '.toolcrib');
}

/** `~` and `~/…` become paths in the home folder; anything else (also `~someone`) is returned as it is. */
export function expandHome(path: string, env: NodeJS.ProcessEnv): string {
  if (path === '~') return homeOf(env);
  if (path.startsWith('~/') || path.startsWith('~\\')) return join(homeOf(env), path.slice(2));
  return path;
}

/** An absolute path: `~` expanded, then taken relative to `baseDir`. */
export function absolutePath(path: string, env: NodeJS.ProcessEnv, baseDir: string): string {
  return resolve(baseDir, expandHome(path, env));
}

export function homeOf(env: NodeJS.ProcessEnv): string {
  return env.HOME || env.USERPROFILE || homedir();
}

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
