/** Whether code is JavaScript or TypeScript, found out by compiling it; nothing of it is ever run here. */

import { stripTypeScriptTypes } from 'node:module';
import { Script } from 'node:vm';
import { messageOf } from '../../base/errors.ts';

/** Where code does not parse, counted from 1. */
export interface SyntaxMistake {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  /** TypeScript that is more than types. */
  readonly isUnsupported?: boolean;
  /** The reader itself broke and must not be used again. */
  readonly isFatal?: boolean;
}

const AsyncFunction = (async () => {}).constructor as new (body: string) => unknown;
/** The reader of types recurses without a limit of its own; what breaks it in spite of this is told as fatal. */
const deepestTypeScript = 100;

/**
 * The mistake in code that is to be a script with top-level await or the body of an async function; undefined where there is none.
 * It is compiled as a body, which cannot be closed from inside, as a text that is put between brackets could be.
 */
export function mistakeIn(code: string): SyntaxMistake | undefined {
  try {
    new AsyncFunction(code);
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return { message: 'The code is nested too deeply' };
    return located(code, messageOf(error));
  }
}

/** The same error once more, from a compiler that says where it is. */
function located(code: string, message: string): SyntaxMistake {
  try {
    // Compiled and dropped; it has a line of its own in front.
    new Script(`(async () => {\n${code}\n})`, { filename: 'code' });
  } catch (error) {
    const place = placeIn(error);
    if (place === undefined) return { message };
    const lines = lineCount(code);
    if (place.line - 1 <= lines) return { message: messageOf(error), ...place, line: place.line - 1 };
    return { message: 'The code ends too early: a bracket, a quote or a comment is not closed', line: lines };
  }
  // Only brackets that close what they did not open parse here and nowhere else.
  return { message: 'A bracket is closed that was never opened' };
}

export type Stripped = { readonly code: string } | { readonly mistake: SyntaxMistake };

/** The code without its types, with every other character where it was. */
export function withoutTypes(code: string, depth: number): Stripped {
  if (depth > deepestTypeScript) return { mistake: { message: 'The code is nested too deeply' } };
  const opening = 'async function $() {\n';
  try {
    return { code: stripTypeScriptTypes(code, { mode: 'strip' }) };
  } catch (error) {
    if (!messageOf(error).startsWith('Return statement')) return { mistake: readMistake(error, 0) };
  }
  try {
    return { code: stripTypeScriptTypes(`${opening}${code}\n}`, { mode: 'strip' }).slice(opening.length, -2) };
  } catch (error) {
    return { mistake: readMistake(error, 1) };
  }
}

function readMistake(error: unknown, linesBefore: number): SyntaxMistake {
  const { code } = error as { code?: unknown };
  const isUnsupported = code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX';
  if (!isUnsupported && code !== 'ERR_INVALID_TYPESCRIPT_SYNTAX')
    return { message: 'The code cannot be read as TypeScript', isFatal: true };
  const place = placeIn(error);
  const message =
    messageOf(error)
      .replace(/ in (?:type )?strip(?:-only)? mode/, ' here')
      .split('\n', 1)[0] ?? '';
  return {
    message,
    ...(isUnsupported && { isUnsupported }),
    ...(place !== undefined && { ...place, line: Math.max(1, place.line - linesBefore) }),
  };
}

/** Compilers write `file:line`, the line and a mark below it in front of the stack. */
function placeIn(error: unknown): { readonly line: number; readonly column?: number } | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const line = /^[^\n]*:(\d+)\n/.exec(stack)?.[1];
  const mark = /\n( *)\^/.exec(stack.slice(0, stack.search(/\n *at /)))?.[1];
  if (line === undefined) return undefined;
  return { line: Number(line), ...(mark !== undefined && { column: mark.length + 1 }) };
}

function lineCount(code: string): number {
  return code.trimEnd().split('\n').length;
}
