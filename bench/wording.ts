/**
 * Compares ways to word our own tools by what they cost and by how well they tell the tools apart. The judge needs no model: it
 * is the gateway's own search among the tools, asked with labelled situations; a wording is right where it brings up the
 * tool that the situation calls for. It reads no instructions and does not reason, so its figures say which words help to be
 * found, not what a model would do.
 */

import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLog } from '../src/base/log.ts';
import { openGateway } from '../src/gateway.ts';
import { openTable } from '../src/meaning/meaning.ts';
import { documentFromTool } from '../src/search/search.ts';
import { MadeUpHost } from './kit/made-up-host.ts';
import { madeUpCatalogs } from './kit/made-up-tools.ts';
import { askQuestion, indexSet } from './search-set.ts';
import { Agent, type Dict, indexIn, whenListed } from './tokens-agent.ts';
import { printTable, tokensOf } from './tokens-rows.ts';
import { fullSituations, type Situation, searchSituations } from './wording-situations.ts';
import { type Variant, variants } from './wording-variants.ts';

const usage = 'npm run bench:wording -- [--confusions NAME] [--json]';
/** Of the situations: by these a wording is chosen, by the others it is judged. */
const chosenShare = 0.5;
/** 95 %. */
const z = 1.96;

/** The texts that an agent gets on a surface. */
interface Wording {
  readonly tools: readonly Dict[];
  readonly instructions: string;
}

type Surface = 'search' | 'full';
type Wordings = Readonly<Record<Surface, Wording>>;

interface Verdict {
  readonly situation: Situation;
  /** The tool that was ranked first. */
  readonly first: string;
  readonly isRight: boolean;
}

interface Judged {
  readonly name: string;
  readonly tokens: Readonly<Record<Surface, number>>;
  readonly verdicts: Readonly<Record<Surface, readonly Verdict[]>>;
}

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    options: { confusions: { type: 'string' }, json: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (positionals.length > 0) {
    console.error(`Usage: ${usage}`);
    return 2;
  }
  const ours = await readOurs();
  const judged = [await judge('in use', ours)];
  for (const variant of variants) judged.push(await judge(variant.name, reword(ours, variant)));
  const rows = judged.map((one) => figuresOf(one, judged[0] ?? one));
  if (values.json) {
    console.info(JSON.stringify(rows));
    return 0;
  }
  printTable('Wordings: tokens (o200k), and the share of situations whose tool is found first, with 95 % intervals', [
    Object.keys(rows[0] ?? {}),
    ...rows.map((row) => Object.values(row).map(String)),
  ]);
  const shown = judged.find(({ name }) => name === (values.confusions ?? 'in use')) ?? judged[0];
  if (shown) printTable(`Confusions of "${shown.name}" on search`, confusionsIn(shown.verdicts.search));
  return 0;
}

/** The texts that agents get now, from a gateway with the made-up servers. */
async function readOurs(): Promise<Wordings> {
  const dataDir = await mkdtemp(join(tmpdir(), 'toolcrib-wording-'));
  await using host = await MadeUpHost.open(madeUpCatalogs());
  const gateway = await openGateway({
    dataDir,
    cwd: dataDir,
    env: process.env,
    log: createLog({ level: 'error', format: 'line', write: (line) => console.error(line), now: Date.now }),
    listen: { host: '127.0.0.1', port: 0, isAuthOff: false },
    extraServers: host.servers,
  });
  try {
    await whenListed(gateway);
    const read = async (surface: Surface): Promise<Wording> => {
      const { introduction, list } = await new Agent(gateway, surface).begin('modern');
      return { tools: list.tools as Dict[], instructions: String(introduction.instructions) };
    };
    return { search: await read('search'), full: await read('full') };
  } finally {
    await gateway.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

function reword(ours: Wordings, variant: Variant): Wordings {
  const index = indexIn(ours.search.tools);
  const of = ({ tools, instructions }: Wording): Wording => ({
    tools: tools.map((tool) => {
      const text = variant.descriptions[String(tool.name)]?.replace('{index}', () => index);
      const inputSchema = variant.hasBareParameters ? withoutTexts(tool.inputSchema as Dict) : tool.inputSchema;
      return { ...tool, description: text ?? tool.description, inputSchema };
    }),
    instructions: variant.instructions ?? instructions,
  });
  return { search: of(ours.search), full: of(ours.full) };
}

function withoutTexts(schema: Dict): Dict {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Dict>);
  const bare = properties.map(([name, { description, ...rest }]) => [name, rest]);
  return { ...schema, properties: Object.fromEntries(bare) };
}

async function judge(name: string, { search, full }: Wordings): Promise<Judged> {
  const costOf = ({ tools, instructions }: Wording) => tokensOf(tools) + tokensOf(instructions);
  return {
    name,
    tokens: { search: costOf(search), full: costOf(full) },
    verdicts: {
      search: await verdictsOn(search.tools, searchSituations),
      full: await verdictsOn(full.tools, fullSituations),
    },
  };
}

async function verdictsOn(tools: readonly Dict[], situations: readonly Situation[]): Promise<Verdict[]> {
  const model = openTable();
  const documents = tools.map((tool) => documentFromTool('toolcrib', '', tool)).filter((one) => one !== undefined);
  const index = await indexSet(documents, model);
  const verdicts: Verdict[] = [];
  for (const situation of situations) {
    const question = await askQuestion(index, situation.text, model);
    const [hit] = index.search([question], { limit: 1, mode: 'hybrid', collapses: false });
    const first = hit?.key.replace('toolcrib:', '') ?? 'none';
    verdicts.push({ situation, first, isRight: first === situation.tool });
  }
  return verdicts;
}

function figuresOf({ name, tokens, verdicts }: Judged, ours: Judged): Record<string, string | number> {
  const chosen = verdicts.search.filter(({ situation }) => isToChooseOn(situation));
  const heldOut = verdicts.search.filter(({ situation }) => !isToChooseOn(situation));
  const ofKind = (kind: string) => verdicts.search.filter(({ situation }) => situation.kind === kind);
  const right = (at: number) => Number(verdicts.search[at]?.isRight) - Number(ours.verdicts.search[at]?.isRight);
  const changes = verdicts.search.map((_, at) => right(at));
  return {
    wording: name,
    'search tokens': tokens.search,
    'full tokens': tokens.full,
    'to choose on': shareOf(chosen),
    'held out': shareOf(heldOut),
    direct: shareOf(ofKind('direct')),
    indirect: shareOf(ofKind('indirect')),
    'better/worse': `${changes.filter((change) => change > 0).length}/${changes.filter((change) => change < 0).length}`,
    'on full': shareOf(verdicts.full),
  };
}

/** Always the same half, also when others are added. */
function isToChooseOn({ text }: Situation): boolean {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32 < chosenShare;
}

/** `62 % (52–71)`, by Wilson. */
function shareOf(verdicts: readonly Verdict[]): string {
  const count = verdicts.length;
  const share = verdicts.filter(({ isRight }) => isRight).length / count;
  const middle = (share + z ** 2 / (2 * count)) / (1 + z ** 2 / count);
  const half = (z / (1 + z ** 2 / count)) * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2));
  const percent = (value: number) => Math.round(100 * value);
  return `${percent(share)} % (${percent(middle - half)}–${percent(middle + half)})`;
}

/** One line for each tool that was meant, one column for each that was ranked first. */
function confusionsIn(verdicts: readonly Verdict[]): string[][] {
  const names = [...new Set(verdicts.map(({ situation }) => situation.tool))];
  const firsts = [...names, ...new Set(verdicts.map(({ first }) => first).filter((first) => !names.includes(first)))];
  const count = (meant: string, first: string) =>
    verdicts.filter((verdict) => verdict.situation.tool === meant && verdict.first === first).length;
  return [
    ['meant \\ first', ...firsts],
    ...names.map((meant) => [meant, ...firsts.map((first) => String(count(meant, first) || '·'))]),
  ];
}
