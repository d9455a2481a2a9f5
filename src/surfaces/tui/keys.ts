/** Names of keys, such as `up`, `enter`, `ctrl+k` or `x`: what commands are declared with, and what the terminal sent. */

import type { Key } from 'ink';

const special = {
  upArrow: 'up',
  downArrow: 'down',
  leftArrow: 'left',
  rightArrow: 'right',
  pageUp: 'pageup',
  pageDown: 'pagedown',
  home: 'home',
  end: 'end',
  return: 'enter',
  escape: 'esc',
  tab: 'tab',
  backspace: 'backspace',
  delete: 'delete',
} as const;

/**
 * Keys that arrive together come as one text: each of its characters is a key. Esc and a key that follows at once look like Alt
 * with that key; no command has Alt, so it is always Esc first.
 */
export function keysOf(input: string, key: Key): readonly string[] {
  return key.meta ? ['esc', ...keysWithoutAlt(input, key)] : keysWithoutAlt(input, key);
}

function keysWithoutAlt(input: string, key: Key): readonly string[] {
  const named = (Object.keys(special) as (keyof typeof special)[]).find((name) => key[name]);
  if (named === 'tab' && key.shift) return ['shift+tab'];
  if (named !== undefined) return [special[named]];
  if (key.ctrl) return [`ctrl+${input}`];
  return [...input].map(keyOf);
}

function keyOf(character: string): string {
  if (character === '\r' || character === '\n') return 'enter';
  if (character === '\t') return 'tab';
  return character < ' ' ? `ctrl+${String.fromCharCode(character.charCodeAt(0) + 96)}` : character;
}

const pasted = 'paste+';

/** A pasted text is one key, which only a text takes: nothing of it is a command, and a line break in it sends no form. */
export function pastedKey(text: string): string {
  return pasted + text.replace(/\s*\p{Cc}+\s*/gu, ' ').trim();
}

const shown: Readonly<Record<string, string>> = {
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  enter: 'Enter',
  esc: 'Esc',
  tab: 'Tab',
  ' ': 'Space',
  pageup: 'PgUp',
  pagedown: 'PgDn',
};

/** As people read it: `Ctrl-K`, `Enter`, `t`. */
export function keyInWords(key: string): string {
  if (key.startsWith('ctrl+')) return `Ctrl-${key.slice(5).toUpperCase()}`;
  return shown[key] ?? key;
}

export interface TypedText {
  readonly text: string;
  /** Where the next character goes, in characters. */
  readonly at: number;
}

/** The text after a key; undefined where the key is not for a text. */
export function editText({ text, at }: TypedText, key: string): TypedText | undefined {
  const characters = [...text];
  const [before, after] = [characters.slice(0, at), characters.slice(at)];
  const made = (left: readonly string[], right: readonly string[]) => ({
    text: [...left, ...right].join(''),
    at: left.length,
  });
  switch (key) {
    case 'left':
      return { text, at: Math.max(0, at - 1) };
    case 'right':
      return { text, at: Math.min(characters.length, at + 1) };
    case 'home':
      return { text, at: 0 };
    case 'end':
      return { text, at: characters.length };
    case 'backspace':
      return made(before.slice(0, -1), after);
    case 'delete':
      return made(before, after.slice(1));
    case 'ctrl+u':
      return made([], after);
    case 'ctrl+w':
      return made([...before.join('').replace(/\S+\s*$/, '')], after);
    default:
      if (key.startsWith(pasted)) return made([...before, ...key.slice(pasted.length)], after);
      return [...key].length === 1 ? made([...before, key], after) : undefined;
  }
}
