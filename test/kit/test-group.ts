/**
 * Runs the test files of one group in one process, since starting a process for each costs more than most tests. Each file is a
 * suite, so that its hooks stay its own, and notes what it cost.
 */

import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import fc from 'fast-check';
import { processorMs, writeFileTime } from './file-times.ts';
import { endTracking } from './untracked-tests.ts';

const root = join(import.meta.dirname, '../..');
/** Every run tries the same made-up values, so that a failure comes again; other seeds are tried by hand. */
const seed = Number(process.env.TOOLCRIB_TEST_SEED ?? 8131);

export function runTestFiles(files: readonly string[]): void {
  fc.configureGlobal({ seed });
  for (const file of files)
    describe(file, async () => {
      let wall = 0;
      let processor = 0;
      before(() => {
        endTracking();
        wall = performance.now();
        processor = processorMs();
      });
      await import(join(root, file));
      after(() => writeFileTime({ file, wallMs: performance.now() - wall, cpuMs: processorMs() - processor }));
    });
}
