/** The statements of a TOML text: its tables and values, with the keys that lead to them and their place in the text. */

import { parse } from 'smol-toml';

export interface TomlStatement {
  /** A table begins here, and the values that follow are its own. */
  readonly isTable: boolean;
  /** From the root of the file, that of the table included. */
  readonly path: readonly string[];
  readonly start: number;
  /** Before a comment on the same line. */
  readonly end: number;
}

/** In the order of the text, which must be valid. */
export function tomlStatements(text: string): TomlStatement[] {
  const reader = new Reader(text);
  const statements: TomlStatement[] = [];
  let table: readonly string[] = [];
  for (;;) {
    reader.skipGap();
    const start = reader.at;
    if (start >= text.length) return statements;
    const opening = reader.skip(/\[{0,2}/y);
    const keys = reader.readKeys();
    if (opening === '') reader.skipValue();
    else {
      reader.skip(/\]{1,2}/y);
      table = keys;
    }
    const path = opening === '' ? [...table, ...keys] : keys;
    statements.push({ isTable: opening !== '', path, start, end: reader.at });
  }
}

class Reader {
  readonly #text: string;
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Moves past the text that the sticky pattern matches here, and returns it. */
  skip(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  /** Space, line breaks and comments. */
  skipGap(): void {
    do this.skip(/\s+/y);
    while (this.skip(/#.*/y) !== '');
  }

  readKeys(): string[] {
    const keys: string[] = [];
    do {
      this.skip(/[ \t]*/y);
      const start = this.at;
      keys.push(this.#skipString() ? unquoted(this.#text.slice(start, this.at)) : this.skip(/[\w-]*/y));
      this.skip(/[ \t]*/y);
    } while (this.skip(/\./y) !== '');
    return keys;
  }

  /** From the sign before a value to its end. Outside of brackets a line break or a comment ends it. */
  skipValue(): void {
    let depth = 0;
    let end = this.at;
    for (;;) {
      if (depth === 0) this.skip(/[ \t]*/y);
      else this.skipGap();
      const sign = this.#skipString() ? 'string' : this.skip(/[^\s#]/y);
      if (sign === '') break;
      end = this.at;
      if (sign === '[' || sign === '{') depth += 1;
      if (sign === ']' || sign === '}') depth -= 1;
    }
    this.at = end;
  }

  /**
   * Past the string that begins here; false where none does. Its end is looked for quote by quote: a pattern with a choice for each
   * character needs a stack as deep as the string is long.
   */
  #skipString(): boolean {
    const mark = this.skip(/"""|'''|["']/y);
    if (mark === '') return false;
    let end = this.#text.indexOf(mark, this.at);
    while (mark.startsWith('"') && isEscaped(this.#text, end)) end = this.#text.indexOf(mark, end + 1);
    this.at = end === -1 ? this.#text.length : end + mark.length;
    // Behind the three quotes that end a long string, two more can belong to it.
    for (let more = 0; more < 2 && mark.length === 3 && this.#text[this.at] === mark[0]; more += 1) this.at += 1;
    return true;
  }
}

function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text[start - 1] === '\\') start -= 1;
  return (at - start) % 2 === 1;
}

function unquoted(key: string): string {
  return String(parse(`key = ${key}`).key);
}
