/** The home folder, and paths that start with `~`. */

import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

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
