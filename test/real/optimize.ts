/**
 * Measures whether better descriptions help: runs the optimizer on tools of eight real servers behind a real gateway, with candidates by
 * the rewriter, by authors, and by both. Prints recall@1 before and after.
 *
 *   npm run real:optimize [-- --prefix DIR] [--last-look] [--json]
 *
 * Without `--last-look` the figures are those of the open prompts, by which candidates are chosen and decided. With it they are
 * those of the third that was kept apart: improving anything by them would spoil them.
 */

import { parseArgs } from 'node:util';
import { mcnemar, wilson } from '../../src/optimizer/statistics.ts';
import type { GatewayProcess } from './kit/gateway-process.ts';
import { providePackages } from './kit/packages.ts';
import { openScratch } from './kit/scratch.ts';
import { Experiment, isInPlace, policies, rankers, type ToolOutcome } from './optimize/experiment.ts';
import { promptedPackages, startPromptedServers } from './optimize/prompted-servers.ts';
import { readCandidates, readPrompts } from './optimize/records.ts';

const authors = ['rewriter', 'written', 'both'] as const;
type Author = (typeof authors)[number];

interface Row {
  readonly author: Author;
  readonly policy: string;
  readonly inPlace: number;
  readonly ranker: string;
  readonly tools: string;
  readonly before: string;
  readonly after: string;
  readonly better: number;
  readonly worse: number;
  readonly p: number;
}

const options = {
  prefix: { type: 'string' },
  'last-look': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;
const { 'last-look': isLastLook, json: isJson } = parseArgs({ options }).values;
const packages = await providePackages(promptedPackages);
const open = readPrompts('open');
const toolNames = [...new Set(open.map(({ tool }) => tool))];
const generated = new Map<string, string[]>();
const asked = open.filter(({ category }) => category !== 'negative');
const looked = isLastLook ? readPrompts('apart').filter(({ category }) => category !== 'negative') : asked;
/** With the servers' own descriptions; the same for every author. */
let baseline: { readonly worst: ReadonlySet<string>; readonly found: readonly boolean[][] } | undefined;
const rows: Row[] = [];
const decisions: Record<string, readonly ToolOutcome[]> = {};
for (const author of authors) {
  await using scratch = await openScratch();
  await using gateway = await startPromptedServers(scratch, packages, { optimize: { enabled: true } });
  decisions[author] = await runAuthor(gateway, author);
}
if (isJson) console.info(JSON.stringify({ rows, decisions }, null, 2));
else console.table(rows);

async function runAuthor(gateway: GatewayProcess, author: Author): Promise<ToolOutcome[]> {
  const experiment = new Experiment(gateway);
  await experiment.open(open);
  const proposed = [author === 'rewriter' ? new Map() : readCandidates(), author === 'both' ? generated : new Map()];
  for (const candidates of proposed)
    for (const sentence of await experiment.propose(candidates)) console.info(`refused: ${sentence}`);
  baseline ??= {
    worst: worstQuarter(await experiment.place('search', asked)),
    found: await Promise.all(rankers.map((ranker) => experiment.place(ranker, looked))),
  };
  const { worst, found } = baseline;
  const outcomes = await experiment.decide(toolNames);
  if (author === 'rewriter')
    for (const [tool, texts] of await experiment.candidates(toolNames)) generated.set(tool, texts);
  tellDecisions(author, outcomes);
  for (const policy of policies) {
    // Nothing to measure where the same texts stay in place.
    if (!(await experiment.keep(outcomes, policy)) && policy !== policies[0]) continue;
    for (const [at, ranker] of rankers.entries()) {
      const after = await experiment.place(ranker, looked);
      const among = (tools: string, isAmong: (tool: string) => boolean) => {
        const pairs = looked.map(
          ({ tool }, prompt) => [tool, found[at]?.[prompt] ?? false, after[prompt] ?? false] as const,
        );
        const some = pairs.filter(([tool]) => isAmong(tool)).map(([, was, is]) => [was, is] as const);
        rows.push({ author, policy, inPlace: experiment.inPlace.size, ranker, tools, ...compare(some) });
      };
      among('all', () => true);
      among('worst quarter', (tool) => worst.has(tool));
      among('in place', (tool) => experiment.inPlace.has(tool));
      among('neighbours', (tool) => !experiment.inPlace.has(tool));
    }
  }
  return outcomes;
}

/** The tools that the fewest of their own prompts find. */
function worstQuarter(found: readonly boolean[]): ReadonlySet<string> {
  const rights = toolNames.map((name) => asked.filter(({ tool }, at) => tool === name && found[at]).length);
  const ordered = toolNames.map((name, at) => [name, rights[at] ?? 0] as const).sort(([, a], [, b]) => a - b);
  return new Set(ordered.slice(0, Math.ceil(toolNames.length / 4)).map(([name]) => name));
}

function compare(pairs: readonly (readonly [was: boolean, is: boolean])[]) {
  const inWords = (right: number) => {
    const { low, high } = wilson(right, pairs.length);
    return `${(right / Math.max(1, pairs.length)).toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
  };
  const better = pairs.filter(([was, is]) => !was && is).length;
  const worse = pairs.filter(([was, is]) => was && !is).length;
  return {
    before: inWords(pairs.filter(([was]) => was).length),
    after: inWords(pairs.filter(([, is]) => is).length),
    better,
    worse,
    p: Number(mcnemar(better, worse).twoSided.toPrecision(2)),
  };
}

function tellDecisions(author: Author, outcomes: readonly ToolOutcome[]): void {
  const counts = policies.map((policy) => `${outcomes.filter((one) => isInPlace(one, policy)).length} ${policy}`);
  const theft = outcomes.filter(({ refusals }) => refusals.some((sentence) => sentence.startsWith('It steals'))).length;
  console.info(`${author}: ${outcomes.length} chosen, of these ${counts.join(', ')}; ${theft} refused as theft`);
}
