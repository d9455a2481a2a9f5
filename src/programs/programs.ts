/** Programs that agents send: runs one, and answers with its result within a limit; a result too large for it is stored. */

import type { Principal } from '../access/access.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import { isObject, jsonSize } from '../base/json.ts';
import type { RequestSender } from '../caller/caller.ts';
import { limits } from '../config/config.ts';
import type { Result } from '../protocol/messages.ts';
import { describePart, previewBytes, previewOf, type StoredResults, summarizeResult } from '../results/results.ts';
import { answer, type Uses } from '../tools/tools.ts';
import { keepValue, resultOf } from './call-ledger.ts';
import { chainError, chainTrouble } from './chain-trouble.ts';
import { cutParts, leastBytes } from './cut-answer.ts';
import { type ChainEnd, type ChainRequest, type ProgramLayer, readChainRequest, runChain } from './run-chain.ts';

export type { ProgramLayer } from './run-chain.ts';

/** The answer to an agent. */
export async function answerChain(
  layers: Uses<ProgramLayer>,
  args: Readonly<Record<string, unknown>>,
  sender: RequestSender,
): Promise<Result> {
  const request = readChainRequest(args, layers.config());
  const end = await runChain(layers, request, sender);
  if (end.report.failure) return chainTrouble(layers, request, end, end.report.failure);
  const { end: shown, blocks } = showMedia(end);
  const data = await chainAnswer(layers.results, sender.principal, request, shown);
  const result = answer(data);
  const links = sender.agent.knowsLinks ? linksTo(data) : [];
  return { ...result, content: [...(result.content as unknown[]), ...blocks, ...links] };
}

/** To the result, where it was kept. */
function linksTo({ result }: Record<string, unknown>): unknown[] {
  if (!isObject(result) || typeof result.read !== 'string' || typeof result.kept !== 'string') return [];
  const name = 'result of the program';
  return [{ type: 'resource_link', uri: result.kept, name, mimeType: 'text/plain', size: result.bytes }];
}

/** The same for a person, as data and with all of the result: a program that failed has an `error` with what happened before it. */
export async function chainOutcome(
  layers: Uses<ProgramLayer>,
  args: Readonly<Record<string, unknown>>,
  sender: RequestSender,
): Promise<Record<string, unknown>> {
  const request = readChainRequest(args, layers.config(), 'hand');
  const end = await runChain(layers, request, sender);
  if (!end.report.failure) return chainAnswer(layers.results, sender.principal, request, end);
  const { structuredContent } = await chainTrouble(layers, request, end, end.report.failure);
  const { code, message, hint } = chainError(end.report.failure, request);
  return { error: { code, message, ...(hint === undefined ? {} : { hint }) }, ...(structuredContent as object) };
}

/** A result without any of these words holds no picture and is not looked through. */
const marks = ['"data"', '"mimeType"'];
/** Levels of the result that are looked through. */
const deepest = 20;

interface ShownMedia {
  readonly end: ChainEnd;
  /** Content blocks, in the order of their numbers in the result. */
  readonly blocks: readonly unknown[];
}

/** As many as are shown of any result; those beyond stay where they are, under the rule for what is large. */
export function showMedia(end: ChainEnd): ShownMedia {
  const { resultJson } = end.report;
  if (resultJson === undefined || !marks.every((mark) => resultJson.includes(mark))) return { end, blocks: [] };
  const blocks: unknown[] = [];
  let room: number = limits.shownMediaBytes;
  const without = (value: unknown, depth: number): unknown => {
    if (typeof value !== 'object' || value === null || depth > deepest) return value;
    if (Array.isArray(value)) return value.map((item) => without(item, depth + 1));
    if (isObject(value) && isMedia(value) && value.data.length <= room) {
      room -= value.data.length;
      const { type, data, mimeType } = value;
      blocks.push({ type, data, mimeType });
      return { ...value, data: `shown beside this JSON, as number ${blocks.length}` };
    }
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, without(member, depth + 1)]));
  };
  const shown = without(JSON.parse(resultJson), 0);
  if (blocks.length === 0) return { end, blocks };
  return { end: { ...end, report: { ...end.report, resultJson: JSON.stringify(shown) } }, blocks };
}

function isMedia(value: Record<string, unknown>): value is Record<'type' | 'data' | 'mimeType', string> {
  const { type, data, mimeType } = value;
  return (type === 'image' || type === 'audio') && typeof data === 'string' && typeof mimeType === 'string';
}

/** Room for the address and the outline of a result that is too large, beside its beginning. */
const toldBytes = 1_000;
/** The names of the members and what is between them. */
const frame = jsonSize({ result: 0, logs: [], calls: [], kept: [], notes: [], truncated: false });

export async function chainAnswer(
  results: Pick<StoredResults, 'keep'>,
  principal: Principal,
  request: ChainRequest,
  end: ChainEnd,
): Promise<Record<string, unknown>> {
  const { report, calls, kept } = end;
  const { logs, lostLogs, resultJson = 'null' } = report;
  const parts = { kept, notes: [...request.notes, ...report.notes], calls, logs, lostLogs };
  const room = request.maxOutputBytes - frame;
  const resultBytes = Buffer.byteLength(resultJson);
  // It was written by JSON.stringify in the program's own world, and crossed as text.
  const result: unknown = JSON.parse(resultJson);
  // The result goes first: to read it later takes another turn.
  const isWhole = resultBytes + leastBytes(parts, room) <= room;
  const preview = previewBytes(request.maxOutputBytes);
  const around = cutParts(parts, room - (isWhole ? resultBytes : Math.min(toldBytes + preview, room / 2)));
  const left = room - jsonSize(around) + jsonSize({ kept: [], notes: [], calls: [], logs: [] });
  return {
    result: isWhole ? result : await keepResult(results, principal, result, { left, preview }),
    logs: around.logs,
    calls: around.calls,
    truncated: !isWhole,
    ...(around.kept.length === 0 ? {} : { kept: around.kept }),
    ...(around.notes.length === 0 ? {} : { notes: around.notes }),
  };
}

/** Where it is, what it is and how it begins, within the bytes that are left. */
async function keepResult(
  results: Pick<StoredResults, 'keep'>,
  principal: Principal,
  value: unknown,
  { left, preview }: { readonly left: number; readonly preview: number },
): Promise<Record<string, unknown>> {
  try {
    const kept = await keepValue(results, principal, value);
    const [part] = kept.parts;
    const outline = part ? describePart(part, 6) : '';
    const head = { kept: kept.uri, bytes: kept.bytes, outline, read: howToRead(kept) };
    return { ...head, preview: previewOf(kept, Math.min(preview, left - jsonSize(head) - 20)) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const summary = await summarizeResult(resultOf(value), preview);
    const head = { bytes: summary.bytes, unkept: messageOf(error) };
    return { ...head, preview: previewOf(summary, Math.min(preview, left - jsonSize(head) - 20)) };
  }
}

/** The sender can run another program, and any agent can read a stored result. */
function howToRead({ uri, id }: Awaited<ReturnType<StoredResults['keep']>>): string {
  const call = JSON.stringify({ toolKey: 'toolcrib:read_result', arguments: { id, page: 1 } });
  return `In a program: await load("${uri}"), or load("${uri}?path=$.rows[0:20]") for a part. To read it: tool_execute ${call}.`;
}
