/**
 * Runs the tests: `node test/run.ts` all of them, `--unit` the fast ones (beside the source, and the house rules),
 * `--only PART` those whose path contains PART. Prints the totals of Node's test runner, and the files that cost most; fails
 * also when a unit test costs too much of the processor.
 */

import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, matchesGlob } from 'node:path';
import { parseArgs } from 'node:util';
import { dearestFiles, mostUnitMs, processorMs, TIMES_VARIABLE, tooDearUnits } from './kit/file-times.ts';

const { values } = parseArgs({ options: { unit: { type: 'boolean' }, only: { type: 'string', multiple: true } } });

const unitPatterns = ['src/**/*.test.ts', 'test/tidy/*.test.ts'];
const patterns = values.unit ? unitPatterns : [...unitPatterns, 'test/**/*.test.ts', 'bench/**/*.test.ts'];
const isWanted = (file: string) => (values.only ?? ['']).some((part) => file.includes(part));
const files = globSync(patterns).filter(isWanted).sort();

if (files.length === 0) {
  console.error('No test file fits.');
  process.exit(2);
}

/** Files of one folder, or scenarios of one topic, share a process; what lies in `test` itself is long and runs alone. */
function groupOf(file: string): string {
  const [, topic] = /^test\/scenarios\/([a-z]+)/.exec(file) ?? [];
  if (topic !== undefined) return `scenarios-${topic}`;
  const [top, folder] = file.split('/');
  return dirname(file) === 'test' ? file.replaceAll(/\W/g, '-') : `${top}-${folder}`;
}

/** The runner goes by the names of files: long groups come first, so that none is left alone at the end. */
function orderOf(group: string): number {
  return ['test', 'scenarios', 'src'].indexOf(group.slice(0, group.indexOf('-')));
}

const notes = mkdtempSync(join(tmpdir(), 'toolcrib-tests-'));
const kit = JSON.stringify(join(import.meta.dirname, 'kit/test-group.ts'));
const groups = [...Map.groupBy(files, groupOf)].map(([group, members]) => {
  const entry = join(notes, `${orderOf(group) + 1}-${group}.test.ts`);
  writeFileSync(entry, `import { runTestFiles } from ${kit};\nrunTestFiles(${JSON.stringify(members)});\n`);
  return entry;
});

// Compiled once for all: each group is a process, and starts more of them.
const compiled = join(import.meta.dirname, '../node_modules/.cache/toolcrib-tests');
const child = spawn(
  process.execPath,
  [
    '--disable-warning=ExperimentalWarning',
    '--test',
    // One more than there are cores, since tests often wait for other processes.
    `--test-concurrency=${Math.min(8, availableParallelism() + 1)}`,
    // Above all that tests wait for by themselves (HANG_MS), so that those say what did not come. It counts for a whole group.
    '--test-timeout=3000000',
    ...groups,
  ],
  { stdio: 'inherit', env: { NODE_COMPILE_CACHE: compiled, ...process.env, [TIMES_VARIABLE]: notes } },
);
child.on('exit', (code, signal) => {
  console.log(dearestFiles(notes, processorMs()));
  const tooDear = tooDearUnits(notes, (file) => unitPatterns.some((pattern) => matchesGlob(file, pattern)));
  if (tooDear.length > 0) {
    console.error(
      `A unit test takes at most ${mostUnitMs / 1_000} s of the processor. Make it cheaper, or a scenario:`,
    );
    console.error(tooDear.join('\n'));
  }
  rmSync(notes, { recursive: true });
  process.exit(signal !== null || tooDear.length > 0 ? 1 : (code ?? 1));
});
