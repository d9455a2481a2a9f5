/**
 * Reads patterns of strangers and runs them without backtracking: all ways through a pattern are followed at once, so the work is at most
 * the length of the text times that of the pattern, and it is counted.
 */

/** Visits of instructions after which a pattern is left undecided. */
export const maxVisits = 200_000;
/** Characters of a text above which it is not looked at. */
const maxTextLength = 20_000;
/** Visits that count as one step of a check. */
export const visitsPerStep = 16;

interface PatternResult {
  /** undefined: not decided within the visits allowed, or decided differently from server to server. */
  readonly isFound: boolean | undefined;
  readonly visits: number;
}

export interface TamedPattern {
  /** Looks for the pattern anywhere in a text, as JSON Schema wants it. */
  readonly find: (text: string) => PatternResult;
}

/** In some languages these know all scripts, in others only ASCII. */
const differsByLanguage = /\\[wWdDbB]/;
const beyondAscii = /[^\0-\x7f]/;
const beyondBasicPlane = /[\ud800-\udfff]/;

/** undefined where a pattern is not one, is too long, or uses what cannot be followed so (back references, lookbehind). */
export function tamePattern(source: string): TamedPattern | undefined {
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

  /** True if the program reaches its end from this character, or from a later one if it may begin anywhere. */
  finds(program: readonly Instruction[], from: number, beginsAnywhere: boolean): boolean {
    // Every lookahead makes one, so it counts as work.
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

type Instruction =
  | { readonly kind: 'character'; readonly accepts: (character: string) => boolean }
  | { readonly kind: 'fork'; readonly to: readonly number[] }
  | { readonly kind: 'edge'; readonly edge: 'start' | 'end' | 'word' | 'inside' }
  | { readonly kind: 'look'; readonly program: readonly Instruction[]; readonly isNegative: boolean };

interface ParsedPattern {
  readonly program: readonly Instruction[];
  /** The pattern reads code points; otherwise it reads units of UTF-16. */
  readonly hasUnicode: boolean;
}

const maxPatternLength = 1_000;
/** Counted repetitions are written out, so this bounds `(a{9}){9}` as well. */
const maxInstructions = 2_000;
const maxNesting = 50;

/** undefined for what is no pattern or holds something that is not understood here. */
function parsePattern(given: string): ParsedPattern | undefined {
  if (given.length > maxPatternLength) return undefined;
  const source = withoutNeedlessEscapes(given);
  const hasUnicode = isPattern(source, 'u');
  // The older mode takes nearly everything, so what another dialect means differently must be noticed here.
  if (!hasUnicode && (!isPattern(source, '') || isOfOtherDialect(source))) return undefined;
  try {
    return { program: new Reader(source, hasUnicode).read(), hasUnicode };
  } catch (error) {
    if (error !== notUnderstood) throw error;
    return undefined;
  }
}

const anyToken = /\\[\s\S]|\[(?:[^\\\]]|\\[\s\S])*\]|[\s\S]/g;
const anyEscape = /\\[\s\S]/g;
/** Marks without a meaning of their own, in classes and outside of them. */
const needless = /^\\[ !"#%&',:;<=>@_`~]$/;

/**
 * The unicode mode allows an escape only where it has a meaning, but many patterns escape other marks as well. Those are
 * written by their number, which both modes read alike, and which cannot become part of something else.
 */
function withoutNeedlessEscapes(source: string): string {
  const write = (escaped: string) => (needless.test(escaped) ? numbered(escaped.slice(1)) : escaped);
  return source.replace(anyToken, (token) => {
    if (token.startsWith('[')) return token.replace(anyEscape, write);
    // Outside of a class a hyphen is such a mark as well.
    return token === '\\-' ? numbered('-') : write(token);
  });
}

function numbered(mark: string): string {
  return `\\x${mark.charCodeAt(0).toString(16)}`;
}

/** Escapes that have a meaning in the older mode. It reads every other escaped letter as the letter. */
const meaningful = /^\\(?:[^\da-zA-Z]|[bBdDfnrsStvwW]|0(?!\d)|c[A-Za-z]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4})/;

/** Classes inside classes, counts without a least number, letters that are escaped: `[[:alpha:]]`, `a{,3}`, `\Z`. */
function isOfOtherDialect(source: string): boolean {
  for (const { 0: token, index } of source.matchAll(anyToken)) {
    if (token === ']' || (token === '{' && /^\{,\d+\}/.test(source.slice(index, index + 10)))) return true;
    for (const escaped of token.matchAll(anyEscape)) {
      const at = index + escaped.index;
      if (!meaningful.test(source.slice(at, at + 6))) return true;
    }
  }
  return false;
}

const notUnderstood = new Error('The pattern cannot be followed without backtracking.');

function isPattern(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

type Part =
  | { readonly kind: 'one'; readonly instruction: Instruction }
  | { readonly kind: 'all'; readonly parts: readonly Part[] }
  | { readonly kind: 'any'; readonly parts: readonly Part[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly least: number; readonly most: number };

const count = /\{(\d+)(,?)(\d*)\}/y;
const escapedPair = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/y;
const unicodeEscape =
  /\\(?:x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|c[A-Za-z]|[pP]\{[^}]*\}|0(?!\d)|[^\dxucpPkbB])/y;
const plainEscape = /\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|c[A-Za-z]|0(?!\d)|[^\dxuckbB])/y;
const characterClass = /\[(?:[^\\\]]|\\[\s\S])*\]/y;
const named = /\(\?<[^>=!]+>/y;

class Reader {
  readonly #source: string;
  readonly #hasUnicode: boolean;
  #at = 0;
  #nesting = 0;

  constructor(source: string, hasUnicode: boolean) {
    this.#source = source;
    this.#hasUnicode = hasUnicode;
  }

  read(): Instruction[] {
    const whole = this.#alternatives();
    if (this.#at < this.#source.length) throw notUnderstood;
    return written(whole);
  }

  #alternatives(): Part {
    this.#nesting += 1;
    if (this.#nesting > maxNesting) throw notUnderstood;
    const parts = [this.#sequence()];
    while (this.#take('|')) parts.push(this.#sequence());
    this.#nesting -= 1;
    return parts.length === 1 && parts[0] ? parts[0] : { kind: 'any', parts };
  }

  #sequence(): Part {
    const parts: Part[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at] ?? '')) {
      const term = this.#term();
      const isAssertion = term.kind === 'one' && term.instruction.kind !== 'character';
      parts.push(this.#repeated(term, isAssertion));
    }
    return { kind: 'all', parts };
  }

  #repeated(part: Part, isAssertion: boolean): Part {
    const range = this.#range();
    if (range === undefined) return part;
    if (isAssertion) throw notUnderstood;
    // A lazy repetition finds the same texts.
    this.#take('?');
    return { kind: 'repeat', part, least: range[0], most: range[1] };
  }

  #range(): readonly [number, number] | undefined {
    if (this.#take('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.#take('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.#take('?')) return [0, 1];
    const counted = this.#match(count);
    if (!counted) return undefined;
    const least = Number(counted[1]);
    if (counted[2] === '') return [least, least];
    return [least, counted[3] === '' ? Number.POSITIVE_INFINITY : Number(counted[3])];
  }

  #term(): Part {
    if (this.#take('^')) return one({ kind: 'edge', edge: 'start' });
    if (this.#take('$')) return one({ kind: 'edge', edge: 'end' });
    if (this.#take('\\b')) return one({ kind: 'edge', edge: 'word' });
    if (this.#take('\\B')) return one({ kind: 'edge', edge: 'inside' });
    if (this.#take('(?=')) return this.#look(false);
    if (this.#take('(?!')) return this.#look(true);
    if (this.#take('(?:') || this.#match(named)) return this.#group();
    if (this.#source.startsWith('(?', this.#at)) throw notUnderstood;
    if (this.#take('(')) return this.#group();
    return one(this.#character());
  }

  #group(): Part {
    const inside = this.#alternatives();
    if (!this.#take(')')) throw notUnderstood;
    return inside;
  }

  #look(isNegative: boolean): Part {
    return one({ kind: 'look', program: written(this.#group()), isNegative });
  }

  #character(): Instruction {
    const start = this.#at;
    const mark = this.#source[start];
    if (mark === '[') {
      if (!this.#match(characterClass)) throw notUnderstood;
    } else if (mark === '\\') {
      if (!((this.#hasUnicode && this.#match(escapedPair)) || this.#match(this.#escape()))) throw notUnderstood;
    } else {
      const point = this.#hasUnicode ? (this.#source.codePointAt(start) ?? 0) : 0;
      this.#at += point > 0xffff ? 2 : 1;
      const literal = this.#source.slice(start, this.#at);
      if (mark !== '.') return { kind: 'character', accepts: (character) => character === literal };
    }
    return { kind: 'character', accepts: acceptor(this.#source.slice(start, this.#at), this.#hasUnicode) };
  }

  #escape(): RegExp {
    return this.#hasUnicode ? unicodeEscape : plainEscape;
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }
}

function written(part: Part): Instruction[] {
  const writer = new Writer();
  writer.write(part);
  return writer.program;
}

function one(instruction: Instruction): Part {
  return { kind: 'one', instruction };
}

/** The engine itself decides about one character: that cannot take long. */
function acceptor(source: string, hasUnicode: boolean): (character: string) => boolean {
  const pattern = new RegExp(`^${source}$`, hasUnicode ? 'u' : '');
  const known: (boolean | undefined)[] = [];
  return (character) => {
    const code = character.charCodeAt(0);
    if (code > 127) return pattern.test(character);
    known[code] ??= pattern.test(character);
    return known[code];
  };
}

/** Writes parts as instructions, front to back, because forks name positions in the program. */
class Writer {
  readonly program: Instruction[] = [];
  #work = 0;

  write(part: Part): void {
    // Work is counted as well as instructions: an empty group can be repeated without writing any.
    this.#work += 1;
    if (this.#work > maxInstructions || this.program.length > maxInstructions) throw notUnderstood;
    if (part.kind === 'one') this.program.push(part.instruction);
    else if (part.kind === 'all') for (const item of part.parts) this.write(item);
    else if (part.kind === 'any') this.#writeAny(part.parts);
    else this.#writeRepeat(part.part, part.least, part.most);
  }

  #writeAny(parts: readonly Part[]): void {
    const entry = this.#reserve();
    const starts: number[] = [];
    const exits: number[] = [];
    for (const part of parts) {
      starts.push(this.program.length);
      this.write(part);
      exits.push(this.#reserve());
    }
    this.#fork(entry, starts);
    for (const exit of exits) this.#fork(exit, [this.program.length]);
  }

  #writeRepeat(part: Part, least: number, most: number): void {
    for (let times = 0; times < least; times += 1) this.write(part);
    if (most === Number.POSITIVE_INFINITY) {
      const entry = this.#reserve();
      this.write(part);
      this.#fork(this.#reserve(), [entry]);
      this.#fork(entry, [entry + 1, this.program.length]);
      return;
    }
    const skips: number[] = [];
    for (let times = least; times < most; times += 1) {
      skips.push(this.#reserve());
      this.write(part);
    }
    for (const skip of skips) this.#fork(skip, [skip + 1, this.program.length]);
  }

  /** A fork whose targets are known only once the rest is written. */
  #reserve(): number {
    return this.program.push({ kind: 'fork', to: [] }) - 1;
  }

  #fork(at: number, to: readonly number[]): void {
    this.program[at] = { kind: 'fork', to };
  }
}
