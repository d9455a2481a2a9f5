/** Arguments and answers of our own tools: arguments are read forgivingly, answers keep within the limit on results, lists come in pages. */

import { z } from 'zod';
import { GatewayError } from '../base/errors.ts';
import { jsonSize } from '../base/json.ts';
import { type Result, RpcError, rpcCodes } from '../protocol/messages.ts';
import { ownText } from '../results/results.ts';
import type { Uses } from './layers.ts';

/** Mistakes that are named; a body of thousands of tools may hold as many. */
const mistakesNamed = 3;

/** The value, or the mistakes in it as one text: `"limit" must be at most 100; "mode" must be one of …`. */
type InputReading<T> = { readonly value: T } | { readonly mistakes: string };

/** `whole` is what the value is called where no part of it is to blame. */
export function readInput<S extends z.ZodType>(schema: S, input: unknown, whole: string): InputReading<z.infer<S>> {
  // Where a schema has words of its own they come first; they too are the middle of a sentence.
  const parsed = schema.safeParse(input, { error: requirementOf });
  if (parsed.success) return { value: parsed.data };
  const mistakes = parsed.error.issues
    .slice(0, mistakesNamed)
    .map(({ path, message }) => `${path.length === 0 ? whole : `"${z.core.toDotPath(path)}"`} ${message}`);
  return { mistakes: mistakes.join('; ') };
}

type Issue = z.core.$ZodRawIssue;

function requirementOf(issue: Issue): string | undefined {
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'is missing' : `must be ${kinds[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'unrecognized_keys')
    return `has no member ${issue.keys.map((key) => JSON.stringify(key)).join(' or ')}`;
  if (issue.code === 'too_small') return `must ${amountOf(issue.origin, 'at least', issue.minimum)}`;
  if (issue.code === 'too_big') return `must ${amountOf(issue.origin, 'at most', issue.maximum)}`;
  return undefined;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function amountOf(origin: string, bound: string, limit: number | bigint): string {
  if (origin === 'string') return `have ${bound} ${counted(limit, 'character')}`;
  if (origin === 'array') return `have ${bound} ${counted(limit, 'item')}`;
  return `be ${bound} ${limit}`;
}

function counted(count: number | bigint, noun: string): string {
  return `${count} ${noun}${Number(count) === 1 ? '' : 's'}`;
}

/** The arguments as a schema reads them, or trouble that says what is wrong with them. */
export function readToolArguments<S extends z.ZodType>(name: string, schema: S, args: unknown): z.infer<S> {
  const reading = readInput(schema, args, 'the arguments');
  if ('value' in reading) return reading.value;
  throw badArguments(name, reading.mistakes);
}

/** `what` is wrong with the arguments for a tool of ours. */
export function badArguments(name: string, what: string): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', `The arguments for "${name}" are not right: ${what}.`);
}

/** A whole number; one beyond the bounds counts as the bound. */
export function clamped(least: number, most: number) {
  return z.coerce
    .number({ error: `must be a whole number from ${least} to ${most}` })
    .transform((value) => Math.min(most, Math.max(least, Math.round(value))));
}

export type AnswerObject = Readonly<Record<string, unknown>>;

/** An answer of our own: compact JSON as text, and the same object as structured content. */
export function answer(value: Readonly<Record<string, unknown>>): Result {
  return { content: [ownText(JSON.stringify(value))], structuredContent: value };
}

/** For what a result has around its text, and for a note that something is shortened. */
const aroundBytes = 500;

/** Bytes that rows may take in an answer with these other members. */
export function roomBeside({ config }: Uses<'config'>, others: AnswerObject): number {
  return config().calls.maxResultBytes - aroundBytes - textBytes(others);
}

/** A text and its structured copy count once, and the text is the longer one: JSON inside JSON. */
function textBytes(value: unknown): number {
  return jsonSize(JSON.stringify(value));
}

interface FittedRows {
  /** The first ones, each in the richest form that has room. */
  readonly rows: readonly AnswerObject[];
  /** How many of them are in the first form. */
  readonly wholeCount: number;
}

/**
 * `forms` has all rows in each form, the richest first; rows that come first matter most. Every row gets the poorest form,
 * then those get a better one that still fit. Where not even the poorest ones fit, the last rows are missing; the first is
 * there in any case, or nobody would get on.
 */
export function fitRows(forms: readonly (readonly AnswerObject[])[], room: number): FittedRows {
  const sizes = forms.map((rows) => rows.map((row) => textBytes(row) - 1));
  const sizeOf = (form: number, at: number) => sizes[form]?.[at] ?? 0;
  const poorest = forms.length - 1;
  const chosen: number[] = [];
  let left = room;
  for (const [at, size] of (sizes[poorest] ?? []).entries()) {
    if (size > left && at > 0) break;
    left -= size;
    chosen.push(poorest);
  }
  for (let form = poorest - 1; form >= 0; form -= 1) {
    for (const [at, current] of chosen.entries()) {
      const more = sizeOf(form, at) - sizeOf(current, at);
      if (more > left) continue;
      left -= more;
      chosen[at] = form;
    }
  }
  // Chosen are forms of rows that are there.
  const rows = chosen.map((form, at) => forms[form]?.[at] as AnswerObject);
  return { rows, wholeCount: chosen.filter((form) => form === 0).length };
}

/** The first form of an answer that fits, else the last. */
export function fitWhole(layers: Uses<'config'>, forms: readonly (() => AnswerObject)[]): AnswerObject {
  const last = forms.length - 1;
  for (const [at, make] of forms.entries()) {
    const form = make();
    if (at === last || roomBeside(layers, form) >= 0) return form;
  }
  return {};
}

/** Where an item stands: lists are ordered by the first text, then by the second. */
export type ListPosition = readonly [group: string, name: string];

export interface Positioned {
  readonly position: ListPosition;
}

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** `list` is the name of the list: the cursor of another one is refused. The items are in the order of their positions. */
export function pageOfList<T extends Positioned>(
  list: string,
  items: readonly T[],
  cursor: unknown,
  size: number,
): Page<T> {
  const after = isAbsent(cursor) ? undefined : readCursor(list, cursor);
  const rest = after === undefined ? items : items.filter(({ position }) => compare(position, after) > 0);
  const page = rest.slice(0, size);
  const last = page.at(-1);
  return rest.length <= size || !last ? { items: page } : { items: page, nextCursor: cursorAfter(list, last.position) };
}

/** For a list that is one page: nobody can have been given a cursor. */
export function refuseCursor({ cursor }: { readonly cursor?: unknown }): void {
  if (!isAbsent(cursor)) throw badCursor();
}

/** Some agents write that they have none. */
function isAbsent(cursor: unknown): boolean {
  return cursor === undefined || cursor === null;
}

export function cursorAfter(list: string, position: ListPosition): string {
  return Buffer.from(JSON.stringify([list, ...position])).toString('base64url');
}

/** Throws the protocol's error for what we did not write. */
function readCursor(list: string, cursor: unknown): ListPosition {
  if (typeof cursor !== 'string') throw badCursor();
  const [name, group, item] = parse(Buffer.from(cursor, 'base64url'));
  if (name !== list || typeof group !== 'string' || typeof item !== 'string') throw badCursor();
  // Decoding overlooks what is no base64, so that only what it was made from tells.
  if (cursorAfter(list, [group, item]) !== cursor) throw badCursor();
  return [group, item];
}

function badCursor(): RpcError {
  return new RpcError(
    rpcCodes.invalidParams,
    'The cursor is not valid for this list. Leave it out to start from the beginning.',
  );
}

function parse(bytes: Buffer): unknown[] {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function compare(a: ListPosition, b: ListPosition): number {
  if (a[0] !== b[0]) return a[0] < b[0] ? -1 : 1;
  return a[1] === b[1] ? 0 : a[1] < b[1] ? -1 : 1;
}
