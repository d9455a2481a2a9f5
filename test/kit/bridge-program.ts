/** The stdio bridge as a program of its own, for tests: the gateway is the one that a file names, looked up at every search. */

import { readFile } from 'node:fs/promises';
import { runStdio } from '../../src/surfaces/stdio/stdio.ts';

const file = process.env.BRIDGE_PLACE ?? '';

process.exitCode = await runStdio({
  env: process.env,
  dataDir: '',
  connect: async () => {
    const text = await readFile(file, 'utf8').catch(() => {
      throw new Error('there is no gateway in this test');
    });
    return JSON.parse(text) as { url: string; token: string };
  },
});
