/**
 * The client leg of the official conformance suite, in both eras: every scenario of a client, and every one of its sign-ins.
 *
 *   node test/conformance/client-leg.ts [--direct | --auth] [--only SCENARIO] [--out FOLDER]
 *
 * By default the client sits behind a gateway (through-gateway.ts); --direct leaves the gateway out. With --auth the scenarios
 * of authorization are run, in which the gateway itself signs in (auth-through-gateway.ts).
 */

import { parseArgs } from 'node:util';
import { HANG_MS } from '../kit/processes.ts';
import { signInThroughGateway } from './auth-through-gateway.ts';
import { openPlayer, type PlayScenario } from './player.ts';
import { playScenario } from './scenario-client.ts';
import {
  type Check,
  openRunFolder,
  REVISIONS,
  type Revision,
  readChecks,
  runSuiteCommand,
  scenariosOf,
} from './suite.ts';
import { playThroughGateway } from './through-gateway.ts';

export type ClientPart = 'plain' | 'auth';

export type ClientLegOptions = {
  /** Which scenarios; all of them unless told. */
  readonly part?: ClientPart | undefined;
  /** The player; the gateway by default. */
  readonly play?: PlayScenario;
  /** Runs only the scenarios of this name. */
  readonly only?: string | undefined;
  readonly outDir?: string | undefined;
  readonly signal?: AbortSignal;
};

export type ClientResult = {
  readonly scenario: string;
  readonly revision: Revision;
  /** The suite's own verdict: no failure, no warning, and the client ended well and in time. */
  readonly isPassed: boolean;
  readonly checks: { readonly passed: number; readonly total: number };
  /** The output of the suite, for the reader of a failure. */
  readonly output: string;
};

/** In the plain ones the gateway stands in the middle, and where somebody signs in it is the client itself. */
const players: Readonly<Record<ClientPart, PlayScenario>> = { plain: playThroughGateway, auth: signInThroughGateway };

const playAsGateway: PlayScenario = (url, scenario) => players[partOf(scenario.scenario)](url, scenario);

function partOf(scenario: string): ClientPart {
  return scenario.startsWith('auth/') ? 'auth' : 'plain';
}

/** Plays the scenarios of a revision at once, because starting the suite costs more than most of them; the rest one by one. */
export async function* runClientLeg(options: ClientLegOptions): AsyncGenerator<ClientResult> {
  const { part, only } = options;
  const wanted = (await clientScenarios(part)).filter(({ scenario }) => scenario === (only ?? scenario));
  for (const [revision, scenarios] of Map.groupBy(wanted, (one) => one.revision)) {
    const names = scenarios.map(({ scenario }) => scenario);
    const together = only === undefined ? await playTogether(revision, new Set(names), options) : [];
    yield* together;
    const passed = new Set(together.map(({ scenario }) => scenario));
    for (const scenario of names.filter((name) => !passed.has(name))) yield playAlone(revision, scenario, options);
  }
}

/**
 * Those that passed. Nothing is said about the others: some of the suite's clocks are short for a busy machine, and only alone does
 * the suite say whether a client may fail.
 */
async function playTogether(
  revision: Revision,
  wanted: ReadonlySet<string>,
  { play = playAsGateway, ...options }: ClientLegOptions,
): Promise<ClientResult[]> {
  const ended = new Set<string>();
  const playWanted: PlayScenario = async (url, scenario) => {
    if (!wanted.has(scenario.scenario)) throw new Error('The suite cannot leave it out, but nobody asked for it.');
    await play(url, scenario);
    ended.add(scenario.scenario);
  };
  const { checks, output } = await runClients(['--requirements', revision], revision, { ...options, play: playWanted });
  return [...ended].flatMap((scenario) => {
    const counted = count(checks.get(scenario));
    const isPassed = counted.passed > 0 && counted.passed === counted.total;
    return isPassed ? [{ scenario, revision, isPassed, checks: counted, output }] : [];
  });
}

async function playAlone(revision: Revision, scenario: string, options: ClientLegOptions): Promise<ClientResult> {
  const which = ['--scenario', scenario, '--spec-version', revision];
  const { checks: all, exitCode, output } = await runClients(which, revision, options);
  const checks = count(all.get(scenario));
  return { scenario, revision, isPassed: exitCode === 0 && checks.passed > 0, checks, output };
}

async function runClients(which: readonly string[], revision: Revision, options: ClientLegOptions) {
  const { play = playAsGateway, outDir, signal } = options;
  await using player = await openPlayer(play);
  await using folder = await openRunFolder(outDir, `conformance-client-${revision}`);
  const { exitCode, output } = await runSuiteCommand(
    ['client', '--command', player.command, ...which, '--timeout', String(HANG_MS), '-o', folder.path],
    signal,
  );
  return { exitCode, output, checks: await readChecks(folder.path, '') };
}

function count(checks: readonly Check[] = []): ClientResult['checks'] {
  const passed = checks.filter(({ status }) => status === 'SUCCESS').length;
  const total = checks.filter(({ status }) => status !== 'INFO' && status !== 'SKIPPED').length;
  return { passed, total };
}

/**
 * All that the suite asks of a client. In its authorization flows no proxy can stand in the middle: there the gateway is the
 * client, and only what is required counts; the rest are extensions that it does not have.
 */
export async function clientScenarios(part?: ClientPart): Promise<{ scenario: string; revision: Revision }[]> {
  const lists = await Promise.all(
    REVISIONS.map(async (revision) => {
      const { required, unscored } = await scenariosOf(revision, 'client');
      const names = [...required, ...[...unscored].filter((name) => partOf(name) === 'plain')];
      const ofPart = names.filter((name) => part === undefined || partOf(name) === part);
      return ofPart.map((scenario) => ({ scenario, revision }));
    }),
  );
  return lists.flat();
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      direct: { type: 'boolean', default: false },
      auth: { type: 'boolean', default: false },
      only: { type: 'string' },
      out: { type: 'string' },
    },
  });
  const part = values.auth ? 'auth' : 'plain';
  const direct = values.direct ? { play: playScenario } : {};
  let passed = 0;
  let total = 0;
  for await (const result of runClientLeg({ ...direct, part, only: values.only, outDir: values.out })) {
    total += 1;
    if (result.isPassed) passed += 1;
    const { scenario, revision, checks } = result;
    console.log(`${result.isPassed ? 'passed' : 'FAILED'} ${revision} ${scenario} ${checks.passed}/${checks.total}`);
    if (!result.isPassed) console.log(result.output);
  }
  console.log(`${passed}/${total} client scenarios`);
  if (passed < total || total === 0) process.exitCode = 1;
}

if (import.meta.main) await main();
