/** The sentences of one text of a definition, in the form in which they are read. */

import { folded } from './fold-text.ts';
import type { ScannedText } from './texts-to-scan.ts';

const sentenceEnd = /(?<=[.!?;]["')\]]?)\s+|[\n。！？；]+/;

/** Names and values are written in one word; what they say is read as words. */
export function inWords(name: string): string {
  return name.replace(/[_-]+/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2');
}

/** Puts a parameter's name before its text: "context" and "everything said so far" mean something together. */
export function sentencesOf({ text, role, owner }: ScannedText): string[] {
  const isOneWord = role === 'name' || role === 'key' || !/\s/.test(text);
  const words = isOneWord ? inWords(text) : text;
  const whole = owner !== undefined && role !== 'key' ? `${inWords(owner)}: ${words}` : words;
  return folded(whole)
    .split(sentenceEnd)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length > 2);
}
