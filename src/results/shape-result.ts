/** Shortens a result that is too large: what it is, how it begins, and where to read all of it. */

import { GatewayError, messageOf } from '../base/errors.ts';
import { cutToTokens, estimateTokens } from '../base/estimate-tokens.ts';
import { isObject, jsonSize } from '../base/json.ts';
import { printable } from '../base/text.ts';
import { limits } from '../config/config.ts';
import type { Result } from '../protocol/messages.ts';
import { describePart } from './describe-part.ts';
import { hasLongValues, LongValue, longBytes } from './long-value.ts';
import { type ResultSummary, type StoredResult, sizeText } from './part-facts.ts';
import { leastPreviewBytes, previewBytes, previewOf } from './preview.ts';
import { repeatedContent } from './repeated-content.ts';
import { summarizeResult } from './summarize-result.ts';

export interface ShapeOptions {
  /** Most bytes of the shaped result. */
  readonly maxBytes: number;
  /** True if the agent needs the structured content whole. */
  readonly keepsStructured: boolean;
  /** True if the agent has tool_execute. */
  readonly canExecute: boolean;
  /** True if the agent has call_tool_chain instead. */
  readonly canProgram?: boolean | undefined;
  /** True if the agent knows links to resources in results. */
  readonly knowsLinks: boolean;
}

/** A header that would be longer says less, by the bound on tokens; the shortest is under 500 in any case. */
const headerTokens = 350;
/** Structured content up to this stays beside a text that does not. */
const smallStructured = 2_000;
/** Parts that the header names. */
const partsTold = 5;
/** Tokens of what others wrote that the header repeats. */
const repeated = { reason: 100, toolKey: 60, missing: 60 };

/** True if a result is larger than an agent may get. Pictures and sound do not count; repeated content counts once. */
export function isOver(result: Result, maxBytes: number): boolean {
  const rest = withoutMedia(result, mediaOf(result));
  if (!isLarger(rest, maxBytes)) return false;
  const { structuredContent, ...others } = rest;
  // Most that are over are so by far: only what may be within the limit is compared.
  if (typeof structuredContent !== 'object' || hasLongValues(rest) || isLarger(others, maxBytes)) return true;
  const repeated = repeatedContent(rest);
  return repeated === undefined || jsonSize(rest) - jsonSize(repeated) > maxBytes;
}

function isLarger(result: Result, maxBytes: number): boolean {
  const inMemory = jsonSize(result, maxBytes);
  return inMemory > maxBytes || inMemory + longBytes(result) > maxBytes;
}

export async function shapeResult(result: Result, kept: StoredResult, options: ShapeOptions): Promise<Result> {
  const { id, uri, bytes, toolKey } = kept;
  const expiresAt = new Date(kept.expiresAt).toISOString();
  const call = JSON.stringify({ toolKey: 'toolcrib:read_result', arguments: { id, page: 1 } });
  const ways = [
    `All of it is stored until ${expiresAt} at the latest, at ${uri} (add ?page=2, ?find=TEXT, ?lines=1-50 or ?path=$.a[0:20]).`,
    ...(options.canExecute ? [`To read it: tool_execute ${call}, or with find, lines, path or part.`] : []),
    ...(options.canProgram ? [`To work on it: call_tool_chain with load('${uri}').`] : []),
  ];
  const key = shortened(toolKey, repeated.toolKey);
  const name = `result of ${key}`;
  const size = bytes;
  const link = { type: 'resource_link', uri, name, mimeType: 'text/plain', size, annotations: { priority: 0.7 } };
  return assemble(result, kept, options, {
    of: ` of ${key}`,
    ways,
    blocks: options.knowsLinks ? [link] : [],
    meta: { id, uri, bytes, expiresAt, isTruncated: true },
  });
}

/** For a result that could not be kept, for the reason given. */
export async function cutResult(result: Result, reason: string, options: ShapeOptions): Promise<Result> {
  const summary = await summarizeResult(result, previewBytes(options.maxBytes));
  const why = shortened(reason, repeated.reason);
  return assemble(result, summary, options, {
    of: '',
    ways: [`The rest could NOT be stored: ${why}`, 'Ask for less at a time: use a filter, a limit or a page size.'],
    blocks: [],
    meta: { bytes: summary.bytes, isTruncated: true },
  });
}

interface Wording {
  readonly of: string;
  readonly ways: readonly string[];
  readonly blocks: readonly unknown[];
  readonly meta: Readonly<Record<string, unknown>>;
}

async function assemble(
  result: Result,
  summary: ResultSummary,
  options: ShapeOptions,
  wording: Wording,
): Promise<Result> {
  const { kept, missing } = await membersOf(result, options);
  const meta = { ...(isObject(kept._meta) ? kept._meta : {}), 'toolcrib/result': wording.meta };
  const header = headerOf(summary, wording, missing, 'This is only the beginning.');
  const around = jsonSize({ ...kept, structuredContent: null, content: wording.blocks, _meta: meta }) + 150;
  const left = Math.max(leastPreviewBytes, options.maxBytes - around - jsonSize(header));
  const preview = previewOf(summary, Math.min(previewBytes(options.maxBytes), left));
  const text =
    preview === '' ? headerOf(summary, wording, missing, 'It is not shown here.') : `${header}\n\n${preview}`;
  const media = await loadMedia(mediaOf(result));
  return { ...kept, content: [ownText(text), ...media, ...wording.blocks], _meta: meta };
}

/** On one line, and not too much of it. */
function shortened(text: string, tokens: number): string {
  const line = printable(text).toWellFormed();
  const piece = cutToTokens(line, tokens);
  return piece === line ? line : `${piece}…`;
}

/** As much of it as fits: fewer names and parts where they are long. `shown` says what of the result follows. */
function headerOf(summary: ResultSummary, { of, ways }: Wording, missing: readonly string[], shown: string): string {
  const left = missing.length === 0 ? [] : [`Left out here: ${shortened(missing.join(', '), repeated.missing)}.`];
  const compose = (names: number, parts: number) => {
    const told = summary.parts.slice(0, parts).map((part, at) => `Part ${at + 1}: ${describePart(part, names)}`);
    const more = summary.parts.length > parts ? [`In all ${summary.parts.length} parts.`] : [];
    const first = `The result${of} is large: ${sizeText(summary.bytes)}. ${shown}`;
    return [first, ...told, ...more, ...left, ...ways].join('\n');
  };
  for (const [names, parts] of [
    [12, partsTold],
    [6, 3],
    [2, 1],
  ] as const) {
    const header = compose(names, parts);
    if (estimateTokens(header) <= headerTokens) return header;
  }
  return compose(0, 0);
}

/** The members beside the content that stay, and the others. */
async function membersOf(result: Result, options: ShapeOptions) {
  const kept: Result = {};
  const missing: string[] = [];
  let room = options.maxBytes / 4;
  for (const [name, value] of Object.entries(result)) {
    if (name === 'content') continue;
    if (name === 'structuredContent' && options.keepsStructured) {
      const loaded = await loadStructured(value);
      if (loaded === undefined) missing.push(name);
      else kept[name] = loaded;
      continue;
    }
    const limit = name === 'structuredContent' ? Math.min(room, smallStructured) : room;
    const size = value instanceof LongValue ? Number.POSITIVE_INFINITY : jsonSize(value, limit);
    if (size > limit) missing.push(name);
    else {
      room -= size;
      Object.defineProperty(kept, name, { value, enumerable: true, writable: true, configurable: true });
    }
  }
  return { kept, missing };
}

/** Undefined for what is too large to be taken whole even so. */
async function loadStructured(value: unknown): Promise<unknown> {
  if (!(value instanceof LongValue)) return value;
  if (value.bytes > limits.wholeMessageBytes) return undefined;
  try {
    return await value.load();
  } catch (error) {
    throw error instanceof GatewayError ? error : new GatewayError('TOO_LARGE', messageOf(error), { cause: error });
  }
}

/** From this many characters on a block is for the model, and worth less room than what surrounds it. */
const longText = 2_000;

export function ownText(text: string): Record<string, unknown> {
  const isLong = text.length > longText;
  const annotations = isLong ? { audience: ['assistant'], priority: 0.3 } : { priority: 0.7 };
  return { type: 'text', text, annotations };
}

/** The blocks that stay as they are: in their order, as many as fit. */
function mediaOf({ content }: Result): ReadonlySet<unknown> {
  const media = new Set<unknown>();
  let room: number = limits.shownMediaBytes;
  for (const block of Array.isArray(content) ? content : []) {
    const size = mediaSize(block);
    if (size === undefined || size > room) continue;
    room -= size;
    media.add(block);
  }
  return media;
}

/** The result without them. */
function withoutMedia(result: Result, media: ReadonlySet<unknown>): Result {
  if (media.size === 0 || !Array.isArray(result.content)) return result;
  return { ...result, content: result.content.filter((block) => !media.has(block)) };
}

/** The blocks themselves, in memory. */
async function loadMedia(media: ReadonlySet<unknown>): Promise<unknown[]> {
  return Promise.all([...media].map(loadBlock));
}

async function loadBlock(block: unknown): Promise<unknown> {
  return isObject(block) && block.data instanceof LongValue ? { ...block, data: await block.data.load() } : block;
}

/** Undefined for everything else. */
function mediaSize(block: unknown): number | undefined {
  if (!isObject(block) || (block.type !== 'image' && block.type !== 'audio')) return undefined;
  const { data } = block;
  if (data instanceof LongValue) return data.bytes;
  return typeof data === 'string' ? data.length : undefined;
}
