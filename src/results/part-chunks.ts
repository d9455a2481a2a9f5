/** The bytes of a part in chunks: texts joined, JSON written out, base64 decoded; long values are never held. */

import { isObject, jsonSize } from '../base/json.ts';
import type { Result } from '../protocol/messages.ts';
import { LongValue, longBytes } from './long-value.ts';
import { inTurns, jsonType, type LongText, type PartContent, type PartPlan } from './plan-parts.ts';
import { tidyJson } from './tidy-json.ts';

/** Characters of a string that are turned into bytes at a time. */
const pieceChars = 64 * 1_024;

/** The text is said to be base64 and is not, or not in the one way in which its bytes are written. */
class NotBase64Error extends Error {}

/** The text has half characters, which no file of text can hold. */
class BrokenTextError extends Error {}

export async function* partChunks(content: PartContent): AsyncGenerator<Buffer> {
  if (content.kind === 'json') yield* jsonChunks(content.value);
  else if (content.kind === 'binary') yield* decodedChunks(content.base64);
  else yield* textChunks(content.texts);
}

/** How a part is kept that cannot be kept as planned, so that nothing is lost; undefined for every other failure. */
export function otherForm(plan: PartPlan, error: unknown): PartPlan | undefined {
  const { content } = plan;
  if (error instanceof NotBase64Error && content.kind === 'binary')
    return { ...plan, kind: 'text', mimeType: 'text/plain', content: { kind: 'text', texts: [content.base64] } };
  if (error instanceof BrokenTextError && content.kind === 'text')
    return { ...plan, kind: 'json', mimeType: jsonType, content: { kind: 'json', value: content.texts[0] } };
  return undefined;
}

/** Joined by line breaks; short ones are put together before they are turned into bytes. */
async function* textChunks(texts: readonly LongText[]): AsyncGenerator<Buffer> {
  let waiting = '';
  for (const [at, text] of texts.entries()) {
    if (at > 0) waiting += '\n';
    if (typeof text === 'string' && text.length < pieceChars) waiting += text;
    else {
      yield bytesOf(waiting);
      waiting = '';
      for await (const piece of piecesOf(text)) yield bytesOf(piece);
    }
    if (waiting.length < pieceChars) continue;
    yield bytesOf(waiting);
    waiting = '';
  }
  yield bytesOf(waiting);
}

function bytesOf(text: string): Buffer {
  if (!text.isWellFormed()) throw new BrokenTextError('The text has half characters.');
  return Buffer.from(text);
}

/** A text in pieces that end with whole characters. */
export async function* piecesOf(text: LongText): AsyncGenerator<string> {
  if (text instanceof LongValue) yield* text.textChunks();
  else {
    for (let at = 0; at < text.length; ) {
      const end = at + pieceChars;
      const code = text.charCodeAt(end);
      const isInside = code >= 0xdc00 && code <= 0xdfff;
      yield text.slice(at, isInside ? end - 1 : end);
      at = isInside ? end - 1 : end;
    }
  }
}

/** The JSON of a value in which long values may stand. */
export async function* jsonChunks(value: unknown): AsyncGenerator<Buffer> {
  if (value instanceof LongValue) yield* tidyJson(value.chunks());
  else if (Array.isArray(value)) yield* listChunks(value);
  else if (isObject(value)) yield* memberChunks(value);
  else yield* plainChunks(value);
}

async function* listChunks(list: readonly unknown[]): AsyncGenerator<Buffer> {
  let mark = '[';
  for await (const some of inTurns(list)) {
    if (!holdsLong(some)) yield Buffer.from(`${mark}${JSON.stringify(some).slice(1, -1)}`);
    else yield* itemChunks(some, mark);
    mark = ',';
  }
  yield Buffer.from(list.length === 0 ? '[]' : ']');
}

async function* itemChunks(items: readonly unknown[], before: string): AsyncGenerator<Buffer> {
  for (const [at, item] of items.entries()) {
    yield Buffer.from(at === 0 ? before : ',');
    if (holdsLong(item)) yield* jsonChunks(item);
    else yield* plainChunks(item);
  }
}

async function* memberChunks(holder: Readonly<Record<string, unknown>>): AsyncGenerator<Buffer> {
  let mark = '{';
  for (const [name, member] of Object.entries(holder)) {
    if (member === undefined) continue;
    yield Buffer.from(`${mark}${JSON.stringify(name)}:`);
    mark = ',';
    if (Array.isArray(member) || holdsLong(member)) yield* jsonChunks(member);
    else yield* plainChunks(member);
  }
  yield Buffer.from(mark === '{' ? '{}' : '}');
}

async function* plainChunks(value: unknown): AsyncGenerator<Buffer> {
  for await (const piece of piecesOf(JSON.stringify(value) ?? 'null')) yield Buffer.from(piece);
}

/** Long values stand in a block or in its resource, so no deeper than that below a list of blocks. */
function holdsLong(value: unknown, depth = 0): boolean {
  if (value instanceof LongValue) return true;
  if (depth > 3 || typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((member) => holdsLong(member, depth + 1));
}

async function* decodedChunks(text: LongText): AsyncGenerator<Buffer> {
  let rest = '';
  let isPadded = false;
  for await (const piece of piecesOf(text)) {
    // Nothing may follow the padding.
    if (isPadded) throw new NotBase64Error('The text goes on behind its end.');
    const all = rest + piece;
    const end = all.length - (all.length % 4);
    const whole = all.slice(0, end);
    const bytes = Buffer.from(whole, 'base64');
    // If the bytes do not encode to the same text again, that text is kept.
    if (bytes.toString('base64') !== whole) throw new NotBase64Error('The text is not base64.');
    isPadded = whole.endsWith('=');
    rest = all.slice(end);
    yield bytes;
  }
  if (rest !== '') throw new NotBase64Error('The text ends in the middle.');
}

/** Bytes of its JSON, white space aside; each long value may be counted with a few too many. */
export async function sentBytes(result: Result): Promise<number> {
  const { content, ...others } = result;
  let bytes = jsonSize(others) + longBytes(others);
  if (content === undefined) return bytes;
  bytes += '"content":,'.length;
  if (!Array.isArray(content)) return bytes + jsonSize(content) + longBytes({ content });
  for await (const some of inTurns(content)) bytes += jsonSize(some) - 2 + longBytes({ content: some });
  return bytes + 2;
}
