/** The answer for a program that ended well: within its limit, and what does not fit is kept and can be read on. */

import type { Principal } from '../access/access.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import { jsonSize } from '../base/json-size.ts';
import { describePart, portray, previewBytes, previewOf, type ResultShelf } from '../results/results.ts';
import type { ChainWish } from './chain-wish.ts';
import { cutParts, leastBytes } from './cut-answer.ts';
import { keepValue, resultOf } from './keep-value.ts';
import type { ChainEnd } from './run-chain.ts';

/** Room for the address and the outline of a result that is too large, beside its beginning. */
const toldBytes = 1_000;
/** The names of the members and what is between them. */
const frame = jsonSize({ result: 0, logs: [], calls: [], kept: [], notes: [], truncated: false });

export async function chainAnswer(
  shelf: Pick<ResultShelf, 'keep'>,
  principal: Principal,
  wish: ChainWish,
  end: ChainEnd,
): Promise<Record<string, unknown>> {
  const { report, calls, kept } = end;
  const { logs, lostLogs, resultJson = 'null' } = report;
  const parts = { kept, notes: [...wish.notes, ...report.notes], calls, logs, lostLogs };
  const room = wish.maxOutputBytes - frame;
  const resultBytes = Buffer.byteLength(resultJson);
  // It was written by JSON.stringify in the program's own world, and crossed as text.
  const result: unknown = JSON.parse(resultJson);
  // The result goes first: to read it later takes another turn.
  const isWhole = resultBytes + leastBytes(parts, room) <= room;
  const preview = previewBytes(wish.maxOutputBytes);
  const around = cutParts(parts, room - (isWhole ? resultBytes : Math.min(toldBytes + preview, room / 2)));
  const left = room - jsonSize(around) + jsonSize({ kept: [], notes: [], calls: [], logs: [] });
  return {
    result: isWhole ? result : await keepResult(shelf, principal, result, { left, preview }),
    logs: around.logs,
    calls: around.calls,
    truncated: !isWhole,
    ...(around.kept.length === 0 ? {} : { kept: around.kept }),
    ...(around.notes.length === 0 ? {} : { notes: around.notes }),
  };
}

/** Where it is, what it is and how it begins, within the bytes that are left. */
async function keepResult(
  shelf: Pick<ResultShelf, 'keep'>,
  principal: Principal,
  value: unknown,
  { left, preview }: { readonly left: number; readonly preview: number },
): Promise<Record<string, unknown>> {
  try {
    const kept = await keepValue(shelf, principal, value);
    const [part] = kept.parts;
    const outline = part ? describePart(part, 6) : '';
    const head = { kept: kept.uri, bytes: kept.bytes, outline, read: howToRead(kept) };
    return { ...head, preview: previewOf(kept, Math.min(preview, left - jsonSize(head) - 20)) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const portrait = await portray(resultOf(value), preview);
    const head = { bytes: portrait.bytes, unkept: messageOf(error) };
    return { ...head, preview: previewOf(portrait, Math.min(preview, left - jsonSize(head) - 20)) };
  }
}

/** Whoever sent the program can send another, and everybody can read what was kept. */
function howToRead({ uri, id }: Awaited<ReturnType<ResultShelf['keep']>>): string {
  const call = JSON.stringify({ toolKey: 'toolcrib:read_result', arguments: { id, page: 1 } });
  return `In a program: await load("${uri}"), or load("${uri}?path=$.rows[0:20]") for a part. To read it: tool_execute ${call}.`;
}
