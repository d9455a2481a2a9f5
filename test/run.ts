/**
 * Runs the tests: `node test/run.ts` all of them, `--unit` the fast ones (beside the source, and the house rules),
 * `--only PART` those whose path contains PART. Prints the totals of Node's test runner.
 */

import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

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

const child = spawn(
  process.execPath,
  [
    '--disable-warning=ExperimentalWarning',
    '--test',
    `--test-concurrency=${Math.max(1, Math.min(4, availableParallelism()))}`,
    '--test-timeout=120000',
    ...files,
  ],
  { stdio: 'inherit' },
);
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
