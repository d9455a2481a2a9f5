/** The answer for a program that failed: what went wrong and where, what was done before, and how to go on. */

import { type ErrorCode, GatewayError } from '../../base/errors.ts';
import { jsonSize } from '../../base/json-size.ts';
import { type Alternative, type Recovery, troubleResult } from '../../caller/caller.ts';
import type { Result } from '../../protocol/messages.ts';
import { ownText } from '../../results/results.ts';
import type { ChainFailure } from '../../sandbox/sandbox.ts';
import { makeAdvisor } from '../advisor.ts';
import type { EndpointContext } from '../endpoint.ts';
import type { CallRow } from './call-ledger.ts';
import type { ChainWish } from './chain-wish.ts';
import { cutCalls, cutList, cutLogs } from './cut-answer.ts';
import type { KeptValue } from './keep-value.ts';
import type { ChainEnd } from './run-chain.ts';

type Reason = ChainFailure['reason'];

/** Shares of what the trouble itself leaves of the answer. */
const shares = { calls: 0.3, logs: 0.5, kept: 0.1, notes: 0.1 };
/** Characters of words that a program can make as long as it likes. */
const longest = { name: 60, excerpt: 200, message: 1_000, hint: 400 };
/** What is left of a small answer for the rest. */
const leastRoom = 300;

const again = 'Correct it and send the whole program again.';
const done = 'Calls that are listed as ok were made: do not repeat those that change something.';
const split =
  'Do less in one program: keep(value, "name") gives an address from which the next one goes on with load(address).';

const recoveries: Readonly<Record<Exclude<Reason, 'cancelled'>, Recovery>> = {
  syntax: {
    action: 'Correct the code',
    steps: [again, 'Write JavaScript or TypeScript: await servers.NAME.TOOL({…}), and return what you want to know.'],
  },
  thrown: { action: 'Correct the program', steps: [again] },
  timeout: {
    action: 'Do less, or in parallel',
    steps: ['Make independent calls at once: await Promise.all(list.map(…)).', split],
  },
  memory: { action: 'Hold less at once', steps: ['Ask for pages, and keep only the members that you need.', split] },
  stack: { action: 'Correct the recursion', steps: ['Use a loop, or end the recursion earlier.', again] },
  calls: { action: 'Make fewer calls', steps: ['Look for a tool that takes many items at once.', split] },
  output: { action: 'Give less', steps: ['Return only what you need to know, or keep(value) and return its address.'] },
  crashed: {
    action: 'Change the program',
    steps: ['Do less at once: shorter texts, smaller lists, simpler patterns.'],
  },
};

/** Of a call's trouble, where a program can do more about it than an agent. */
const ofCalls: Partial<Record<ErrorCode, Recovery>> = {
  TOO_LARGE: {
    action: 'Read it in pieces',
    steps: [
      'Where an address is named, load(address + "?path=…") gives the part that you need, without another call.',
      'Else ask for less, if the tool has a filter, a limit or pages.',
    ],
  },
};

const codes: Partial<Record<Reason, ErrorCode>> = {
  syntax: 'ARGUMENTS_INVALID',
  timeout: 'TIMEOUT',
};

/** A failure as trouble that can be thrown or answered. */
export function chainError(failure: ChainFailure, { maxOutputBytes }: ChainWish): GatewayError {
  const code = failure.code ?? codes[failure.reason] ?? 'TOOL_FAILED';
  const most = Math.min(longest.message, Math.floor(maxOutputBytes / 8));
  const message = failure.message.length <= most ? failure.message : `${failure.message.slice(0, most)}…`;
  return new GatewayError(code, sentenceOf({ ...failure, message }), { hint: failure.hint?.slice(0, longest.hint) });
}

/** What there is to know of the failure as data, beside the trouble itself. */
interface ChainFacts {
  readonly line?: number;
  readonly column?: number;
  readonly excerpt?: string;
  readonly logs: readonly string[];
  readonly calls: readonly CallRow[];
  readonly kept?: readonly KeptValue[];
  readonly notes?: readonly string[];
}

function factsOf(
  wish: ChainWish,
  { report, calls, kept }: ChainEnd,
  { line, column, excerpt }: ChainFailure,
  room: number,
): ChainFacts {
  const keptHere = cutList(kept, room * shares.kept);
  const notes = cutList([...wish.notes, ...report.notes], room * shares.notes);
  return {
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    ...(excerpt === undefined ? {} : { excerpt: excerpt.slice(0, longest.excerpt) }),
    logs: cutLogs(report.logs, report.lostLogs, room * shares.logs),
    calls: cutCalls(calls, room * shares.calls),
    ...(keptHere.length === 0 ? {} : { kept: keptHere }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

export async function chainTrouble(
  context: EndpointContext,
  wish: ChainWish,
  end: ChainEnd,
  failure: ChainFailure,
): Promise<Result> {
  const error = chainError(failure, wish);
  const alternatives = await alternativesTo(context, end, error.code);
  const hasDone = end.calls.some(({ ok }) => ok);
  const own = failure.reason === 'cancelled' ? undefined : recoveries[failure.reason];
  const recovery = failure.code === undefined ? own : ofCalls[failure.code];
  const result = troubleResult(error, {
    reader: 'code',
    alternatives,
    ...(recovery ? { recovery } : {}),
    ...(hasDone ? { furtherSteps: [done] } : {}),
  });
  const [block] = result.content as { readonly text: string }[];
  const room = wish.maxOutputBytes - jsonSize(result.structuredContent) - 2 * longest.excerpt;
  const facts = factsOf(wish, end, failure, Math.max(room, leastRoom));
  const text = [block?.text ?? '', ...wordsOf(facts)].join('\n');
  return {
    ...result,
    content: [ownText(text)],
    structuredContent: { ...(result.structuredContent as object), ...facts },
  };
}

/** Other tools, where it was a tool that failed. */
async function alternativesTo(
  context: EndpointContext,
  { failedCall }: ChainEnd,
  code: ErrorCode,
): Promise<readonly Alternative[]> {
  if (!failedCall || !toolFaults.has(code)) return [];
  return makeAdvisor(context, { way: 'chain', reader: 'code' }).alternatives(failedCall, code);
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
  if (code !== undefined) return `The program ended${where}: ${message}`;
  if (reason === 'syntax') return `The program cannot be read${where}: ${message}`;
  return reason === 'thrown'
    ? `The program failed${where}: ${name.slice(0, longest.name)}: ${message}`
    : `The program ended${where}: ${message}`;
}

/** The facts for those who read only the text. */
function wordsOf({ line, excerpt, logs, calls, kept }: ChainFacts): string[] {
  return [
    ...(excerpt === undefined ? [] : [`LINE ${line}: ${excerpt}`]),
    ...(calls.length === 0 ? [] : [`CALLS: ${calls.map(sayCall).join('; ')}`]),
    ...(kept ? [`KEPT: ${kept.map(({ name, uri }) => (name === undefined ? uri : `${name} ${uri}`)).join('; ')}`] : []),
    ...(logs.length === 0 ? [] : ['LOGS:', ...logs]),
  ];
}

function sayCall({ tool, ms, ok, cached, count, error }: CallRow): string {
  const times = count === undefined ? '' : ` × ${count}`;
  return `${tool}${times} ${ok ? 'ok' : `failed${error ? ` (${error})` : ''}`}, ${ms} ms${cached ? ', cached' : ''}`;
}
