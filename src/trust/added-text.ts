/** Finds the texts and sentences that are new in a definition, whatever their order, spacing or marks. */

import type { Definition } from './judgement.ts';
import { type ScannedText, textsToScan } from './scan/texts-to-scan.ts';

/** Words of the schema itself. */
const ofSchema = /\.(?:type|format|pattern|required|\$schema|\$ref)(?:\.\d+)?$|^icons\b|^annotations\.\w+Hint$/;

/** The texts of `after` that `before` lacks, each with its new sentences alone. */
export function addedTexts(before: Definition, after: Definition): ScannedText[] {
  const placeOf = ({ where, role }: ScannedText) => `${role} ${where}`;
  const old = new Map(textsToScan(before).texts.map((text) => [placeOf(text), text.text]));
  return textsToScan(after).texts.flatMap((scanned) => {
    if (ofSchema.test(scanned.where)) return [];
    const was = old.get(placeOf(scanned)) ?? '';
    const text = was === scanned.text ? '' : addedSentences(was, scanned.text).join('\n');
    return text === '' ? [] : [{ ...scanned, text }];
  });
}

/** Sentences end before a space or at a line's end, so that addresses and file names stay whole. */
export function splitSentences(text: string): string[] {
  return text
    .split(/(?<=[.!?;]["')\]]?)\s+|(?<=[。！？；])|\n+/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

export function addedSentences(before: string, after: string): string[] {
  const known = new Set(splitSentences(before).map(plain));
  return splitSentences(after).filter((item) => !known.has(plain(item)));
}

/** Words alone, in small letters: two texts are the same in this form where only marks, case and spaces differ. */
export function plain(text: string): string {
  return wordsOf(text).join(' ');
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
