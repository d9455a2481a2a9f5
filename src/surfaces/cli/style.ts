/** Colours, where a person can see them. */

import { styleText } from 'node:util';
import type { Output } from './print.ts';

export interface Style {
  good(text: string): string;
  bad(text: string): string;
  notice(text: string): string;
  strong(text: string): string;
  faint(text: string): string;
}

export function styleFor(output: Output, env: NodeJS.ProcessEnv): Style {
  const isColoured = output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  const paint = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    isColoured && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  return {
    good: paint('green'),
    bad: paint('red'),
    notice: paint('yellow'),
    strong: paint('bold'),
    faint: paint('dim'),
  };
}
