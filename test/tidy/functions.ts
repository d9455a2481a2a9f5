/** Finds the functions of a TypeScript file and how long they are, without a parser: types are stripped, then braces matched. */

import { stripTypeScriptTypes } from 'node:module';
import { type Finding, lineAt, type SourceFile } from './finding.ts';
import { isSpace, maskSource } from './mask-source.ts';
import { longFunctions, sizeLimits } from './rules.ts';

export interface FunctionLines {
  readonly line: number;
  readonly lineCount: number;
}

/** Declarations, methods and arrow functions with a body in braces, in the order in which they end. */
export function functionsOf(text: string): FunctionLines[] {
  const { code } = maskSource(stripTypeScriptTypes(text));
  const found: FunctionLines[] = [];
  const heads: (number | undefined)[] = [];
  for (let at = 0; at < code.length; at += 1) {
    if (code[at] === '{') heads.push(headOf(code, at));
    if (code[at] !== '}') continue;
    const head = heads.pop();
    if (head === undefined) continue;
    const line = lineAt(code, head);
    found.push({ line, lineCount: lineAt(code, at) - line + 1 });
  }
  return found;
}

export function checkFunctions(file: SourceFile, exceptions = longFunctions): Finding[] {
  const { path } = file;
  // A file that is no longer itself need not be read.
  const functions = file.text.split('\n').length > sizeLimits.functionLines ? functionsOf(file.text) : [];
  const tooLong = functions.filter((one) => one.lineCount > sizeLimits.functionLines);
  const exception = exceptions.find((one) => one.path === path);
  if (exception && tooLong.length > 0) return [];
  if (exception)
    return [
      { path, line: 1, reason: 'Listed as an exception for long functions, but has none: take it off the list.' },
    ];
  return tooLong.map(({ line, lineCount }) => ({
    path,
    line,
    reason: `This function has ${lineCount} lines; ${sizeLimits.functionLines} are the limit.`,
  }));
}

const longerThanKeywords = 16;

/** Where the function begins whose body opens at `brace`; undefined when the brace opens something else. */
function headOf(code: string, brace: number): number | undefined {
  const last = lastBefore(code, brace);
  if (code.startsWith('=>', last - 1)) {
    const end = lastBefore(code, last - 1);
    return code[end] === ')' ? openingOf(code, end) : end;
  }
  if (code[last] !== ')') return undefined;
  const opening = openingOf(code, last);
  const wordEnd = lastBefore(code, opening) + 1;
  const word = /[\w$#]*$/.exec(code.slice(Math.max(0, wordEnd - longerThanKeywords), wordEnd))?.[0] ?? '';
  // `await` is the one of `for await (…) {`.
  return /^(?:if|for|while|switch|catch|with|await)$/.test(word) ? undefined : opening;
}

/** The index of the last character before `at` that is not space. */
function lastBefore(code: string, at: number): number {
  let index = at - 1;
  while (index >= 0 && isSpace(code, index)) index -= 1;
  return index;
}

function openingOf(code: string, closing: number): number {
  let depth = 0;
  for (let at = closing; at >= 0; at -= 1) {
    if (code[at] === ')') depth += 1;
    if (code[at] === '(') depth -= 1;
    if (depth === 0) return at;
  }
  return 0;
}
