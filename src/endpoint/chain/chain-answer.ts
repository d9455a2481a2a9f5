/** The answer for a program that ended well: within its limit, and what does not fit is kept and can be read on. */

import type { Principal } from '../../access/access.ts';
import { GatewayError, messageOf } from '../../base/errors.ts';
import { jsonSize } from '../../base/json-size.ts';
import { describePart, portray, previewOf, type ResultShelf } from '../../results/results.ts';
import type { ChainWish } from './chain-wish.ts';
import { cutCalls, cutList, cutLogs } from './cut-answer.ts';
import { keepValue, resultOf } from './keep-value.ts';
import type { ChainEnd } from './run-chain.ts';

/** Shares of the answer that its other parts may take where not all fits. */
const shares = { calls: 0.25, logs: 0.25, notes: 0.1, kept: 0.15 };
/** Room in which something of the logs, or that there are some, can be said. */
const leastLogBytes = 50;
/** Tokens of the beginning of a result that is too large. */
const previewTokens = 400;

const noResult = 'The program gave no value: end it with `return value`.';

export async function chainAnswer(
  shelf: Pick<ResultShelf, 'keep'>,
  principal: Principal,
  wish: ChainWish,
  end: ChainEnd,
): Promise<Record<string, unknown>> {
  const { report } = end;
  const { maxOutputBytes } = wish;
  const calls = cutCalls(end.calls, maxOutputBytes * shares.calls);
  const kept = cutList(end.kept, maxOutputBytes * shares.kept);
  const notes = cutList([...wish.notes, ...report.notes], maxOutputBytes * shares.notes);
  const around = {
    calls,
    truncated: false,
    ...(kept.length === 0 ? {} : { kept }),
    ...(notes.length === 0 ? {} : { notes }),
    ...(report.resultJson === undefined ? { hint: noResult } : {}),
  };
  const resultBytes = report.resultJson === undefined ? 4 : Buffer.byteLength(report.resultJson);
  const room = maxOutputBytes - jsonSize(around) - '"result":,"logs":,'.length;
  // The result goes first: to read it later takes another turn.
  const logRoom = resultBytes + leastLogBytes <= room ? room - resultBytes : room * shares.logs;
  const logs = cutLogs(report.logs, report.lostLogs, logRoom);
  const left = room - jsonSize(logs);
  // It was written by JSON.stringify in the program's own world, and crossed as text.
  const result: unknown = report.resultJson === undefined ? null : JSON.parse(report.resultJson);
  if (resultBytes <= left) return { result, logs, ...around, truncated: isCut(end, logs, kept) };
  return { result: await keepResult(shelf, principal, result, left), logs, ...around, truncated: true };
}

function isCut({ report, kept: allKept }: ChainEnd, logs: readonly string[], kept: readonly unknown[]): boolean {
  return report.lostLogs > 0 || logs.length < report.logs.length || kept.length < allKept.length;
}

/** Where it is, what it is and how it begins, within so many bytes. */
async function keepResult(
  shelf: Pick<ResultShelf, 'keep'>,
  principal: Principal,
  value: unknown,
  maxBytes: number,
): Promise<Record<string, unknown>> {
  try {
    const kept = await keepValue(shelf, principal, value);
    const [part] = kept.parts;
    const head = { kept: kept.uri, bytes: kept.bytes, outline: part ? describePart(part, 6) : '' };
    return { ...head, preview: previewOf(kept, { tokens: previewTokens, bytes: maxBytes - jsonSize(head) - 20 }) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const portrait = await portray(resultOf(value));
    const head = { bytes: portrait.bytes, unkept: messageOf(error) };
    return { ...head, preview: previewOf(portrait, { tokens: previewTokens, bytes: maxBytes - jsonSize(head) - 20 }) };
  }
}
