/** What a part consists of, as bytes in chunks: texts joined, JSON written out, base64 decoded; long values are never held. */

import { isObject } from '../base/json.ts';
import { LongValue } from './long-value.ts';
import type { LongText, PartContent } from './plan-parts.ts';
import { tidyJson } from './tidy-json.ts';

/** Characters of a string that are turned into bytes at a time. */
const pieceChars = 64 * 1_024;

/** The bytes are said to be base64 and are not: they are a text then. */
export class NotBase64Error extends Error {}

export async function* partChunks(content: PartContent): AsyncGenerator<Buffer> {
  if (content.kind === 'json') yield* jsonChunks(content.value);
  else if (content.kind === 'binary') yield* decodedChunks(content.base64);
  else {
    for (const [at, text] of content.texts.entries()) {
      if (at > 0) yield Buffer.from('\n');
      for await (const piece of piecesOf(text)) yield Buffer.from(piece);
    }
  }
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
  else if (!holdsLong(value)) {
    for await (const piece of piecesOf(JSON.stringify(value) ?? 'null')) yield Buffer.from(piece);
  } else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      yield Buffer.from(at === 0 ? '[' : ',');
      yield* jsonChunks(item);
    }
    yield Buffer.from(']');
  } else if (isObject(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    for (const [at, [name, member]] of members.entries()) {
      yield Buffer.from(`${at === 0 ? '{' : ','}${JSON.stringify(name)}:`);
      yield* jsonChunks(member);
    }
    yield Buffer.from('}');
  }
}

/** Long values stand in a block or in its resource, so no deeper than that below a list of blocks. */
function holdsLong(value: unknown, depth = 0): boolean {
  if (value instanceof LongValue) return true;
  if (depth > 3 || typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((member) => holdsLong(member, depth + 1));
}

async function* decodedChunks(text: LongText): AsyncGenerator<Buffer> {
  let rest = '';
  for await (const piece of piecesOf(text)) {
    const all = rest + piece.replace(/\s+/g, '');
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(all) || rest.includes('=')) throw new NotBase64Error('The text is not base64.');
    const end = all.length - (all.length % 4);
    yield Buffer.from(all.slice(0, end), 'base64');
    // What stands behind the padding can be nothing that belongs to it.
    rest = all.endsWith('=') && end === all.length ? '=' : all.slice(end);
  }
  if (rest === '=' || rest === '') return;
  if (rest.length === 1 || rest.includes('=')) throw new NotBase64Error('The text is not base64.');
  yield Buffer.from(rest, 'base64');
}
