/** The contract between the engine of chains and the code that reads programs and runs beside them in the virtual machine. */

import type { ChainFailure } from './sandbox.ts';

/**
 * How a program is run:
 * - `script`: as a global script with top-level await; its completion value is the result.
 * - `body`: as the body of an async function, between `bodyOpening` and `bodyClosing`.
 * - `module`: as a module; the default export, else `main`, `run` or `result`, else the plain exports are the result.
 * - `calls`: the source is JSON of calls, which `GuestEntry.runCalls` makes.
 *
 * A result that is a function is called, and what it gives is the result.
 */
export type ProgramMode = 'script' | 'body' | 'module' | 'calls';

/** A program made from the code that an agent sent. */
export interface Program {
  readonly source: string;
  readonly mode: ProgramMode;
  /** The line of `source`, counted from 1, that is line 1 of the code. */
  readonly firstLine: number;
  readonly language: 'js' | 'ts';
  /** The code as it was understood, line for line as in `source` from `firstLine` on, for excerpts; absent where `source` says it. */
  readonly text?: string;
  readonly notes: readonly string[];
  /** Why the result is what it is; for a program that gives one. */
  readonly resultNote?: string;
}

/** Why nothing is run. */
export interface ProgramMistake {
  readonly failure: ChainFailure;
}

/** The name that programs have in stacks. */
export const programFile = 'chain.js';
/** On the first line of the source, so that lines stay lines; columns of that line move by its length. */
export const bodyOpening = '(async function () {';
/** On a line of its own, so that a last line that is a comment does not swallow it. */
export const bodyClosing = '\n})';

/**
 * The host functions for the prelude, with text in and text out; a program reaches them only through the prelude.
 * Text that is not a string, or too long, gives an error and is not sent.
 */
export interface GuestBridge {
  /** JSON text of a GuestRequest; resolves with JSON text of a `BridgeAnswer` and never rejects. */
  request(text: string): Promise<string>;
  /** JSON text `["server", …]`. */
  serverNames(): string;
  /** JSON text `{ "server": ["tool", …] }`. */
  names(): string;
  log(level: string, text: string): void;
  sleep(ms: number): Promise<void>;
}

export type BridgeAnswer = { readonly ok: unknown } | { readonly error: BridgeError };
export interface BridgeError {
  readonly message: string;
  /** An ErrorCode. */
  readonly code: string;
  readonly hint?: string;
  readonly tool?: string;
  readonly data?: unknown;
}

/**
 * The return value of `guestPrelude(bridge)`. The prelude is self-contained: its source (`preludeSource`, a function expression) is evaluated in the
 * virtual machine before the program and called with the bridge as its only argument. The engine calls these functions, however the program has changed the globals.
 */
export interface GuestEntry {
  /**
   * The result that the program meant, from the value of its evaluation (the `{ value }` of a script, what a body returned, a module's
   * namespace, what `runCalls` gave): promises are awaited, an export is chosen, a function is called, with a note.
   */
  finish(evaluated: unknown, mode: string): Promise<unknown>;
  /** JSON text of the result; undefined where there is none. Throws where it has no JSON. */
  settle(value: unknown): string | undefined;
  /** JSON text of a `GuestError`; never throws. */
  failure(error: unknown): string;
  /** JSON text: a list of sentences; `hasGiven` is 1 where the program has come to its result. */
  notes(hasGiven: number): string;
  runCalls(source: string): Promise<unknown>;
}

/** A thrown value, as far as it could be read. */
export interface GuestError {
  readonly name?: string;
  readonly message?: string;
  readonly stack?: string;
  readonly code?: string;
  readonly tool?: string;
  readonly hint?: string;
  readonly data?: unknown;
}

/** The end of a program, for `explainFailure(end, program)`. */
export interface ProgramEnd {
  /** The engine's own finding; never taken from the program's words. */
  readonly reason: ChainFailure['reason'];
  /** JSON text of a `GuestError`; for ends that the engine brings about, with its own sentence as the message. */
  readonly errorJson: string;
  readonly serverNames: readonly string[];
  /** JSON text `{ "server": ["tool", …] }`. */
  readonly namesJson: string;
}
