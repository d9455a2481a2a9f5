/** Evaluates arithmetic expressions by climbing precedences: numbers, `+ - * / % ^`, parentheses, a few functions and constants. */

import { ToolRefusal } from './tool.ts';

export const longestExpression = 1_000;
/** Parentheses, signs and powers inside each other; more would only wear out the stack. */
const deepest = 100;

const constants: ReadonlyMap<string, number> = new Map([
  ['pi', Math.PI],
  ['e', Math.E],
]);
const { abs, ceil, cos, exp, floor, log: ln, log10: log, round, sin, sqrt, tan } = Math;
const functions: ReadonlyMap<string, (value: number) => number> = new Map(
  Object.entries({ abs, ceil, cos, exp, floor, ln, log, round, sin, sqrt, tan }),
);
export const functionNames: readonly string[] = [...functions.keys()];

/** Other ways to write the same signs. */
const otherSigns: Readonly<Record<string, string>> = { '**': '^', '×': '*', '·': '*', '÷': '/', '−': '-' };

/** The value of an expression. Throws a `ToolRefusal` that says what is wrong and where. */
export function evaluate(expression: string): number {
  if (expression.length > longestExpression)
    throw new ToolRefusal(`The expression is longer than ${longestExpression} characters.`);
  // Numbers, names, the power of programming languages, or any one character that is not a space.
  const matches = expression.matchAll(/(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[a-z][a-z0-9]*|\*\*|\S/giu);
  const tokens = Array.from(matches, ({ 0: text, index }) => ({ text: otherSigns[text] ?? text.toLowerCase(), index }));
  const value = new Evaluation(tokens).run();
  if (Number.isNaN(value)) throw new ToolRefusal('The result is not a real number.');
  if (!Number.isFinite(value)) throw new ToolRefusal('The result is too large.');
  return value;
}

class Evaluation {
  readonly #tokens: readonly { readonly text: string; readonly index: number }[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly { readonly text: string; readonly index: number }[]) {
    this.#tokens = tokens;
  }

  run(): number {
    const value = this.#sum();
    return this.#peek() === '' ? value : this.#unexpected();
  }

  #sum(): number {
    let value = this.#product();
    for (;;) {
      if (this.#takes('+')) value += this.#product();
      else if (this.#takes('-')) value -= this.#product();
      else return value;
    }
  }

  #product(): number {
    let value = this.#signed();
    for (;;) {
      if (this.#takes('*')) value *= this.#signed();
      else if (this.#takes('/')) value /= this.#divisor();
      else if (this.#takes('%')) value %= this.#divisor();
      else return value;
    }
  }

  #divisor(): number {
    const value = this.#signed();
    if (value === 0) throw new ToolRefusal('The expression divides by zero.');
    return value;
  }

  /** A sign binds less tightly than a power: -2^2 is -4. Everything that nests passes here, so depth is counted here. */
  #signed(): number {
    this.#depth += 1;
    if (this.#depth > deepest) throw new ToolRefusal(`The expression is nested deeper than ${deepest} levels.`);
    const value = this.#takes('-') ? -this.#signed() : this.#takes('+') ? this.#signed() : this.#power();
    this.#depth -= 1;
    return value;
  }

  /** Powers group to the right: 2^3^2 is 2^9. */
  #power(): number {
    const base = this.#operand();
    return this.#takes('^') ? base ** this.#signed() : base;
  }

  #operand(): number {
    const text = this.#peek();
    if (text === '(') return this.#parenthesis();
    if (/^[a-z]/.test(text)) return this.#named(text);
    if (!/^[\d.]/.test(text)) return this.#unexpected();
    this.#next += 1;
    return Number(text);
  }

  #named(name: string): number {
    const constant = constants.get(name);
    const apply = functions.get(name);
    if (constant === undefined && apply === undefined) {
      const known = [...constants.keys(), ...functionNames].join(', ');
      throw new ToolRefusal(`There is no function or constant "${name}"; these exist: ${known}.`);
    }
    this.#next += 1;
    if (apply === undefined) return constant ?? Number.NaN;
    if (this.#peek() !== '(') throw new ToolRefusal(`After "${name}" there must be parentheses, as in ${name}(2).`);
    return apply(this.#parenthesis());
  }

  #parenthesis(): number {
    this.#next += 1;
    const value = this.#sum();
    return this.#takes(')') ? value : this.#unexpected();
  }

  /** Empty at the end. */
  #peek(): string {
    return this.#tokens[this.#next]?.text ?? '';
  }

  #takes(text: string): boolean {
    if (this.#peek() !== text) return false;
    this.#next += 1;
    return true;
  }

  #unexpected(): never {
    const token = this.#tokens[this.#next];
    if (!token) throw new ToolRefusal('The expression ends too early.');
    throw new ToolRefusal(`"${token.text}" at character ${token.index + 1} is not expected there.`);
  }
}
