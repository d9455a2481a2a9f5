/**
 * Preloaded into a command: kills its process, as nothing can be caught, before the change of the file system with the number
 * in KILL_AT. Only changes below the folders in KILL_BELOW count.
 */

import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const last = Number(process.env.KILL_AT);
const folders = (process.env.KILL_BELOW ?? '').split('\n');
let count = 0;

function beforeChange(path: unknown): void {
  if (!folders.some((folder) => String(path).startsWith(folder))) return;
  count += 1;
  if (count === last) process.kill(process.pid, 'SIGKILL');
}

const { open, rename, rm, mkdir } = fs;
Object.assign(fs, {
  async open(...args: Parameters<typeof open>): Promise<FileHandle> {
    const isNew = args[1] === 'wx';
    if (isNew) beforeChange(args[0]);
    const file = await open(...args);
    if (!isNew) return file;
    const writeFile = file.writeFile.bind(file);
    file.writeFile = (...written) => {
      beforeChange(args[0]);
      return writeFile(...written);
    };
    return file;
  },
  rename(...args: Parameters<typeof rename>) {
    beforeChange(args[1]);
    return rename(...args);
  },
  rm(...args: Parameters<typeof rm>) {
    beforeChange(args[0]);
    return rm(...args);
  },
  mkdir(...args: Parameters<typeof mkdir>) {
    beforeChange(args[0]);
    return mkdir(...args);
  },
});
syncBuiltinESMExports();
