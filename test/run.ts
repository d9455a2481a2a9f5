/**
 * Runs the tests: `node test/run.ts` all of them, `--unit` the fast ones (beside the source, and the house rules),
 * `--only PART` those whose path contains PART. Prints the totals of Node's test runner, and the files that cost most.
 */

import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { dearestFiles, TIMES_VARIABLE } from './kit/file-times.ts';

const { values } = parseArgs({ options: { unit: { type: 'boolean' }, only: { type: 'string', multiple: true } } });

const patterns = values.unit
  ? ['src/**/*.test.ts', 'test/tidy/*.test.ts']
  : ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'];
const isWanted = (file: string) => (values.only ?? ['']).some((part) => file.includes(part));
const files = globSync(patterns).filter(isWanted).sort();

if (files.length === 0) {
  console.error('No test file fits.');
  process.exit(2);
}

const times = mkdtempSync(join(tmpdir(), 'toolcrib-times-'));
// Compiled once for all: each file is a process, and starts more of them.
const compiled = join(import.meta.dirname, '../node_modules/.cache/toolcrib-tests');
const child = spawn(
  process.execPath,
  [
    '--disable-warning=ExperimentalWarning',
    `--import=${join(import.meta.dirname, 'kit/file-times.ts')}`,
    '--test',
    `--test-concurrency=${Math.max(1, Math.min(4, availableParallelism()))}`,
    // Above all that tests wait for by themselves (HANG_MS), so that those say what did not come.
    '--test-timeout=600000',
    ...files,
  ],
  { stdio: 'inherit', env: { NODE_COMPILE_CACHE: compiled, ...process.env, [TIMES_VARIABLE]: times } },
);
child.on('exit', (code, signal) => {
  console.log(dearestFiles(times));
  rmSync(times, { recursive: true });
  process.exit(signal ? 1 : (code ?? 1));
});
