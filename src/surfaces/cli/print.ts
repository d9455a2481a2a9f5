/** Prints plain text, JSON and errors. Nothing that a server said can steer the terminal. */

import { GatewayError, messageOf } from '../../base/errors.ts';
import { withOwnCommand } from '../../base/own-program.ts';
import { printable, printableJson, printableLines } from '../../base/text.ts';

/** The part of a stream that printing needs. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

export function toPrintableJson(value: unknown, indent: number): string {
  return printableJson(value ?? null, indent);
}

export function writeText(output: Output, text: string): void {
  if (text !== '') output.write(text.endsWith('\n') ? text : `${text}\n`);
}

export function writeJson(output: Output, value: unknown): void {
  output.write(`${toPrintableJson(value, 2)}\n`);
}

/** One clear sentence and a hint; with `isJson` the same as one line of JSON. `command` is how this installation is called. */
export function writeError(output: Output, error: unknown, isJson: boolean, command = 'toolcrib'): void {
  const { code, message, hint, data } = describe(error);
  if (isJson) return void output.write(`${toPrintableJson({ error: { code, message, hint, data } }, 0)}\n`);
  writeText(output, withOwnCommand(printableLines(message), command));
  if (hint !== undefined) writeText(output, `hint: ${withOwnCommand(printable(hint), command)}`);
}

interface Described {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  /** Facts for programs. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

function describe(error: unknown): Described {
  if (error instanceof GatewayError) {
    const { code, message, ownerHint: hint, data } = error;
    return { code, message, hint, data };
  }
  const where = error instanceof Error && error.stack ? `\n${error.stack.split('\n').slice(1, 6).join('\n')}` : '';
  return {
    code: 'INTERNAL',
    message: `Internal error: ${messageOf(error)}${where}`,
    hint: 'This is a bug in Toolcrib. Please report it with these lines.',
  };
}
