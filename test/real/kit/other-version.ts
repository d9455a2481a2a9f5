/** Other versions of this checkout, each in a folder of its own: an older commit, or the present one with a step that changes the tables. */

import assert from 'node:assert/strict';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { runProgram } from './run-program.ts';

const checkout = resolve(import.meta.dirname, '../../..');
const limitMs = 600_000;

export interface OtherVersion {
  /** As `toolcrib status` shows it. */
  readonly version: string;
  /** Its `bin/toolcrib.js`. */
  readonly program: string;
  readonly folder: string;
}

/** The last commit that lacks a step of the present one or, where several gateways did not get on then, the first where they did. */
export async function olderCommit(): Promise<string> {
  const present = new Set(await stepsOf('HEAD'));
  const proof = 'test/kills/replicas.ts';
  const [first = ''] = (await git('log', '--diff-filter=A', '--format=%H', '--', proof)).split('\n');
  const commits = (await git('log', '--format=%H', `${first}..`, '--', 'src/store')).split('\n');
  for (const commit of commits) {
    const steps = await stepsOf(commit);
    // A step that has another name by now was never released.
    if (steps.length < present.size && steps.every((step) => present.has(step))) return commit;
  }
  return first;
}

/** The files of a commit, installed, under a version that tells it from this checkout. */
export async function checkOut(commit: string, folder: string, suffix: string): Promise<OtherVersion> {
  await mkdir(folder);
  const archive = `${folder}.tar`;
  await git('archive', `--output=${archive}`, commit);
  await run('tar', ['-xf', archive], folder);
  const [own, other] = await Promise.all(
    [checkout, folder].map((at) => readFile(join(at, 'package-lock.json'), 'utf8')),
  );
  // The same packages are there already.
  if (own === other) await symlink(join(checkout, 'node_modules'), join(folder, 'node_modules'));
  else await run('npm', ['ci', '--no-fund', '--no-audit'], folder);
  const manifest = join(folder, 'package.json');
  const facts = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  const version = `${facts.version}-${suffix}`;
  await writeFile(manifest, JSON.stringify({ ...facts, version }));
  return { version, program: join(folder, 'bin/toolcrib.js'), folder };
}

/** Adds to a version a step as the next one may be: a table, and columns in tables that every call reads and writes. */
export async function addStep({ folder }: OtherVersion): Promise<string> {
  const name = `${String(Number((await newestStep('HEAD')).slice(0, 4)) + 1).padStart(4, '0')}-made-up`;
  const list = join(folder, 'src/store/records.ts');
  const text = await readFile(list, 'utf8');
  const longer = text
    .replace(/^import /m, `import { madeUpRecord } from './made-up.ts';\nimport `)
    .replace('\n] as const;', '\n  madeUpRecord,\n] as const;');
  assert.notEqual(longer, text, 'src/store/records.ts has another form.');
  await writeFile(list, longer);
  await writeFile(
    join(folder, 'src/store/made-up.ts'),
    `import { runSql } from './record.ts';
export const madeUpRecord = {
  migrations: {
    '${name}': (db) => runSql(db,
      'create table "made_up" (id integer primary key, note text not null)',
      ...['replica', 'approval', 'audit', 'token', 'call'].map((table) =>
        \`alter table "\${table}" add column made_up integer not null default 0\`)),
  },
  open: () => ({}),
};
`,
  );
  return name;
}

/** Of the tables that a commit makes. */
export async function newestStep(commit: string): Promise<string> {
  return (await stepsOf(commit)).at(-1) ?? '';
}

async function stepsOf(commit: string): Promise<string[]> {
  const found = await git('grep', '-hoE', "'0[0-9]{3}-[a-z-]+'", commit, '--', 'src/store');
  return [...new Set(found.replaceAll("'", '').split('\n'))].sort();
}

function git(...words: string[]): Promise<string> {
  return run('git', words, checkout);
}

async function run(program: string, words: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram(program, words, { cwd, env: process.env, timeoutMs: limitMs });
  assert.equal(code, 0, `${program} ${words[0]} failed: ${stderr}`);
  return stdout.trim();
}
