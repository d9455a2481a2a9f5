/**
 * Runs the test files of one group in one process, since starting a process for each costs more than most tests. Each file is a
 * suite, so that its hooks stay its own, and notes what it cost.
 */

import { AsyncResource } from 'node:async_hooks';
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
  let loaded: Promise<unknown> = Promise.resolve();
  for (const file of files)
    describe(file, async () => {
      let wall = 0;
      let processor = 0;
      before(() => {
        endTracking();
        wall = performance.now();
        processor = processorMs();
      });
      // Bound to this suite, and one after the other: a file that the import of another brings along would declare its tests there.
      const load = AsyncResource.bind(() => import(join(root, file)));
      const finish = AsyncResource.bind(() =>
        after(() => writeFileTime({ file, wallMs: performance.now() - wall, cpuMs: processorMs() - processor })),
      );
      const earlier = loaded;
      loaded = earlier.catch(() => {}).then(load);
      await loaded;
      finish();
    });
}
