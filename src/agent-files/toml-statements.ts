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
    reader.skip(gap);
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

/** Space, line breaks and comments. */
const gap = /(?:\s|#.*)*/y;
/** A string of any kind, or one character. Behind the three quotes that end a long string, two more can belong to it. */
const part = /"""(?:\\[\s\S]|[^\\])*?""""{0,2}|'''[\s\S]*?''''{0,2}|"(?:\\.|[^"\\])*"|'[^']*'|[^\s#]/y;

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

  readKeys(): string[] {
    const keys: string[] = [];
    do {
      this.skip(/[ \t]*/y);
      keys.push(unquoted(this.skip(/"(?:\\.|[^"\\])*"|'[^']*'|[\w-]*/y)));
      this.skip(/[ \t]*/y);
    } while (this.skip(/\./y) !== '');
    return keys;
  }

  /** From the sign before a value to its end. Outside of brackets a line break or a comment ends it. */
  skipValue(): void {
    let depth = 0;
    let end = this.at;
    for (;;) {
      this.skip(depth === 0 ? /[ \t]*/y : gap);
      const found = this.skip(part);
      if (found === '') break;
      end = this.at;
      if (found === '[' || found === '{') depth += 1;
      if (found === ']' || found === '}') depth -= 1;
    }
    this.at = end;
  }
}

function unquoted(key: string): string {
  if (!/^["']/.test(key)) return key;
  return String(parse(`key = ${key}`).key);
}
