/** The part of a line of code that shows a place in it. */

const longestExcerpt = 200;
/** Code that was made small may be all on one line; no more of it is looked at. */
const longestLookedAt = 1_000;

/** The line without the space around it; of a long one, what is around the column. */
export function excerptOf(line: string, column = 1): string {
  const whole = line.trim();
  if (whole.length <= longestExcerpt) return whole;
  const start = Math.max(0, Math.min(column - 1 - longestExcerpt / 2, line.length - longestExcerpt));
  const part = line.slice(start, start + longestExcerpt).trim();
  return `${start > 0 ? '…' : ''}${part}${start + longestExcerpt < line.length ? '…' : ''}`;
}

/** The same place in a line that is short enough to be searched. */
export function nearColumn(line: string, column: number): { readonly line: string; readonly column: number } {
  if (line.length <= longestLookedAt) return { line, column };
  const start = Math.max(0, column - 1 - longestLookedAt / 2);
  return { line: line.slice(start, start + longestLookedAt), column: column - start };
}
