/** Reads a request to run a program, runs it for an agent within the limits of the owner, and waits until every call that it began has ended. */

import { sleep } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import type { Call, RequestSender } from '../caller/caller.ts';
import { type Config, limits } from '../config/config.ts';
import type { ChainFailure, ChainReport } from '../sandbox/sandbox.ts';
import {
  type AdviceLayer,
  type FindLayer,
  perViewer,
  type Uses,
  visibleServers,
  visibleTools,
} from '../tools/tools.ts';
import { callNotes, type KeptValue, type ProgramCall } from './call-ledger.ts';
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

/** The reader of the answer: an agent, or a person at the command line. */
type ChainReader = 'agent' | 'hand';

export interface ChainRequest {
  readonly code: string;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly reader: ChainReader;
  /** The owner's limits. */
  readonly allowed: Pick<Config['chains'], 'timeoutMs' | 'maxCalls' | 'memoryMb'>;
  /** Notes on arguments that were limited. */
  readonly notes: readonly string[];
}

const form = 'call_tool_chain takes: code, timeoutMs?, maxOutputBytes?';

/** Throws ARGUMENTS_INVALID, or TOOL_DISABLED where the owner has switched programs off. */
export function readChainRequest(
  args: Readonly<Record<string, unknown>>,
  { chains }: Config,
  reader: ChainReader = 'agent',
): ChainRequest {
  if (!chains.enabled) {
    throw new GatewayError('TOOL_DISABLED', 'Programs are switched off in this gateway (chains.enabled is false).', {
      hint: 'Call the tools one by one.',
    });
  }
  const { code } = args;
  // The reader of programs reports empty code.
  if (typeof code !== 'string') throw bad('"code" must be a program: JavaScript or TypeScript, as a text');
  const notes: string[] = [];
  const flag = reader === 'hand' ? '--timeout' : 'timeoutMs';
  const timeoutMs = atMost(args.timeoutMs, flag, chains.timeoutMs, notes);
  // A person has room for all of it, and no context to fill.
  const most = reader === 'hand' ? limits.chainOutputBytesByHand : chains.maxOutputBytes;
  const wanted = atMost(args.maxOutputBytes, 'maxOutputBytes', most, notes);
  const least = limits.chainLeastOutputBytes;
  if (wanted < least && wanted < most) notes.push(`maxOutputBytes is ${least}, the least that an answer takes.`);
  return { code, timeoutMs, maxOutputBytes: Math.max(wanted, least), reader, allowed: chains, notes };
}

function atMost(value: unknown, name: string, most: number, notes: string[]): number {
  if (value === undefined || value === null) return most;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 1)
    throw bad(`"${name}" must be a number of at least 1`);
  if (number > most) notes.push(`${name} is ${most}, the most that the owner of this gateway allows.`);
  return Math.min(Math.floor(number), most);
}

function bad(what: string): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', `The program was not run: ${what}.`, { hint: form });
}
