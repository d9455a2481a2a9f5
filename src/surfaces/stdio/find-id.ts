/** Whose message it was, from the start and end of a line that was too long to be read. */

import { isRequestId, type RequestId } from '../../protocol/messages.ts';

const id = String.raw`("(?:[^"\\]|\\.)*"|-?\d{1,16})`;
/** The id stands before anything nested. */
const idInHead = new RegExp(
  String.raw`^\s*\{(?:\s*"(?!id")[^"\\]*"\s*:\s*(?:"[^"\\]*"|-?\d{1,16})\s*,)*\s*"id"\s*:\s*${id}\s*[,}]`,
);
/** The id is the last member; the one closing bracket at the end says that it is a member of the message itself. */
const idInTail = new RegExp(String.raw`[,{]\s*"id"\s*:\s*${id}\s*\}\s*$`);

/** Undefined where it cannot be told for certain. */
export function findId(head: string, tail: string): RequestId | undefined {
  const text = (idInHead.exec(head) ?? idInTail.exec(tail))?.[1];
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRequestId(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
