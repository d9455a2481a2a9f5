/** Gateways on a copy of a data folder, without its key or with another: they must not start. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Rig } from './rig.ts';
import type { Setup } from './setup.ts';

/** A copy of the folder, without its key or with another: clear words, no start, and nothing in it is touched. On a shared database the key is a variable. */
export async function otherKeys(rig: Rig, setup: Setup): Promise<void> {
  for (const [what, key] of [
    ['no key', null],
    ['another key', Buffer.alloc(32, 7).toString('base64')],
  ] as const) {
    const folder = mkdtempSync(join(tmpdir(), 'toolcrib-exam-key-'));
    try {
      cpSync(setup.dataDir, folder, { recursive: true, filter: (path) => !/\.(?:lock|sock)$|lock$/.test(path) });
      const keyFile = join(folder, 'secret-key');
      const inFile = setup.shared === undefined;
      if (inFile && key === null) rmSync(keyFile);
      else if (inFile && key !== null) writeFileSync(keyFile, key, { mode: 0o600 });
      const variables = inFile || key === null ? {} : { TOOLCRIB_SECRET_KEY: key };
      const { code, printed } = await startOn(setup, folder, variables);
      const names = ['TOOLCRIB_SECRET_KEY', ...(inFile ? ['secret-key'] : [])];
      const isClear = code !== null && code !== 0 && names.every((name) => printed.includes(name));
      rig.expect(isClear, () => `With ${what} it ended with ${code}: ${printed.slice(0, 300)}`);
      if (inFile && key !== null) rig.expect(readFileSync(keyFile, 'utf8') === key, 'The key was written over.');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function startOn(
  setup: Setup,
  folder: string,
  variables: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly printed: string }> {
  const argv = [join(setup.root, 'bin/toolcrib.js'), 'start', '--port', '0', '--json', '--data', folder];
  const child = spawn(process.execPath, [...argv, '--config', join(folder, 'toolcrib.json')], {
    env: { PATH: process.env.PATH, HOME: folder, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 15_000,
  });
  const [[code], ...printed] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code: code as number | null, printed: printed.join('') };
}
