/**
 * Changes single tokens of the sources and tells which changes no test notices: `node test/mutants/mutants.ts --count 400 --seed 1`.
 * `--folder src/door` (several run in order), `--jobs 1`, `--scenarios 0` runs only unit tests, `--resume FILE` continues
 * a stopped run, and `--again` retries its survivors.
 */

import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, globSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { TestChoice } from './choose-tests.ts';
import { findMutants, type Mutant } from './find-mutants.ts';
import { type Trial, type Verdict, Workshop } from './workshop.ts';

type Row = Omit<Mutant, 'start' | 'end'> & Trial;

const allFolders = ['src/door', 'src/access', 'src/downstream', 'src/caller', 'src/store', 'src/trust'];

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '400' },
    seed: { type: 'string', default: '1' },
    folder: { type: 'string', multiple: true, default: allFolders },
    jobs: { type: 'string', default: '1' },
    scenarios: { type: 'string', default: '2' },
    resume: { type: 'string' },
    again: { type: 'boolean', default: false },
  },
});

const root = join(import.meta.dirname, '../..');
const resultsFile = values.resume ?? join(tmpdir(), `toolcrib-mutants-${values.seed}.jsonl`);
const rows = new Map<string, Row>(readRows().map((row) => [row.id, row]));

/** A change of one file keeps the sample from the other files. */
function drawOf({ id }: Mutant): string {
  return createHash('sha256').update(`${values.seed} ${id}`).digest('hex');
}

function readRows(): Row[] {
  if (!existsSync(resultsFile)) return [];
  const lines = readFileSync(resultsFile, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Row);
}

function mutantsOf(folder: string): Mutant[] {
  const files = globSync([folder, `${folder}/**/*.ts`], { cwd: root }).filter((file) => /(?<!test)\.ts$/.test(file));
  return files.sort().flatMap((file) => findMutants(file, readFileSync(join(root, file), 'utf8')));
}

function isWanted({ id }: Mutant): boolean {
  const verdict = rows.get(id)?.verdict;
  return values.again ? verdict === 'survived' : verdict === undefined;
}

async function work(todo: Mutant[], choice: TestChoice): Promise<void> {
  const workshop = new Workshop(root);
  try {
    for (let mutant = todo.shift(); mutant !== undefined; mutant = todo.shift()) {
      const { start, end, ...facts } = mutant;
      const tests = choice.choose(facts.file, Number(values.scenarios));
      const row: Row = { ...facts, ...(await workshop.try(mutant, tests)) };
      rows.set(row.id, row);
      appendFileSync(resultsFile, `${JSON.stringify(row)}\n`);
      console.info(`${todo.length} left: ${row.verdict}  ${row.file}:${row.line}`);
    }
  } finally {
    workshop.close();
  }
}

const verdicts: readonly Verdict[] = ['killed', 'timed out', 'survived', 'skipped'];

/** The verdicts by folder, and each survivor with the tests that did not notice it. */
function tableOf(all: readonly Row[]): string {
  const byFolder = Map.groupBy(all, ({ file }) => file.split('/').slice(0, 2).join('/'));
  const lines = [...byFolder, ['all', all] as const].map(([folder, own]) => {
    const counts = verdicts.map((verdict) => own.filter((row) => row.verdict === verdict).length);
    return [folder, own.length, ...counts];
  });
  const table = [['folder', 'mutants', ...verdicts], ...lines].map((cells) =>
    cells.map((cell, at) => (at === 0 ? String(cell).padEnd(16) : String(cell).padStart(9))).join(' '),
  );
  return [...table, ...all.filter(({ verdict }) => verdict === 'survived').map(survivorOf)].join('\n');
}

function survivorOf({ file, line, before, after, tests }: Row): string {
  const shown = after === ';' ? 'removed' : `→ ${after}`;
  return `\n${file}:${line}  ${before.replaceAll(/\s+/g, ' ')} ${shown}\n  not noticed by ${tests.join(', ')}`;
}

const folders = values.folder.map((folder) => mutantsOf(folder));
const drawn = folders.flat().toSorted((one, other) => (drawOf(one) < drawOf(other) ? -1 : 1));
const sample = new Set(drawn.slice(0, Number(values.count)));
const todo = folders.flat().filter((mutant) => (values.again || sample.has(mutant)) && isWanted(mutant));
console.info(`${drawn.length} mutants, seed ${values.seed}: ${todo.length} to try. Results: ${resultsFile}`);
// A stopped run finishes its mutant, so that its copies of the repository are removed.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => todo.splice(0));
const choice = new TestChoice(root);
await Promise.all(Array.from({ length: Number(values.jobs) }, () => work(todo, choice)));
console.info(tableOf([...rows.values()]));
