/**
 * The server leg of the official conformance suite: runs it against a URL and compares two runs check by check.
 *
 *   node test/conformance/run-suite.ts --url URL [--through URL] [--requirements REVISION] [--out FOLDER]
 *
 * Without --url it tests the fixture server itself; with --through it runs both and prints where they differ.
 */

import { parseArgs } from 'node:util';
import { startConformanceServer } from '../fixtures/conformance-server.ts';
import {
  compareSeverity,
  openRunFolder,
  REVISIONS,
  type Revision,
  readChecks,
  runSuiteCommand,
  type Status,
  scenariosOf,
} from './suite.ts';

export type SuiteOptions = {
  readonly url: string;
  readonly requirements: Revision;
  /** Where the run's results stay, in a folder of their own; they are thrown away when this is left out. */
  readonly outDir?: string | undefined;
  readonly signal?: AbortSignal;
};

export type Failure = {
  readonly scenario: string;
  readonly check: string;
  readonly message: string;
  readonly isRequired: boolean;
};

export type SuiteResult = {
  /** Scenarios that the revision requires; one passes when none of its checks failed. */
  readonly required: { readonly passed: number; readonly total: number };
  /** The worst status of each check, by `scenario:check-id`. */
  readonly checks: ReadonlyMap<string, Status>;
  readonly failures: readonly Failure[];
};

export type Difference = {
  readonly check: string;
  /** Undefined where that run never got as far as this check. */
  readonly direct: Status | undefined;
  readonly through: Status | undefined;
  /** True if the second run did worse: more severe, or a check that passed directly never ran. */
  readonly isWorse: boolean;
};

/** Runs the scenarios of one revision against a server. Failing checks are part of the result, not an error. */
export async function runSuite({ url, requirements, outDir, signal }: SuiteOptions): Promise<SuiteResult> {
  const { required } = await scenariosOf(requirements, 'server');
  await using folder = await openRunFolder(outDir, `conformance-server-${requirements}`);
  const { output } = await runSuiteCommand(
    ['server', '--url', url, '--requirements', requirements, '-o', folder.path],
    signal,
  );
  const scenarios = await readChecks(folder.path, 'server-');
  if (scenarios.size === 0) throw new Error(`The suite left no results for ${url}:\n${output}`);

  const checks = new Map<string, Status>();
  const failures: Failure[] = [];
  for (const [scenario, results] of scenarios) {
    for (const { id, name, status, errorMessage } of results) {
      const key = `${scenario}:${id}`;
      const known = checks.get(key);
      if (known === undefined || compareSeverity(status, known) > 0) checks.set(key, status);
      if (status !== 'FAILURE') continue;
      const message = errorMessage ?? name;
      failures.push({ scenario, check: id, message, isRequired: required.has(scenario) });
    }
  }
  const failed = new Set(failures.map((failure) => failure.scenario));
  const passed = [...required].filter((name) => !failed.has(name) && (scenarios.get(name)?.length ?? 0) > 0);
  return { required: { passed: passed.length, total: required.size }, checks, failures };
}

/** Every check whose status is not the same in both runs, sorted by name. */
export function compare(direct: SuiteResult, through: SuiteResult): Difference[] {
  const names = new Set([...direct.checks.keys(), ...through.checks.keys()]);
  return [...names]
    .sort()
    .map((check) => ({ check, direct: direct.checks.get(check), through: through.checks.get(check) }))
    .filter((pair) => pair.direct !== pair.through)
    .map((pair) => ({ ...pair, isWorse: isWorse(pair.direct, pair.through) }));
}

function isWorse(direct: Status | undefined, through: Status | undefined): boolean {
  if (through === undefined) return direct === 'SUCCESS';
  if (compareSeverity(through, 'WARNING') < 0) return direct === 'SUCCESS';
  return direct === undefined || compareSeverity(through, direct) > 0;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      through: { type: 'string' },
      requirements: { type: 'string' },
      out: { type: 'string' },
    },
  });
  const revisions = REVISIONS.filter((name) => name === (values.requirements ?? name));
  if (revisions.length === 0) throw new Error(`--requirements must be one of ${REVISIONS.join(', ')}.`);

  const fixture = values.url === undefined ? await startConformanceServer() : undefined;
  const url = values.url ?? fixture?.url ?? '';
  for (const requirements of revisions) {
    const direct = await runSuite({ url, requirements, outDir: values.out });
    print(requirements, 'direct', direct);
    if (values.through === undefined) continue;
    const through = await runSuite({ url: values.through, requirements, outDir: values.out });
    print(requirements, 'through', through);
    for (const { check, isWorse, ...statuses } of compare(direct, through)) {
      console.log(`  ${isWorse ? 'worse' : 'other'} ${check}: ${statuses.direct ?? '-'} -> ${statuses.through ?? '-'}`);
      if (isWorse) process.exitCode = 1;
    }
  }
  await fixture?.close();
}

function print(revision: Revision, label: string, { required, checks, failures }: SuiteResult): void {
  const unscored = failures.filter((failure) => !failure.isRequired).length;
  console.log(
    `${revision} ${label}: ${required.passed}/${required.total} required, ${checks.size} checks, ${unscored} unscored failures`,
  );
  for (const failure of failures.filter(({ isRequired }) => isRequired)) {
    console.log(`  failed ${failure.scenario}:${failure.check}: ${failure.message}`);
  }
  if (required.passed < required.total) process.exitCode = 1;
}

if (import.meta.main) await main();
