/**
 * Patterns of strangers, run without backtracking: all ways through a pattern are followed at once, so the work is at most
 * the length of the text times that of the pattern, and it is counted.
 */

import { type Instruction, parsePattern } from './tame-schema-pattern-syntax.ts';

/** Visits of one instruction at one place of a text, after which a pattern is left undecided. */
export const maxVisits = 200_000;
/** Characters of a text above which it is not looked at. */
const maxTextLength = 20_000;
/** Visits that count as one step of a check. */
export const visitsPerStep = 16;

export interface PatternResult {
  /** undefined: not decided within the visits allowed, or decided differently from server to server. */
  readonly isFound: boolean | undefined;
  readonly visits: number;
}

export interface Pattern {
  /** Whether the pattern is found anywhere in a text, as JSON Schema wants it. */
  readonly find: (text: string) => PatternResult;
}

/** In some languages these know all scripts, in others only ASCII. */
const differsByLanguage = /\\[wWdDbB]/;
const beyondAscii = /[^\0-\x7f]/;
const beyondBasicPlane = /[\ud800-\udfff]/;

/** undefined where a pattern is not one, is too long, or uses what cannot be followed so (back references, lookbehind). */
export function tamePattern(source: string): Pattern | undefined {
  const parsed = parsePattern(source);
  if (parsed === undefined) return undefined;
  const isForAscii = differsByLanguage.test(source);
  return {
    find: (text) => {
      if (text.length > maxTextLength || (isForAscii && beyondAscii.test(text)))
        return { isFound: undefined, visits: 0 };
      const run = new Run(parsed.hasUnicode ? Array.from(text) : text.split(''));
      try {
        const isFound = run.finds(parsed.program, 0, true);
        // A server that counts units of UTF-16 sees two characters where others see one.
        return { isFound: isFound || !beyondBasicPlane.test(text) ? isFound : undefined, visits: run.visits };
      } catch (error) {
        if (error !== tooManyVisits) throw error;
        return { isFound: undefined, visits: run.visits };
      }
    },
  };
}

const tooManyVisits = new Error('The pattern takes too long on this text.');
const wordCharacter = /^\w$/;

/** One pattern on one text. */
class Run {
  readonly #characters: readonly string[];
  visits = 0;

  constructor(characters: readonly string[]) {
    this.#characters = characters;
  }

  /** Whether the program comes to its end from this place, or from any later one if it may begin anywhere. */
  finds(program: readonly Instruction[], from: number, beginsAnywhere: boolean): boolean {
    // Made anew for every look ahead, so it counts as well.
    const stamps = new Int32Array(program.length).fill(-1);
    this.visits += program.length >> 3;
    let open: number[] = [];
    for (let at = from; at <= this.#characters.length; at += 1) {
      const waiting: number[] = [];
      for (const start of open) if (this.#follow(program, start, at, stamps, waiting)) return true;
      if ((beginsAnywhere || at === from) && this.#follow(program, 0, at, stamps, waiting)) return true;
      if (waiting.length === 0 && !beginsAnywhere) return false;
      const character = this.#characters[at];
      if (character === undefined) return false;
      open = [];
      for (const index of waiting) {
        const instruction = program[index];
        if (instruction?.kind === 'character' && instruction.accepts(character)) open.push(index + 1);
      }
    }
    return false;
  }

  /** Follows everything that reads no character; collects the instructions that wait for one. True at the end of the program. */
  #follow(program: readonly Instruction[], start: number, at: number, stamps: Int32Array, waiting: number[]): boolean {
    const stack = [start];
    for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
      this.visits += 1;
      if (this.visits > maxVisits) throw tooManyVisits;
      if (stamps[index] === at) continue;
      stamps[index] = at;
      const instruction = program[index];
      if (instruction === undefined) return true;
      if (instruction.kind === 'character') waiting.push(index);
      else if (instruction.kind === 'fork') stack.push(...instruction.to);
      else if (instruction.kind === 'edge') {
        if (this.#isAt(instruction.edge, at)) stack.push(index + 1);
      } else if (this.finds(instruction.program, at, false) !== instruction.isNegative) stack.push(index + 1);
    }
    return false;
  }

  #isAt(edge: 'start' | 'end' | 'word' | 'inside', at: number): boolean {
    if (edge === 'start') return at === 0;
    if (edge === 'end') return at === this.#characters.length;
    return (this.#isWord(at - 1) !== this.#isWord(at)) === (edge === 'word');
  }

  #isWord(at: number): boolean {
    return wordCharacter.test(this.#characters[at] ?? '');
  }
}
