/**
 * The scoreboard: faults, bad inputs and load, as checks against the real program, each judged from its record. Prints one
 * line to quote. A check that did not run has failed; one that is not built yet is named as such.
 */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../src/base/errors.ts';
import { checks } from './checks.ts';
import { examine } from './examine.ts';
import { scoreLine, verdictLines } from './report.ts';
import { choose } from './scoreboard.ts';

const usage =
  'npm run exam -- [--only S01,B12 | faults | bad-inputs | load | own] [--quick] [--store sqlite | postgres] [--seed N] [--json] [--history DIR] [--root DIR] [--list]';

// Ended only here: a gateway under examination may leave handles that would keep this process alive.
process.exit(await main(process.argv.slice(2)));

async function main(args: string[]): Promise<number> {
  let values: ReturnType<typeof wishes>;
  try {
    values = wishes(args);
  } catch (error) {
    return refuse(`${messageOf(error)}\n${usage}`);
  }
  const seed = values.seed === undefined ? Math.floor(Math.random() * 10_000) : Number(values.seed);
  if (!Number.isSafeInteger(seed)) return refuse(`--seed is a whole number: ${usage}`);
  const words = values.only?.split(',').filter((word) => word !== '') ?? [];
  const isShared = values.store === 'postgres';
  if (!isShared && values.store !== 'sqlite') return refuse(`--store is sqlite or postgres: ${usage}`);
  let chosen: ReturnType<typeof choose>;
  try {
    chosen = choose(words, checks);
    if (isShared && words.length === 0)
      chosen = { chosen: chosen.chosen.filter(({ isAboutStore }) => isAboutStore), missing: [] };
  } catch (error) {
    return refuse(messageOf(error));
  }
  if (values.list) return list(chosen);
  const history = resolve(values.history ?? mkdtempSync(join(tmpdir(), 'toolcrib-exam-history-')));
  const root = resolve(values.root ?? join(import.meta.dirname, '..'));
  const size = values.quick ? 'quick' : 'full';
  if (!values.json) console.info(`seed ${seed}, ${size}, on ${values.store}, histories in ${history}`);
  const report = await examine(chosen.chosen, chosen.missing, {
    ...{ root, history, seed, size },
    ...(isShared && { newDatabase: (await import('./kit/postgres-database.ts')).newDatabase }),
    onVerdict: (verdict) => values.json || console.info(verdictLines(verdict)),
  });
  if (values.json) console.info(JSON.stringify(report));
  else {
    console.info(scoreLine(report, chosen.chosen));
    if (report.notBuilt.length > 0) console.info(`not built (${report.notBuilt.length}): ${report.notBuilt.join(' ')}`);
  }
  // Nothing examined is nothing passed.
  return report.failed.length === 0 && report.passed.length > 0 ? 0 : 1;
}

function wishes(args: string[]) {
  return parseArgs({
    args,
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      store: { type: 'string', default: 'sqlite' },
      seed: { type: 'string' },
      json: { type: 'boolean', default: false },
      history: { type: 'string' },
      root: { type: 'string' },
      list: { type: 'boolean', default: false },
    },
  }).values;
}

function list({ chosen, missing }: ReturnType<typeof choose>): number {
  for (const { id, title, passes } of chosen) console.info(`${id}  ${title}: ${passes}`);
  if (missing.length > 0) console.info(`not built (${missing.length}): ${missing.join(' ')}`);
  return 0;
}

function refuse(sentence: string): number {
  console.error(sentence);
  return 2;
}
