/** What of a text is new: sentences that were not there before, whatever their order, spacing or marks. */

/** Sentences end before a space or at a line's end, so that addresses and file names stay whole. */
export function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?;]["')\]]?)\s+|\n+/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** `isWeighty`: words that make a sentence another one even where nothing else of it changed. */
export function addedSentences(before: string, after: string, isWeighty: (word: string) => boolean): string[] {
  const known = sentencesOf(before);
  const knownPlain = new Set(known.map(plain));
  const fresh = sentencesOf(after).filter((item) => !knownPlain.has(plain(item)));
  if (fresh.length === 0) return fresh;
  const compared = known.slice(0, mostCompared).map(countWords);
  return fresh.filter((item) => {
    const counted = countWords(item);
    return !compared.some((old) => isRetouch(old, counted, isWeighty));
  });
}

/** Old sentences that a new one is compared with, word by word. */
const mostCompared = 200;

interface CountedWords {
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

/** Done once for each sentence: it costs far more than a comparison. */
function countWords(sentence: string): CountedWords {
  const words = wordsOf(sentence);
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, total: words.length };
}

/** Whether two sentences differ by a few words that carry no weight, as after a correction. */
function isRetouch(before: CountedWords, after: CountedWords, isWeighty: (word: string) => boolean): boolean {
  const most = Math.max(2, Math.floor(after.total * 0.3));
  if (Math.abs(after.total - before.total) > most) return false;
  const come = wordsBeyond(before, after, most);
  const gone = come && wordsBeyond(after, before, most - come.length);
  return gone !== undefined && !come?.some(isWeighty) && !gone.some(isWeighty);
}

/** Words of `now` beyond those of `old`; undefined: more than `most`. */
function wordsBeyond(old: CountedWords, now: CountedWords, most: number): string[] | undefined {
  const found: string[] = [];
  for (const [word, count] of now.counts) {
    const more = count - (old.counts.get(word) ?? 0);
    if (found.length + more > most) return undefined;
    for (let left = more; left > 0; left -= 1) found.push(word);
  }
  return found;
}

/** Words alone, in small letters: two texts are the same in this form where only marks, case and spaces differ. */
export function plain(text: string): string {
  return wordsOf(text).join(' ');
}

export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Words of `after` beyond those of `before`. */
export function addedWords(before: string, after: string): string[] {
  const left = Map.groupBy(wordsOf(before), (word) => word);
  return wordsOf(after).filter((word) => left.get(word)?.pop() === undefined);
}
