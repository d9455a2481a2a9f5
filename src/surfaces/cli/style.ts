/** Colours and symbols, where a person can see them. */

import { styleText } from 'node:util';
import type { Output } from './print.ts';

export interface Style {
  good(text: string): string;
  bad(text: string): string;
  notice(text: string): string;
  strong(text: string): string;
  faint(text: string): string;
  /** The symbol on a terminal; the word where a program may read the line. */
  sign(symbol: string, word: string): string;
  /** Stands before a line that says that something worked. */
  readonly tick: string;
}

export function styleFor(output: Output, env: NodeJS.ProcessEnv): Style {
  const isTerminal = output.isTTY === true && env.TERM !== 'dumb';
  const isColoured = isTerminal && !env.NO_COLOR;
  const paint = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    isColoured && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  const good = paint('green');
  const sign = (symbol: string, word: string) => (isTerminal ? symbol : word);
  return {
    good,
    bad: paint('red'),
    notice: paint('yellow'),
    strong: paint('bold'),
    faint: paint('dim'),
    sign,
    tick: good(sign('✓ ', '')),
  };
}
