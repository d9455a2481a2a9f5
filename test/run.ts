/**
 * Runs the tests: `node test/run.ts` the suite, `--unit` its fast part (beside the source, and the house rules), `--exam` the
 * quick examination, `--only PART` those of all whose path contains PART, `--full` with everything that takes long. Prints the
 * totals of Node's test runner, and the files that cost most; fails also when a unit test costs too much of the processor.
 */

import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { dearestFiles, mostUnitMs, processorMs, TIMES_VARIABLE, tooDearUnits, unitPatterns } from './kit/file-times.ts';

const { values } = parseArgs({
  options: {
    unit: { type: 'boolean' },
    exam: { type: 'boolean' },
    full: { type: 'boolean' },
    only: { type: 'string', multiple: true },
  },
});

const patterns = values.unit ? unitPatterns : [...unitPatterns, 'test/**/*.test.ts', 'bench/**/*.test.ts'];
const isExam = (file: string) => file.startsWith('test/exam-');
const isWanted = (file: string) => {
  if (values.only !== undefined) return values.only.some((part) => file.includes(part));
  return isExam(file) === (values.exam ?? false);
};
const files = globSync(patterns).filter(isWanted).sort();

if (files.length === 0) {
  console.error('No test file fits.');
  process.exit(2);
}

/**
 * Folders and topics that are short share a process: what a process loads, and its first gateway, cost more than most of their
 * files. A group is named by the first of its row; those in no row are one group. A folder within a folder goes before it.
 */
const shared: Readonly<Record<'src' | 'test' | 'scenarios', readonly (readonly string[])[]>> = {
  src: [
    [
      'admin',
      'access',
      'door',
      'endpoint',
      'meta-tools',
      'offers',
      'optimizer',
      'programs',
      'search',
      'surfaces',
      'tools',
    ],
    ['arguments', 'audit', 'caller', 'catalog', 'downstream', 'metrics', 'trust'],
    ['results', 'sandbox'],
    ['store/audit', 'store/call', 'store/replica', 'store/use'],
    ['store'],
  ],
  test: [['browser'], ['tui'], ['kit', 'poison', 'retrieval', 'servers'], ['kills']],
  scenarios: [
    ['access'],
    ['conformance'],
    ['flood'],
    ['install'],
    ['sandbox'],
    ['agents', 'bad', 'calls', 'doors', 'eras', 'fidelity', 'own', 'surfaces'],
    ['links', 'changes', 'config', 'set'],
    ['chains', 'offers', 'search'],
    ['cli', 'stdio', 'store'],
    ['processes', 'results'],
    ['owner', 'approvals', 'audit', 'disclosure', 'edges', 'live', 'review', 'secrets', 'trust'],
    ['start', 'advice', 'disk', 'first', 'issuer', 'oauth', 'optimizer', 'readme', 'restart', 'token'],
  ],
};

/** The groups that take longest, these first, so that none is left alone at the end. */
const longest: readonly string[] = [
  ...['test-exam-texts-test-ts', 'test-exam-faults-test-ts', 'scenarios-links', 'test-tui', 'scenarios-cli'],
  ...['scenarios-start', 'scenarios-others', 'test-browser', 'scenarios-agents', 'scenarios-chains'],
  ...['scenarios-processes', 'scenarios-owner', 'test-kills', 'src-arguments', 'src-store-audit', 'src-store'],
  ...['scenarios-sandbox', 'scenarios-conformance', 'scenarios-access', 'scenarios-install', 'src-results'],
  ...['test-kit', 'src-others', 'src-admin', 'scenarios-flood'],
];

/** Files of one folder, or scenarios of one topic, share a process; what lies in `test` itself is long and runs alone. */
function groupOf(file: string): string {
  const [, topic] = /^test\/scenarios\/([a-z]+)/.exec(file) ?? [];
  if (topic !== undefined) return `scenarios-${sharing('scenarios', topic)}`;
  const [top = '', folder = '', inner = ''] = file.split('/');
  if (dirname(file) === 'test') return file.replaceAll(/\W/g, '-');
  return top === 'src' || top === 'test' ? `${top}-${sharing(top, `${folder}/${inner}`, folder)}` : `${top}-${folder}`;
}

/** By the first of the names that is in a row. */
function sharing(kind: keyof typeof shared, ...names: readonly string[]): string {
  const rows = names.map((name) => shared[kind].find((row) => row.includes(name)));
  return (rows.find((row) => row !== undefined)?.[0] ?? 'others').replace('/', '-');
}

/** The runner goes by the names of files. */
function orderOf(group: string): string {
  const at = longest.indexOf(group);
  return String(at < 0 ? longest.length : at).padStart(2, '0');
}

/** A folder that Linux keeps in memory, where no commit waits for a disk; and the room that the files of tests may need. */
const memoryFolder = '/dev/shm';
const neededBytes = 4 * 1024 ** 3;

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= neededBytes;
}

const notes = mkdtempSync(join(hasRoom(memoryFolder) ? memoryFolder : tmpdir(), 'toolcrib-tests-'));
const testFiles = join(notes, 'files');
mkdirSync(testFiles);
const [untracked, kit] = ['untracked-tests.ts', 'test-group.ts'].map((name) =>
  JSON.stringify(join(import.meta.dirname, 'kit', name)),
);
const groups = [...Map.groupBy(files, groupOf)].map(([group, members]) => {
  const entry = join(notes, `${orderOf(group)}-${group}.test.ts`);
  const program = [`import ${untracked};`, `(await import(${kit})).runTestFiles(${JSON.stringify(members)});`];
  writeFileSync(entry, program.join('\n'));
  return entry;
});

// Compiled once for all: each group is a process, and starts more of them.
const compiled = join(import.meta.dirname, '../node_modules/.cache/toolcrib-tests');
const child = spawn(
  process.execPath,
  [
    '--disable-warning=ExperimentalWarning',
    '--test',
    // More than there are cores, since a group waits for other processes most of its time.
    `--test-concurrency=${Math.min(8, 3 * availableParallelism())}`,
    // Above all that tests wait for by themselves (HANG_MS), so that those say what did not come. It counts for a whole group.
    '--test-timeout=3000000',
    ...groups,
  ],
  {
    stdio: 'inherit',
    env: {
      NODE_COMPILE_CACHE: compiled,
      ...process.env,
      TMPDIR: testFiles,
      ...(values.full && { TOOLCRIB_TEST_FULL: '1' }),
      [TIMES_VARIABLE]: notes,
    },
  },
);
// A run that is stopped ends as others do: after its child, with its files removed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill());
child.on('exit', (code, signal) => {
  console.log(dearestFiles(notes, processorMs()));
  const tooDear = tooDearUnits(notes);
  if (tooDear.length > 0) {
    console.error(
      `A unit test takes at most ${mostUnitMs / 1_000} s of the processor. Make it cheaper, or a scenario:`,
    );
    console.error(tooDear.join('\n'));
  }
  // A failed check of the examination names the folder of its history.
  if (globSync('toolcrib-exam-history-*', { cwd: testFiles }).length === 0)
    rmSync(notes, { recursive: true, maxRetries: 3 });
  else console.error(`The history of a failed check is kept in ${testFiles}.`);
  process.exit(signal !== null || tooDear.length > 0 ? 1 : (code ?? 1));
});
