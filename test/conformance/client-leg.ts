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
import { openRunFolder, REVISIONS, type Revision, readChecks, runSuiteCommand, scenariosOf } from './suite.ts';
import { playThroughGateway } from './through-gateway.ts';

export type ClientPart = 'plain' | 'auth';

export type ClientLegOptions = {
  /** Which scenarios; the plain ones unless told. */
  readonly part?: ClientPart;
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

/** Runs the scenarios one after the other and reports each as soon as it is done. */
export async function* runClientLeg(options: ClientLegOptions): AsyncGenerator<ClientResult> {
  const { part = 'plain', play = players[part], only, outDir, signal } = options;
  await using player = await openPlayer(play);
  for (const { scenario, revision } of await clientScenarios(part)) {
    if (only !== undefined && scenario !== only) continue;
    await using folder = await openRunFolder(outDir, `conformance-client-${revision}`);
    const which = ['--scenario', scenario, '--spec-version', revision];
    const { exitCode, output } = await runSuiteCommand(
      ['client', '--command', player.command, ...which, '--timeout', String(HANG_MS), '-o', folder.path],
      signal,
    );
    const checks = (await readChecks(folder.path, '')).get(scenario) ?? [];
    const passed = checks.filter(({ status }) => status === 'SUCCESS').length;
    const total = checks.filter(({ status }) => status !== 'INFO' && status !== 'SKIPPED').length;
    yield { scenario, revision, isPassed: exitCode === 0 && passed > 0, checks: { passed, total }, output };
  }
}

/**
 * All that the suite asks of a client. In its authorization flows no proxy can stand in the middle: there the gateway is the
 * client, and only what is required counts; the rest are extensions that it does not have.
 */
export async function clientScenarios(part: ClientPart): Promise<{ scenario: string; revision: Revision }[]> {
  const lists = await Promise.all(
    REVISIONS.map(async (revision) => {
      const { required, unscored } = await scenariosOf(revision, 'client');
      const names = part === 'auth' ? [...required] : [...required, ...unscored];
      const ofPart = names.filter((name) => name.startsWith('auth/') === (part === 'auth'));
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
