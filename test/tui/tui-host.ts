/**
 * Shows the terminal UI again and again, each time from its beginning, in one terminal and one process: loading is most of what a
 * start costs. Takes the data folder of the next one as a line of input.
 */

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { runCli } from '../../src/surfaces/cli/cli.ts';

const { env, stdin, stdout, stderr } = process;
// The timers of a command do not keep a process alive.
setInterval(() => {}, 2 ** 30);
for (;;) {
  stdout.write('folder? ');
  const lines = createInterface(stdin);
  const [dataDir] = await once(lines, 'line');
  lines.close();
  const { signal } = new AbortController();
  await runCli({ argv: ['tui', '--data', dataDir], cwd: process.cwd(), env, stdin, stdout, stderr, signal });
}
