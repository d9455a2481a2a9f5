/**
 * Measures the detector of poisoned definitions on the labelled corpus: how many bad ones it holds back, how many benign ones.
 *
 * Without options it looks at the collections with which the detector was made, and can name what it gets wrong; with `--held-out` at
 * the one that nothing was learnt from and nothing chosen by, of which it gives figures only.
 */

import { parseArgs } from 'node:util';
import type { Finding } from '../src/trust/judgement.ts';
import { scanDefinition } from '../src/trust/scan/scan.ts';
import { neighboursOfSample } from '../test/poison/neighbours.ts';
import { isHeldOut, readCorpus, type Sample } from '../test/poison/read-corpus.ts';
import { rounded } from './kit/statistics.ts';

const usage = 'npm run bench:scanner -- [--held-out | --wrong] [--json]';
/** Of a normal distribution, between which 95 of 100 values lie. */
const z = 1.959964;

interface Judged {
  readonly sample: Sample;
  readonly findings: readonly Finding[];
}

interface Row {
  readonly label: Sample['label'];
  readonly kind: string;
  readonly samples: number;
  /** Shares with the bounds of their 95 % intervals (Wilson). Hard: held back. */
  readonly hard: number;
  readonly low: number;
  readonly high: number;
  /** Shown for review, but not held back. */
  readonly softOnly: number;
}

process.exitCode = main(process.argv.slice(2));

function main(args: string[]): number {
  const { values } = parseArgs({
    args,
    options: {
      'held-out': { type: 'boolean' },
      wrong: { type: 'boolean' },
      json: { type: 'boolean' },
    },
  });
  const wantsHeldOut = values['held-out'] === true;
  if (wantsHeldOut && values.wrong) {
    console.error(`Of what is held out there are figures only: ${usage}`);
    return 2;
  }
  const samples = readCorpus().filter((sample) => isHeldOut(sample) === wantsHeldOut);
  const started = performance.now();
  const judged = samples.map((sample) => ({
    sample,
    findings: scanDefinition(sample.definition, neighboursOfSample(sample)),
  }));
  const msEach = rounded((performance.now() - started) / samples.length);
  const rows = rowsOf(judged);
  if (values.json) console.log(JSON.stringify({ part: wantsHeldOut ? 'held-out' : 'development', rows, msEach }));
  else print(rows, wantsHeldOut ? 'held-out collection' : 'collections that it was made with', msEach);
  if (values.wrong) printWrong(judged);
  return 0;
}

function rowsOf(judged: readonly Judged[]): Row[] {
  const labels = ['bad', 'benign'] as const;
  return labels.flatMap((label) => {
    const all = judged.filter(({ sample }) => sample.label === label);
    const kinds = [...Map.groupBy(all, ({ sample }) => sample.kind)].sort(([a], [b]) => a.localeCompare(b));
    return [rowOf(label, 'all', all), ...kinds.map(([kind, those]) => rowOf(label, kind, those))];
  });
}

function rowOf(label: Sample['label'], kind: string, judged: readonly Judged[]): Row {
  const hard = judged.filter(isHard).length;
  const any = judged.filter(({ findings }) => findings.length > 0).length;
  const [low, high] = wilson(hard, judged.length);
  const count = judged.length;
  return { label, kind, samples: count, hard: share(hard, count), low, high, softOnly: share(any - hard, count) };
}

function isHard({ findings }: Judged): boolean {
  return findings.some(({ weight }) => weight === 'hard');
}

function share(part: number, whole: number): number {
  return rounded(part / Math.max(1, whole));
}

function wilson(hits: number, count: number): [low: number, high: number] {
  if (count === 0) return [0, 1];
  const p = hits / count;
  const middle = p + z ** 2 / (2 * count);
  const reach = z * Math.sqrt((p * (1 - p)) / count + z ** 2 / (4 * count ** 2));
  const scale = 1 + z ** 2 / count;
  return [rounded((middle - reach) / scale), rounded((middle + reach) / scale)];
}

function print(rows: readonly Row[], half: string, msEach: number): void {
  console.log(`Detector of poisoned definitions on the ${half}. Held back = at least one hard finding.`);
  for (const { label, kind, samples, hard, low, high, softOnly } of rows) {
    const what = kind === 'all' ? (label === 'bad' ? 'RECALL' : 'FALSE POSITIVES') : `  ${kind}`;
    const interval = `[${low.toFixed(3)}, ${high.toFixed(3)}]`;
    console.log(
      `${what.padEnd(22)} ${String(samples).padStart(4)}  held ${hard.toFixed(3)} ${interval}  review only ${softOnly.toFixed(3)}`,
    );
  }
  console.log(`${msEach} ms a definition`);
}

function printWrong(judged: readonly Judged[]): void {
  for (const { sample, findings } of judged.filter((item) => isHard(item) === (item.sample.label === 'benign'))) {
    const said = findings.map(({ weight, where, sentence }) => `${weight} ${where}: ${sentence}`).join(' ');
    console.log(`${sample.label === 'bad' ? 'missed' : 'held wrongly'} ${sample.id} (${sample.kind}) ${said}`);
  }
}
