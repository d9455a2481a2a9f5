/** The answer for a program that failed: what went wrong and where, what was done before, and how to go on. */

import { type ErrorCode, GatewayError } from '../base/errors.ts';
import { jsonSize } from '../base/json.ts';
import { type AlternativeTool, type Recovery, troubleResult } from '../caller/caller.ts';
import type { Result } from '../protocol/messages.ts';
import { ownText } from '../results/results.ts';
import type { ChainFailure } from '../sandbox/sandbox.ts';
import { type AdviceLayer, makeAdvisor, type Uses } from '../tools/tools.ts';
import { isGivenUp, type KeptValue, type ProgramCall } from './call-ledger.ts';
import { cutParts } from './cut-answer.ts';
import type { ChainEnd, ChainRequest } from './run-chain.ts';

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

const again = 'Correct it and send the whole program again.';
const split =
  'Do less in one program: keep(value, "name") gives an address from which the next one goes on with load(address).';

const correct: Recovery = { action: 'Correct the program', steps: [again] };

const recoveries: Readonly<Partial<Record<Reason, Recovery>>> = {
  syntax: {
    action: 'Correct the code',
    steps: [again, 'Write JavaScript or TypeScript: await servers.NAME.TOOL({…}), and return what you want to know.'],
  },
  thrown: correct,
  timeout: {
    action: 'Do less, or in parallel',
    steps: ['Make independent calls at once: await Promise.all(list.map(…)).', split],
  },
  memory: { action: 'Hold less at once', steps: ['Ask for pages, and keep only the members that you need.', split] },
  stack: { action: 'Correct the recursion', steps: ['Use a loop, or end the recursion earlier.', again] },
  calls: {
    action: 'Split the work',
    steps: ['Look for a tool that takes many items at once, or ask for larger pages.', split],
  },
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
      'Where an address is named, load(address + "?path=…") or "?lines=…" gives the part that you need, without another call.',
      'Otherwise ask for less, if the tool has a filter, a limit or pages.',
    ],
  },
};

/** A tool asked something, which is possible only outside. */
const askedInside: Recovery = {
  action: 'Call it outside a program',
  steps: ['Make this one call with tool_execute, or directly: there it can ask.', 'Do the rest in a program.'],
};

/** Undefined where the kind of trouble says by itself what to do. */
function recoveryFor(failure: ChainFailure, request: ChainRequest): Recovery | undefined {
  const { reason, code, tool } = failure;
  if (reason === 'thrown' && code !== undefined) {
    // Without a tool it was a function of ours that was given something wrong, and there is no schema to look up.
    return code === 'ARGUMENTS_INVALID' && tool === undefined ? correct : ofCalls[code];
  }
  const recovery = recoveries[reason];
  const more = limitSentence(failure, request);
  if (recovery === undefined || more === undefined) return recovery;
  return { ...recovery, steps: [...recovery.steps, more] };
}

/** The same for a person, who has no use for steps that only an agent takes. */
function hintByHand(failure: ChainFailure, request: ChainRequest): string | undefined {
  const { hint, reason } = failure;
  if (hint !== undefined) return hint;
  const [first] = reason === 'thrown' || reason === 'syntax' ? [] : (recoveries[reason]?.steps ?? []);
  const sentences = [first, limitSentence(failure, request)].filter((one) => typeof one === 'string');
  return sentences.length === 0 ? undefined : sentences.join(' ');
}

/** Which limit it was, who sets it, and how far it may be moved. */
function limitSentence({ reason }: ChainFailure, { reader, timeoutMs, allowed }: ChainRequest): string | undefined {
  if (reason === 'timeout' && timeoutMs < allowed.timeoutMs) {
    const name = reader === 'hand' ? '--timeout' : 'timeoutMs';
    return `It had ${timeoutMs} ms; ${name} may be up to ${allowed.timeoutMs}.`;
  }
  const setting = limitSettings[reason]?.(allowed);
  if (setting === undefined) return undefined;
  return reader === 'hand'
    ? `The limit is ${setting} in the config.`
    : `The owner of this gateway sets the limit: ${setting} in its config.`;
}

const limitSettings: Partial<Record<Reason, (allowed: ChainRequest['allowed']) => string>> = {
  timeout: ({ timeoutMs }) => `chains.timeoutMs (${timeoutMs})`,
  memory: ({ memoryMb }) => `chains.memoryMb (${memoryMb})`,
  calls: ({ maxCalls }) => `chains.maxCalls (${maxCalls})`,
};
