/** A view of a stored result, read from a URI or from the arguments of a tool. */

import { GatewayError } from '../base/errors.ts';
import { resultScheme } from './part-facts.ts';

export interface ResultView {
  readonly part?: number;
  /** From 1. */
  readonly page?: number;
  readonly lines?: { readonly from: number; readonly to: number };
  readonly find?: string;
  readonly path?: string;
}

export const viewParameters = ['part', 'page', 'lines', 'find', 'path'] as const;

/** A URI longer than this is not looked at. */
const maxUriChars = 4_000;
const maxFindChars = 200;
const ways =
  'Allowed are page=2, lines=10-40, find=TEXT (plain text, any case), path=$.rows[0:20].name, and part=N with each of them.';

/** Undefined for a URI that does not name a result. */
export function parseResultUri(uri: string): { readonly id: string; readonly view: ResultView } | undefined {
  if (!uri.startsWith(resultScheme) || uri.length > maxUriChars) return undefined;
  const rest = uri.slice(resultScheme.length);
  const mark = rest.indexOf('?');
  const id = mark === -1 ? rest : rest.slice(0, mark);
  const query = mark === -1 ? '' : rest.slice(mark + 1);
  const values: Record<string, string> = {};
  for (const pair of query.split('&').filter((item) => item !== '')) {
    const [name = '', ...value] = pair.split('=');
    const key = decoded(name);
    if (Object.hasOwn(values, key)) throw bad(`The parameter "${key}" is given twice.`);
    Object.defineProperty(values, key, { value: decoded(value.join('=')), enumerable: true });
  }
  return { id, view: readView(values) };
}

/** Throws ARGUMENTS_INVALID that names what is allowed. */
export function readView(values: Readonly<Record<string, unknown>>): ResultView {
  for (const name of Object.keys(values)) {
    if (!viewParameters.some((known) => known === name)) throw bad(`There is no parameter "${name.slice(0, 40)}".`);
  }
  const view: ResultView = {
    ...(given(values.part) ? { part: wholeNumber(values.part, 'part', 0) } : {}),
    ...(given(values.page) ? { page: wholeNumber(values.page, 'page', 1) } : {}),
    ...(given(values.lines) ? { lines: readLines(values.lines) } : {}),
    ...(given(values.find) ? { find: readText(values.find, 'find', maxFindChars) } : {}),
    ...(given(values.path) ? { path: readText(values.path, 'path', maxUriChars) } : {}),
  };
  const chosen = (['lines', 'find', 'path'] as const).filter((name) => view[name] !== undefined);
  if (chosen.length > 1) throw bad(`"${chosen.join('" and "')}" cannot be combined.`);
  if (view.lines && view.page !== undefined) throw bad('"lines" and "page" cannot be combined.');
  return view;
}

export function bad(message: string, hint = ways): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', message, { hint });
}

function given(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function wholeNumber(value: unknown, name: string, least: number): number {
  const isWritten = typeof value === 'string' && /^\d{1,9}$/.test(value.trim());
  const number = isWritten ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= least) return number;
  throw bad(`"${name}" must be a whole number of at least ${least}.`);
}

/** `10-40`, `10-` or `10`. */
function readLines(value: unknown): { readonly from: number; readonly to: number } {
  const match = /^\s*(\d{1,9})\s*(-?)\s*(\d{0,9})\s*$/.exec(String(value));
  const from = Number(match?.[1] ?? 0);
  const to = match?.[2] === '-' ? Number(match[3] || Number.MAX_SAFE_INTEGER) : from;
  if (!match || (match[2] === '' && match[3] !== '') || from < 1 || to < from)
    throw bad('"lines" must be a range such as 10-40, counted from 1.');
  return { from, to };
}

function readText(value: unknown, name: string, limit: number): string {
  if (typeof value !== 'string') throw bad(`"${name}" must be a text.`);
  if (value.length > limit) throw bad(`"${name}" has at most ${limit} characters.`);
  // Half a character can be written in no URI.
  return value.toWellFormed();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw bad(`"${text.slice(0, 40)}" is not valid in a URI: write a percent sign as %25.`);
  }
}
