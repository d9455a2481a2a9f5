/** A folder for one run of a program, with a home and a place to work in; it goes away at the end. */

import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Scratch extends AsyncDisposable {
  readonly folder: string;
  /** Stands for the home of whoever runs the programs, so that no setting of this machine has a say. */
  readonly home: string;
  readonly dataDir: string;
  /** An environment with that home, where nothing outside this machine can be reached by programs that obey proxies. */
  readonly env: NodeJS.ProcessEnv;
}

export async function openScratch(): Promise<Scratch> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-real-')));
  const home = join(folder, 'home');
  const dataDir = join(folder, 'data');
  await mkdir(home);
  await mkdir(dataDir);
  return {
    folder,
    home,
    dataDir,
    env: { PATH: process.env.PATH, LANG: process.env.LANG ?? 'C.UTF-8', TMPDIR: tmpdir(), HOME: home, ...offline },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Port 9 discards what it gets, where it exists at all: whoever asks a proxy there is told at once that there is no way out. */
const nowhere = 'http://127.0.0.1:9';
export const offline: Readonly<Record<string, string>> = {
  HTTP_PROXY: nowhere,
  HTTPS_PROXY: nowhere,
  NO_PROXY: '127.0.0.1,localhost',
  NODE_USE_ENV_PROXY: '1',
};
