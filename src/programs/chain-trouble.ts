/** The answer for a program that failed: what went wrong and where, what was done before, and how to go on. */

import { type ErrorCode, GatewayError } from '../base/errors.ts';
import { jsonSize } from '../base/json.ts';
import { type AlternativeTool, troubleResult } from '../caller/caller.ts';
import type { Result } from '../protocol/messages.ts';
import { ownText } from '../results/results.ts';
import type { ChainFailure } from '../sandbox/sandbox.ts';
import { type AdviceLayer, makeAdvisor, type Uses } from '../tools/tools.ts';
import { isGivenUp, type ProgramCall } from './call-ledger.ts';
import { askedInside, hintByHand, recoveryFor } from './chain-advice.ts';
import type { ChainRequest } from './chain-request.ts';
import { cutParts } from './cut-answer.ts';
import type { KeptValue } from './keep-value.ts';
import type { ChainEnd } from './run-chain.ts';

type Reason = ChainFailure['reason'];

/** Characters of words that a program can make as long as it likes. */
const longest = { name: 60, excerpt: 200, message: 1_000, hint: 400 };
/** Bytes of a small answer that remain for the rest. */
const leastRoom = 300;

const done = 'Calls listed as ok were made: do not repeat the ones that change something.';
const unsure = 'Calls listed as CANCELLED may have taken effect: check before you repeat them.';

const codes: Partial<Record<Reason, ErrorCode>> = {
  syntax: 'ARGUMENTS_INVALID',
  timeout: 'TIMEOUT',
};

/** A failure as trouble that can be thrown or answered. */
export function chainError(failure: ChainFailure, request: ChainRequest): GatewayError {
  // A limit of the program itself is no trouble of the call that reached it.
  const ofCall = failure.reason === 'thrown' ? failure.code : undefined;
  const code = ofCall ?? codes[failure.reason] ?? 'TOOL_FAILED';
  const most = Math.min(longest.message, Math.floor(request.maxOutputBytes / 8));
  const hint = request.reader === 'hand' ? hintByHand(failure, request) : failure.hint;
  const message = failure.message.length <= most ? failure.message : `${failure.message.slice(0, most)}…`;
  return new GatewayError(code, sentenceOf({ ...failure, message }), { hint: hint?.slice(0, longest.hint) });
}

/** Facts of the failure as data, beside the trouble itself. */
interface ChainFacts {
  readonly line?: number;
  readonly column?: number;
  readonly excerpt?: string;
  readonly logs: readonly string[];
  readonly calls: readonly ProgramCall[];
  readonly kept?: readonly KeptValue[];
  readonly notes?: readonly string[];
}

function factsOf(
  request: ChainRequest,
  { report, calls, kept }: ChainEnd,
  { line, column, excerpt }: ChainFailure,
  room: number,
): ChainFacts {
  const { logs, lostLogs } = report;
  const parts = cutParts({ kept, notes: [...request.notes, ...report.notes], calls, logs, lostLogs }, room);
  return {
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    ...(excerpt === undefined ? {} : { excerpt: excerpt.slice(0, longest.excerpt) }),
    logs: parts.logs,
    calls: parts.calls,
    ...(parts.kept.length === 0 ? {} : { kept: parts.kept }),
    ...(parts.notes.length === 0 ? {} : { notes: parts.notes }),
  };
}

export async function chainTrouble(
  layers: Uses<AdviceLayer>,
  request: ChainRequest,
  end: ChainEnd,
  failure: ChainFailure,
): Promise<Result> {
  const error = chainError(failure, request);
  const alternatives = await alternativesTo(layers, end, error.code);
  const recovery = end.isQuestion ? askedInside : recoveryFor(failure, request);
  const furtherSteps = [
    ...(end.calls.some(({ ok }) => ok) ? [done] : []),
    ...(end.calls.some(isGivenUp) ? [unsure] : []),
  ];
  const result = troubleResult(error, {
    reader: 'code',
    alternatives,
    ...(recovery ? { recovery } : {}),
    furtherSteps,
  });
  const [block] = result.content as { readonly text: string }[];
  const room = request.maxOutputBytes - jsonSize(result.structuredContent) - 2 * longest.excerpt;
  const facts = factsOf(request, end, failure, Math.max(room, leastRoom));
  const text = [block?.text ?? '', ...wordsOf(facts)].join('\n');
  return {
    ...result,
    content: [ownText(text)],
    structuredContent: { ...(result.structuredContent as object), ...facts },
  };
}

/** Other tools, where it was a tool that failed. */
async function alternativesTo(
  layers: Uses<AdviceLayer>,
  { failedCall, isQuestion }: ChainEnd,
  code: ErrorCode,
): Promise<readonly AlternativeTool[]> {
  if (!failedCall || isQuestion || !toolFaults.has(code)) return [];
  return makeAdvisor(layers, { way: 'chain', reader: 'code' }).alternatives(failedCall, code);
}

const toolFaults: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'TOOL_FAILED',
  'TIMEOUT',
  'SERVER_DISCONNECTED',
  'SERVER_NOT_RUNNING',
  'CIRCUIT_OPEN',
]);

function sentenceOf({ reason, name, message, line, code }: ChainFailure): string {
  const where = line === undefined ? '' : ` at line ${line}`;
  if (code !== undefined && reason === 'thrown') return `The program ended${where}: ${message}`;
  if (reason === 'syntax') return `The program cannot be read${where}: ${message}`;
  if (reason === 'thrown') return `The program failed${where}: ${name.slice(0, longest.name)}: ${message}`;
  return where === '' && message.startsWith('The program') ? message : `The program ended${where}: ${message}`;
}

/** The facts for those who read only the text. */
function wordsOf({ line, excerpt, logs, calls, kept, notes }: ChainFacts): string[] {
  return [
    ...(excerpt === undefined ? [] : [`LINE ${line}: ${excerpt}`]),
    ...(calls.length === 0 ? [] : [`CALLS: ${calls.map(sayCall).join('; ')}`]),
    ...(kept ? [`KEPT: ${kept.map(({ name, uri }) => (name === undefined ? uri : `${name} ${uri}`)).join('; ')}`] : []),
    ...(notes ? [`NOTES: ${notes.join(' ')}`] : []),
    ...(logs.length === 0 ? [] : ['LOGS:', ...logs]),
  ];
}

function sayCall({ tool, ms, ok, cached, count, error }: ProgramCall): string {
  const times = count === undefined ? '' : ` × ${count}`;
  return `${tool}${times} ${ok ? 'ok' : `failed${error ? ` (${error})` : ''}`}, ${ms} ms${cached ? ', cached' : ''}`;
}
