/** Simple paths into JSON: `$.rows[0:20].name`. Read into steps, and written from them. */

import { GatewayError } from '../base/errors.ts';

export type PathStep =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'slice'; readonly from: number; readonly to: number | null }
  | { readonly kind: 'all' };

/** Longer paths are refused. */
const maxPathChars = 500;
/** Steps of one path that count from the end: for each of them the whole value is read once more. */
const maxStepsFromEnd = 4;
const plainName = /^[\p{L}_$][\p{L}\p{N}_$-]*/u;
const known = "Known are .name, ['name'], [0], [-1] (the last), [0:20] (a range) and [*] (all); nothing else.";

/** Throws ARGUMENTS_INVALID that says what is known. A path may be given without its `$`. */
export function parsePath(text: string): readonly PathStep[] {
  if (text.length > maxPathChars) throw bad(`A path has at most ${maxPathChars} characters.`);
  let rest = text.trim();
  if (rest.startsWith('$')) rest = rest.slice(1);
  else if (rest !== '' && !rest.startsWith('[') && !rest.startsWith('.')) rest = `.${rest}`;
  const steps: PathStep[] = [];
  while (rest !== '') {
    const [step, length] = rest.startsWith('[') ? readBracket(rest, text) : readName(rest, text);
    steps.push(step);
    rest = rest.slice(length);
  }
  if (steps.filter(countsFromEnd).length > maxStepsFromEnd)
    throw bad(`A path has at most ${maxStepsFromEnd} steps that count from the end.`);
  return steps;
}

/** True if the step depends on the length of a list. */
export function countsFromEnd(step: PathStep): boolean {
  if (step.kind === 'index') return step.index < 0;
  return step.kind === 'slice' && (step.from < 0 || (step.to !== null && step.to < 0));
}

/** True if it leads to one value at most. */
export function isDefinite(steps: readonly PathStep[]): boolean {
  return steps.every(({ kind }) => kind === 'key' || kind === 'index');
}

/** The path that leads along keys, as it is written. */
export function pathOfKeys(keys: readonly string[]): string {
  const written = keys.map((key) => {
    const isPlain = plainName.exec(key)?.[0] === key;
    return isPlain ? `.${key}` : `['${key.replace(/['\\]/g, '\\$&')}']`;
  });
  return `$${written.join('')}`;
}

function readName(rest: string, whole: string): readonly [PathStep, number] {
  if (rest.startsWith('.*')) return [{ kind: 'all' }, 2];
  const name = rest.startsWith('.') ? plainName.exec(rest.slice(1))?.[0] : undefined;
  if (name === undefined) throw bad(`The path "${whole}" cannot be read at "${rest.slice(0, 20)}".`);
  return [{ kind: 'key', key: name }, name.length + 1];
}

function readBracket(rest: string, whole: string): readonly [PathStep, number] {
  if (rest[1] === "'" || rest[1] === '"') return readQuoted(rest, whole);
  const end = rest.indexOf(']');
  const inside = end === -1 ? '' : rest.slice(1, end).trim();
  if (inside === '*') return [{ kind: 'all' }, end + 1];
  if (isWhole(inside)) return [{ kind: 'index', index: Number(inside) }, end + 1];
  const [from, to, ...more] = inside.split(':').map((part) => part.trim());
  const isRange = inside.includes(':') && more.length === 0 && [from, to].every((part) => part === '' || isWhole(part));
  if (!isRange) throw bad(`The path "${whole}" cannot be read at "${rest.slice(0, 20)}".`);
  return [{ kind: 'slice', from: Number(from), to: to === '' ? null : Number(to) }, end + 1];
}

function readQuoted(rest: string, whole: string): readonly [PathStep, number] {
  const mark = rest[1];
  let key = '';
  let at = 2;
  for (; at < rest.length && rest[at] !== mark; at += 1) {
    if (rest[at] === '\\') at += 1;
    key += rest[at] ?? '';
  }
  if (rest[at] !== mark || rest[at + 1] !== ']') throw bad(`The path "${whole}" has a name that does not end.`);
  return [{ kind: 'key', key }, at + 2];
}

function isWhole(text: string | undefined): boolean {
  return text !== undefined && /^-?\d{1,9}$/.test(text);
}

function bad(message: string): GatewayError {
  return new GatewayError('ARGUMENTS_INVALID', message, { hint: known });
}
