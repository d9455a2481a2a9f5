/**
 * The client leg of the official conformance suite: every client scenario that needs no authorization, in both eras.
 *
 *   node test/conformance/client-leg.ts [--direct] [--only SCENARIO] [--out FOLDER]
 *
 * By default the client sits behind a gateway (through-gateway.ts); --direct leaves the gateway out.
 */

import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openRunFolder, REVISIONS, type Revision, readChecks, runSuiteCommand, scenariosOf } from './suite.ts';

export type ClientLegOptions = {
  /** A shell command; the suite appends the URL of its mock server. */
  readonly command: string;
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
  /** What the suite printed, for the reader of a failure. */
  readonly output: string;
};

export const DIRECT_COMMAND = commandFor('./scenario-client.ts');
export const THROUGH_GATEWAY_COMMAND = commandFor('./through-gateway.ts');

/** Runs the scenarios one after the other and reports each as soon as it is done. */
export async function* runClientLeg({ command, only, outDir, signal }: ClientLegOptions): AsyncGenerator<ClientResult> {
  for (const { scenario, revision } of await clientScenarios()) {
    if (only !== undefined && scenario !== only) continue;
    await using folder = await openRunFolder(outDir, `conformance-client-${revision}`);
    const { exitCode, output } = await runSuiteCommand(
      ['client', '--command', command, '--scenario', scenario, '--spec-version', revision, '-o', folder.path],
      signal,
    );
    const checks = (await readChecks(folder.path, '')).get(scenario) ?? [];
    const passed = checks.filter(({ status }) => status === 'SUCCESS').length;
    const total = checks.filter(({ status }) => status !== 'INFO' && status !== 'SKIPPED').length;
    yield { scenario, revision, isPassed: exitCode === 0 && passed > 0, checks: { passed, total }, output };
  }
}

/** All that the suite asks of a client, less the authorization flows, in which no proxy can stand in the middle. */
export async function clientScenarios(): Promise<{ scenario: string; revision: Revision }[]> {
  const lists = await Promise.all(
    REVISIONS.map(async (revision) => {
      const { required, unscored } = await scenariosOf(revision, 'client');
      const names = [...required, ...unscored].filter((name) => !name.startsWith('auth/'));
      return names.map((scenario) => ({ scenario, revision }));
    }),
  );
  return lists.flat();
}

/** Quoted, because the suite hands the command to a shell. */
function commandFor(script: string): string {
  return `"${process.execPath}" "${fileURLToPath(new URL(script, import.meta.url))}"`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { direct: { type: 'boolean', default: false }, only: { type: 'string' }, out: { type: 'string' } },
  });
  const command = values.direct ? DIRECT_COMMAND : THROUGH_GATEWAY_COMMAND;
  let passed = 0;
  let total = 0;
  for await (const result of runClientLeg({ command, only: values.only, outDir: values.out })) {
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
