/** Finds the sentences that are new in a text, whatever their order, spacing or marks. */

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
