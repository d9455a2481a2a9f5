/**
 * Measures the judgement of definitions on labelled samples: of poisoned and honest ones at first sight, and of rug pulls and honest
 * upgrades.
 *
 * Without options it looks at the collections with which the detector was made, and can name what it gets wrong; with `--held-out` at
 * the one that nothing was learnt from (but limits were chosen by it), of which it gives figures only; with `--folder` at the samples
 * of a folder such as `test/poison/deciding`, and with `--weights` it learns the weights of the reader's impressions from them.
 */

import { parseArgs } from 'node:util';
import { judgeChange } from '../src/trust/judge-change.ts';
import type { Reason } from '../src/trust/judgement.ts';
import { impressionsIn, scanDefinition } from '../src/trust/scan/scan.ts';
import { neighboursOfSample } from '../test/poison/neighbours.ts';
import { isHeldOut, readChanges, readCorpus, readFolder, type Sample } from '../test/poison/read-corpus.ts';
import { type Lesson, learnWeights } from './kit/reader-weights.ts';
import { rounded } from './kit/statistics.ts';

const usage = 'npm run bench:scanner -- [--held-out | --wrong | --folder DIR [--wrong | --weights]] [--json]';
/** Of a normal distribution, between which 95 of 100 values lie. */
const z = 1.959964;

/** The share of honest definitions, and of honest changes, that the weights may hold back. */
const mostFalse = { whole: 0.012, added: 0.025 };

type Verdict = 'held' | 'marked' | 'passed';

interface Judged {
  readonly id: string;
  readonly label: Sample['label'];
  readonly kind: string;
  /** Definitions at first sight, or changes. */
  readonly of: 'definitions' | 'changes';
  readonly verdict: Verdict;
  readonly reasons: readonly Reason[];
}

interface Row {
  readonly of: Judged['of'];
  readonly label: Sample['label'];
  readonly kind: string;
  readonly samples: number;
  /** Shares with the bounds of their 95 % intervals (Wilson). */
  readonly held: number;
  readonly low: number;
  readonly high: number;
  readonly marked: number;
}

process.exitCode = main(process.argv.slice(2));

function main(args: string[]): number {
  const { values } = parseArgs({
    args,
    options: {
      'held-out': { type: 'boolean' },
      folder: { type: 'string' },
      wrong: { type: 'boolean' },
      weights: { type: 'boolean' },
      json: { type: 'boolean' },
    },
  });
  const wantsHeldOut = values['held-out'] === true;
  if (wantsHeldOut && (values.wrong || values.folder !== undefined)) {
    console.error(`Of what is held out there are figures only: ${usage}`);
    return 2;
  }
  if (values.folder !== undefined && values.weights) {
    printWeights(values.folder);
    return 0;
  }
  const samples = values.folder
    ? readFolder(values.folder)
    : readCorpus().filter((sample) => isHeldOut(sample) === wantsHeldOut);
  const started = performance.now();
  const seen = samples.map(atFirstSight);
  const msEach = rounded((performance.now() - started) / Math.max(1, samples.length));
  const judged = [...seen, ...(values.folder ? judgedChanges(values.folder) : [])];
  const rows = rowsOf(judged);
  const part = values.folder ?? (wantsHeldOut ? 'held-out' : 'development');
  if (values.json) console.log(JSON.stringify({ part, rows, msEach }));
  else print(rows, part, msEach);
  if (values.wrong) printWrong(judged);
  return 0;
}

/** Learns the weights of the reader's impressions from samples that it has not learnt from. */
function printWeights(folder: string): void {
  const lessonOf = (label: Sample['label'], impressions: Lesson['impressions'] | undefined): Lesson[] =>
    impressions ? [{ isBad: label === 'bad', impressions }] : [];
  const whole = readFolder(folder).flatMap(({ label, server, definition }) =>
    lessonOf(label, impressionsIn(definition, server)),
  );
  const added = readChanges(folder).flatMap(({ label, server, steps }) =>
    lessonOf(label, impressionsIn(steps.at(-1) ?? {}, server, steps[0])),
  );
  console.log(JSON.stringify({ whole: learnWeights(whole, mostFalse.whole) }));
  console.log(JSON.stringify({ added: learnWeights(added, mostFalse.added) }));
}

function atFirstSight(sample: Sample): Judged {
  const { id, label, kind } = sample;
  const reasons = scanDefinition(sample.definition, neighboursOfSample(sample));
  const isHard = reasons.some(({ weight }) => weight === 'hard');
  return {
    ...{ id, label, kind, of: 'definitions', reasons },
    verdict: isHard ? 'held' : reasons.length > 0 ? 'marked' : 'passed',
  };
}

/** As the pins do: each step against the one before, and against the first. */
function judgedChanges(folder: string): Judged[] {
  return readChanges(folder).map(({ id, label, kind, server, others, steps }): Judged => {
    const neighbours = neighboursOfSample({ server, others });
    const [first = {}] = steps;
    const risky = steps
      .slice(1)
      .flatMap((after, at) => [steps[at] ?? first, first].map((before) => judgeChange(before, after, neighbours)))
      .find(({ grade }) => grade === 'risky');
    return { id, label, kind, of: 'changes', verdict: risky ? 'held' : 'passed', reasons: risky?.reasons ?? [] };
  });
}

function rowsOf(judged: readonly Judged[]): Row[] {
  const groups = [...Map.groupBy(judged, ({ of, label }) => `${of} ${label}`).values()];
  return groups.flatMap((all) => {
    const kinds = [...Map.groupBy(all, ({ kind }) => kind).values()].sort(([a], [b]) =>
      `${a?.kind}`.localeCompare(`${b?.kind}`),
    );
    return [{ ...rowOf(all), kind: 'all' }, ...kinds.map(rowOf)];
  });
}

function rowOf(judged: readonly Judged[]): Row {
  const [{ of, label, kind } = { of: 'definitions', label: 'bad', kind: '' } as const] = judged;
  const count = (verdict: Verdict) => judged.filter((item) => item.verdict === verdict).length;
  const share = (part: number) => rounded(part / Math.max(1, judged.length));
  const [low, high] = wilson(count('held'), judged.length);
  const shares = { held: share(count('held')), low, high, marked: share(count('marked')) };
  return { of, label, kind, samples: judged.length, ...shares };
}

function wilson(hits: number, count: number): [low: number, high: number] {
  if (count === 0) return [0, 1];
  const p = hits / count;
  const middle = p + z ** 2 / (2 * count);
  const reach = z * Math.sqrt((p * (1 - p)) / count + z ** 2 / (4 * count ** 2));
  const scale = 1 + z ** 2 / count;
  return [rounded((middle - reach) / scale), rounded((middle + reach) / scale)];
}

function print(rows: readonly Row[], part: string, msEach: number): void {
  console.log(`Judgement of definitions and changes: ${part}.`);
  for (const { of, label, kind, samples, held, low, high, marked } of rows) {
    const what = kind === 'all' ? `${label.toUpperCase()} ${of}` : `  ${kind}`;
    const interval = `[${low.toFixed(3)}, ${high.toFixed(3)}]`;
    console.log(
      `${what.padEnd(24)} ${String(samples).padStart(4)}  held ${held.toFixed(3)} ${interval}  marked ${marked.toFixed(3)}`,
    );
  }
  console.log(`${msEach} ms a definition`);
}

function printWrong(judged: readonly Judged[]): void {
  for (const { id, label, kind, verdict, reasons } of judged) {
    if ((verdict === 'held') === (label === 'bad') && verdict !== 'marked') continue;
    const said = reasons.map(({ where, sentence }) => `${where}: ${sentence}`).join(' ');
    console.log(`${label} ${verdict} ${id} (${kind}) ${said}`);
  }
}
