/** Turns the result of a call into the JSON that a program gets, with every number exact; a failure is thrown. */

import { type ErrorCode, errorCodes, GatewayError } from '../base/errors.ts';
import { holdsInexactNumber, isObject, parseFaithfulJson, parseJson } from '../base/json.ts';
import { outcomeOf } from '../caller/caller.ts';
import type { Entry } from '../catalog/catalog.ts';
import type { Result } from '../protocol/messages.ts';
import { writtenForm } from './find-written-tool.ts';

/** Characters of a failed tool's words that a program gets. */
const saidChars = 2_000;

/** Structured content where there is any; else the text, read where it is a JSON object or list; else all of the result. */
export function valueOfResult(result: Result, tool: Entry): string {
  const kept = isObject(result._meta) ? result._meta['toolcrib/result'] : undefined;
  if (isObject(kept)) throw tooLarge(tool, kept);
  if (result.isError === true) throw failed(result, tool);
  if (result.structuredContent !== undefined) return JSON.stringify(result.structuredContent);
  const text = textOf(result);
  if (text === undefined) return JSON.stringify(result);
  return isJson(text) ? text : JSON.stringify(text);
}

/** Undefined where there is something else than text. */
function textOf({ content }: Result): string | undefined {
  if (!Array.isArray(content)) return undefined;
  const texts: string[] = [];
  for (const block of content) {
    if (!isObject(block) || block.type !== 'text' || typeof block.text !== 'string') return undefined;
    texts.push(block.text);
  }
  return texts.join('\n');
}

function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

function failed(result: Result, tool: Entry): GatewayError {
  const said = textOf({ content: textBlocks(result) }) || 'It did not say why.';
  const outcome = outcomeOf({ result });
  // Trouble of a gateway behind this one has a name already.
  const named = isObject(result.structuredContent) ? result.structuredContent.errorType : undefined;
  const code: ErrorCode = errorCodes.find((item) => item === named) ?? 'TOOL_FAILED';
  const look = `Look up its parameters first: await info(${JSON.stringify(tool.key)}).`;
  return new GatewayError(code, `Tool "${tool.key}" failed: ${said.slice(0, saidChars)}`, {
    hint: outcome?.kind === 'arguments' ? look : undefined,
    data: { tool: tool.key },
  });
}

function textBlocks({ content }: Result): unknown[] {
  return Array.isArray(content) ? content.filter((block) => isObject(block) && block.type === 'text') : [];
}

/** The call was made: its result is stored, and a program can load it piece by piece. */
function tooLarge(tool: Entry, { uri, bytes }: Record<string, unknown>): GatewayError {
  const message = `The result of "${tool.key}" is too large for a program (${String(bytes)} bytes).`;
  if (typeof uri !== 'string') {
    const hint = `It could not be stored. Ask for less at a time, if ${writtenForm(tool)} has a filter or a limit.`;
    return new GatewayError('TOO_LARGE', message, { hint, data: { tool: tool.key } });
  }
  return new GatewayError('TOO_LARGE', `${message} It is stored at ${uri}.`, {
    hint: `Do not call again, load pieces: of JSON await load("${uri}?path=$.rows[0:100]"), of text ?lines=1-200, ?page=1 or ?find=TEXT.`,
    data: { tool: tool.key, uri },
  });
}

/** Places that are told. */
const pathsTold = 5;

interface ExactJson {
  readonly json: string;
  /** Where texts stand for numbers, such as `rows[].id`; of many, the first few. */
  readonly paths: readonly string[];
}

/** The JSON as it is, where every number survives. */
export function exactJson(json: string): ExactJson {
  if (!holdsInexactNumber(json)) return { json, paths: [] };
  const paths = new Set<string>();
  const value = withTexts(parseFaithfulJson(json, undefined), '', paths);
  return { json: JSON.stringify(value), paths: [...paths] };
}

function withTexts(value: unknown, path: string, paths: Set<string>): unknown {
  if (JSON.isRawJSON(value)) {
    if (paths.size < pathsTold) paths.add(path || 'the value');
    return (value as { readonly rawJSON: string }).rawJSON;
  }
  if (Array.isArray(value)) return value.map((item) => withTexts(item, `${path}[]`, paths));
  if (!isObject(value)) return value;
  const inside = (name: string) => (path === '' ? name : `${path}.${name}`);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withTexts(member, inside(name.slice(0, 40)), paths)]),
  );
}
