/** From what ended a program to what its author is told: where in their own code, what happened, and what to do about it. */

import { type ErrorCode, errorCodes } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { printableLines } from '../base/text.ts';
import { excerptOf, nearColumn } from './explain-failure-excerpt.ts';
import { type FailureFacts, hintFor } from './explain-failure-hints.ts';
import { bodyOpening, type GuestError, type Program, type ProgramEnd, programFile } from './guest-contract.ts';
import { syntaxHint } from './read-program-hints.ts';
import type { ChainFailure } from './sandbox.ts';

const longestMessage = 1_000;

export function explainFailure(end: ProgramEnd, program: Program): ChainFailure {
  const error = readError(end.errorJson);
  const place = likelyPlace(placeOf(error.stack ?? '', program), error.message ?? '', program);
  const whole = place === undefined ? '' : (codeLines(program)[place.line - 1] ?? '');
  const { line, column } = nearColumn(whole, place?.column ?? 1);
  const name = error.name ?? 'Error';
  const message = toldMessage(error.message ?? '', line, column);
  const isTrouble = name === 'ToolError' && error.code !== undefined && isErrorCode(error.code);
  const isUnawaited = place !== undefined && holdsPromise(codeLines(program), line, column);
  const facts: FailureFacts = { end, name, message, line, error, isUnawaited };
  const hint = end.reason === 'syntax' ? (error.hint ?? syntaxHint(message, line, program.source)) : hintFor(facts);
  return {
    reason: end.reason,
    name,
    message: message === '' ? 'The program failed.' : message,
    ...place,
    ...(whole.trim() !== '' && { excerpt: excerptOf(whole, place?.column) }),
    ...(hint !== undefined && hint !== '' && { hint }),
    ...(isTrouble && { code: error.code as ErrorCode }),
    ...(isTrouble && error.tool !== undefined && { tool: error.tool }),
  };
}

/** The words are the program's: only texts are taken, and only so much of them. */
function readError(json: string): GuestError {
  let read: unknown;
  try {
    read = JSON.parse(json);
  } catch {
    // Told as a failure without words.
  }
  const fields: Record<string, unknown> = isObject(read) ? read : {};
  const text = (name: string) => {
    const value = fields[name];
    return typeof value === 'string' && value !== '' ? { [name]: printableLines(value) } : {};
  };
  const texts = ['name', 'message', 'stack', 'code', 'tool', 'hint'].map(text);
  return Object.assign({ data: fields.data }, ...texts);
}

function isErrorCode(code: string): code is ErrorCode {
  return (errorCodes as readonly string[]).includes(code);
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** The innermost place of the program's own code; nothing where that is a line that we added. */
function placeOf(stack: string, program: Program): Place | undefined {
  if (program.mode === 'calls') return undefined;
  const count = codeLines(program).length;
  for (const match of stack.matchAll(new RegExp(`\\b${programFile.replace('.', '\\.')}:(\\d+)(?::(\\d+))?`, 'g'))) {
    const sourceLine = Number(match[1]);
    const line = sourceLine - program.firstLine + 1;
    if (line < 1 || line > count) continue;
    const isShifted = program.mode === 'body' && sourceLine === 1;
    return { line, column: Math.max(1, Number(match[2] ?? 1) - (isShifted ? bodyOpening.length : 0)) };
  }
  return undefined;
}

/**
 * The machine has no place for an expression that begins with a literal or with `this`, and tells one further up: where the property that
 * could not be read is not on that line, the only line that names it is meant, or none is told.
 */
function likelyPlace(place: Place | undefined, message: string, program: Program): Place | undefined {
  const property = /^cannot (?:read|set) property '([\w$]{1,100})' of/.exec(message)?.[1];
  if (place === undefined || property === undefined) return place;
  const word = new RegExp(`(?<![\\w$])${property.replaceAll('$', '\\$')}(?![\\w$])`);
  const lines = codeLines(program);
  if (word.test(lines[place.line - 1] ?? '')) return place;
  const naming = lines.flatMap((line, at) => (word.test(line) ? [at + 1] : []));
  const [line] = naming;
  return line === undefined || naming.length > 1
    ? undefined
    : { line, column: (lines[line - 1] ?? '').search(word) + 1 };
}

/** The code as its author sees it. */
function codeLines(program: Program): string[] {
  if (program.text !== undefined) return program.text.split('\n');
  return program.source.split('\n').slice(program.firstLine - 1);
}

/** The machine says "not a function" without saying what; the line says it. */
function toldMessage(message: string, line: string, column: number): string {
  const bounded = message.slice(0, longestMessage);
  if (bounded !== 'not a function') return bounded;
  const callee = calleeAt(line, column - 1);
  return callee === undefined ? bounded : `${callee} is not a function`;
}

const namesBefore = /[A-Za-z_$][\w$]*(?:\??\.[\w$]+)*$/;

/** The names joined by dots that are called: the place is at their last dot, or at an argument behind them. */
function calleeAt(line: string, at: number): string | undefined {
  if (line[at] === '.') return namesBefore.exec(line.slice(0, at) + (/^\.[\w$]*/.exec(line.slice(at))?.[0] ?? ''))?.[0];
  const isCall = /^[\w$]+\s*\(/.test(line.slice(at));
  if (isCall && !/[\w$.(]$/.test(line.slice(0, at))) return /^[\w$]+/.exec(line.slice(at))?.[0];
  return isCall || line[at - 1] !== '(' ? undefined : namesBefore.exec(line.slice(0, at - 1))?.[0];
}

/** Whether the name that the place begins with was given a call's promise and not its result. */
function holdsPromise(lines: readonly string[], line: string, column: number): boolean {
  const start = namesBefore.exec(line.slice(0, column - 1).replace(/\($/, ''))?.[0] ?? '';
  const name = /^[\w$]+/.exec(start === '' ? line.slice(column - 1) : start)?.[0];
  if (name === undefined) return false;
  const assigned = new RegExp(
    `(?<![\\w$.])${name.replaceAll('$', '\\$')}\\s*=\\s*(?:servers|tools|mcp|call|search|info)\\b`,
  );
  return lines.some((one) => assigned.test(one));
}
