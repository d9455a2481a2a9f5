/** What a kept result stands for, as a program wants it: the value itself as JSON text, whole or at a path, never over a limit. */

import { type GatewayError, messageOf } from '../base/errors.ts';
import { JsonLimitError } from '../base/json.ts';
import type { JsonSpot } from '../base/json-scan.ts';
import { collect } from './byte-source.ts';
import { describePart } from './describe-part.ts';
import { isDefinite, parsePath } from './json-path.ts';
import { type LoadOptions, tooLarge } from './load-limit.ts';
import { loadMatches } from './load-matches.ts';
import { loadPiece } from './load-piece.ts';
import type { OpenResult } from './open-result.ts';
import { type PartFacts, sizeText } from './part-facts.ts';
import { bad, type ResultView } from './result-view.ts';
import { selectPath } from './select-path.ts';
import { partOf, viewUri } from './view-address.ts';
import { jsonPart, nothingAt } from './view-path.ts';

/** Parts that are described where one has to be chosen. */
const partsTold = 5;

/** Throws TOO_LARGE with the way to a smaller piece, or ARGUMENTS_INVALID for a view that the result does not have. */
export async function loadValue(result: OpenResult, view: ResultView, options: LoadOptions): Promise<string> {
  // A program is given all of it or trouble: with less, it would count on what it does not have.
  if (view.page !== undefined && (view.path !== undefined || view.find !== undefined))
    throw bad('A program is given all that is there at once: leave "page" out.', 'Narrow the path: path=$.rows[0:100]');
  if (view.path !== undefined) return loadPath(result, view.path, view, options);
  if (view.find !== undefined) return loadMatches(result, view.find, view, options);
  if (view.lines !== undefined || view.page !== undefined) return loadPiece(result, view, options);
  if (view.part !== undefined) return loadPart(result, view.part, await partOf(result, view.part), options);
  const { parts } = result.manifest;
  const structured = parts.findIndex(({ kind, name }) => kind === 'json' && name === 'structuredContent');
  const [first] = parts;
  const chosen = structured === -1 ? first : parts[structured];
  if (chosen && (structured !== -1 || parts.length === 1))
    return loadPart(result, Math.max(0, structured) + 1, chosen, options);
  if (parts.every(({ kind, name }) => kind === 'text' && name === null)) return loadTexts(result, options);
  throw manyParts(result);
}

async function loadPart(
  result: OpenResult,
  number: number,
  facts: PartFacts,
  { maxBytes, verbatimOf }: LoadOptions,
): Promise<string> {
  if (facts.bytes > maxBytes) throw tooLarge(result, `It takes ${sizeText(facts.bytes)}`, maxBytes, facts);
  const bytes = await collect(result.source(number, facts).read());
  if (facts.kind === 'binary') return JSON.stringify({ mimeType: facts.mimeType, data: bytes.toString('base64') });
  const text = bytes.toString();
  const isRead = facts.json !== null && result.manifest.toolKey !== verbatimOf;
  return facts.kind === 'json' || isRead ? text : JSON.stringify(text);
}

async function loadTexts(result: OpenResult, { maxBytes }: LoadOptions): Promise<string> {
  const { parts } = result.manifest;
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  if (bytes > maxBytes) throw tooLarge(result, `It takes ${sizeText(bytes)}`, maxBytes, undefined);
  const texts: string[] = [];
  for (const [at, facts] of parts.entries())
    texts.push((await collect(result.source(at + 1, facts).read())).toString());
  return JSON.stringify(texts.join('\n'));
}

/** One value where the path leads to one at most, else the list of all. */
async function loadPath(
  result: OpenResult,
  path: string,
  view: ResultView,
  { maxBytes }: LoadOptions,
): Promise<string> {
  const steps = parsePath(path);
  const { number, facts } = await jsonPart(result, view.part);
  const values: string[] = [];
  let bytes = 0;
  const onValue = ({ start, end }: JsonSpot, text: Buffer | undefined) => {
    bytes += end - start + 1;
    if (text === undefined || bytes > maxBytes)
      throw tooLarge(result, `What is at ${path} takes ${sizeText(bytes)} or more`, maxBytes, facts);
    values.push(text.toString());
  };
  try {
    await selectPath(() => result.source(number, facts).read(), steps, { keepBytes: maxBytes, onValue });
  } catch (error) {
    throw error instanceof JsonLimitError ? bad(`The path cannot be followed. ${messageOf(error)}`) : error;
  }
  if (!isDefinite(steps)) return `[${values.join(',')}]`;
  if (values[0] === undefined) throw bad(nothingAt(path, number, facts));
  return values[0];
}

function manyParts(result: OpenResult): GatewayError {
  const { parts } = result.manifest;
  const told = parts.slice(0, partsTold).map((part, at) => `${at + 1}: ${describePart(part, 3)}`);
  return bad(
    `The result has ${parts.length} parts; say which one.`,
    `Write load("${viewUri(result, 1, '').replace(/&$/, '')}"). ${told.join(' ')}`,
  );
}
