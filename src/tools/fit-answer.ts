/** Answers of our own within the limit on results: they say less of each thing before they leave things out, and pages end where the room does. */

import { jsonSize } from '../base/json-size.ts';
import type { Result } from '../protocol/messages.ts';
import { ownText } from '../results/results.ts';
import type { Uses } from './layers.ts';

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
