/** Runs a program for an agent and waits until every call that it began has ended. */

import { sleep } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import type { Call } from '../caller/caller.ts';
import { limits } from '../config/config.ts';
import type { ChainFailure, ChainReport } from '../sandbox/sandbox.ts';
import {
  type AdviceLayer,
  type FindLayer,
  perViewer,
  type RequestSender,
  type Uses,
  visibleServers,
  visibleTools,
} from '../tools/tools.ts';
import { callNotes, type ProgramCall } from './call-ledger.ts';
import type { ChainRequest } from './chain-request.ts';
import type { KeptValue } from './keep-value.ts';
import { ProgramHost } from './program-host.ts';

/** How a program ended, and what it did. */
export interface ChainEnd {
  readonly report: ChainReport;
  readonly calls: readonly ProgramCall[];
  readonly kept: readonly KeptValue[];
  /** The call whose trouble the program did not catch. */
  readonly failedCall?: Call | undefined;
  /** True if that call wanted to ask its agent something. */
  readonly isQuestion?: boolean | undefined;
}

/** The layers that a program and its answer use. */
export type ProgramLayer = FindLayer | AdviceLayer | 'caller' | 'audit' | 'results' | 'sandbox';

/** Throws CANCELLED where the agent gave up, and RATE_LIMITED where too many programs wait; a program that fails has a report. */
export async function runChain(
  layers: Uses<ProgramLayer>,
  request: ChainRequest,
  sender: RequestSender,
): Promise<ChainEnd> {
  const { chains } = layers.config();
  const host = new ProgramHost(layers, sender);
  const program = {
    code: request.code,
    principal: sender.principal.id,
    ...programNames(layers.catalog.snapshot, sender.principal),
  };
  const bounds = {
    timeoutMs: request.timeoutMs,
    memoryBytes: chains.memoryMb * 2 ** 20,
    maxCalls: chains.maxCalls,
    maxOutputBytes: request.maxOutputBytes,
  };
  const report = await layers.sandbox.run(program, bounds, host, sender.agent.signal);
  if (host.isBusy) await Promise.race([host.settled(), sleep(layers.clock, limits.chainSettleMs)]);
  if (report.failure?.reason === 'cancelled')
    throw new GatewayError('CANCELLED', 'The program was stopped: its agent no longer waits for it.', {
      data: { calls: host.ledger.rows(), kept: host.kept, logs: report.logs },
    });
  const calls = host.ledger.rows();
  const { hasUnawaited } = host.ledger;
  const told = callNotes({ rows: calls, hasUnawaited, unsent: report.unsentCalls ?? 0 });
  const notes = [...told, ...host.notes, ...report.notes];
  return { report: { ...report, notes }, calls, kept: host.kept, ...failedCallOf(host, report.failure) };
}

function failedCallOf(
  { failedCalls, askingTools }: ProgramHost,
  failure: ChainFailure | undefined,
): Pick<ChainEnd, 'failedCall' | 'isQuestion'> {
  const { tool } = failure ?? {};
  return tool === undefined ? {} : { failedCall: failedCalls.get(tool), isQuestion: askingTools.has(tool) };
}

interface ProgramNames {
  readonly serverNames: readonly string[];
  /** `{ "server": ["tool", …] }` as JSON: most programs never ask for it. */
  readonly namesJson: string;
}

const programNames = perViewer((snapshot, principal): ProgramNames => {
  const serverNames = visibleServers(snapshot, principal).map(({ spec }) => spec.name);
  const names = new Map<string, string[]>(serverNames.map((name) => [name, []]));
  for (const { server, name } of visibleTools(snapshot, principal)) names.get(server)?.push(name);
  return { serverNames, namesJson: JSON.stringify(Object.fromEntries(names)) };
});
