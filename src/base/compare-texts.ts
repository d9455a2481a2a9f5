/** Compares two texts line by line, and changed lines word by word, so that they can be shown side by side. */

/** A part of a line. */
export interface TextPart {
  readonly text: string;
  readonly isChanged: boolean;
}

/** One row of the comparison; null where a side has no such line. */
export interface ComparedRow {
  readonly before: readonly TextPart[] | null;
  readonly after: readonly TextPart[] | null;
}

/** A row both of whose sides are the same. */
export function isSameRow({ before, after }: ComparedRow): boolean {
  return before !== null && after !== null && [...before, ...after].every((part) => !part.isChanged);
}

/** Rows that stay around a change where the others are left out. */
const around = 2;

/** The rows around changes, and in place of the others how many they are. */
export function shortenSame(rows: readonly ComparedRow[]): (ComparedRow | number)[] {
  const changed = rows.flatMap((row, at) => (isSameRow(row) ? [] : [at]));
  const shown: (ComparedRow | number)[] = [];
  let next = 0;
  for (const at of [...changed, rows.length + around]) {
    const from = Math.max(next, at - around);
    // A note that one line is left out takes as much room as the line itself.
    const isFew = from - next <= 1;
    if (!isFew) shown.push(Math.min(from, rows.length) - next);
    const end = Math.min(rows.length, at + around + 1);
    for (let row = isFew ? next : from; row < end; row += 1) shown.push(rows[row] as ComparedRow);
    next = Math.max(next, end);
  }
  return shown;
}

/** Work that one comparison may take, in pairs of lines or words. What is left then is shown as changed from its first difference to its last. */
const mostPairs = 1_000_000;

interface Budget {
  pairsLeft: number;
}

export function compareTexts(before: string, after: string): ComparedRow[] {
  const rows: ComparedRow[] = [];
  const budget = { pairsLeft: mostPairs };
  for (const run of alignItems(before.split('\n'), after.split('\n'), budget)) {
    if (run.isSame) for (const line of run.before) rows.push({ before: [same(line)], after: [same(line)] });
    else
      for (let at = 0; at < Math.max(run.before.length, run.after.length); at += 1)
        rows.push(compareLines(run.before[at], run.after[at], budget));
  }
  return rows;
}

function compareLines(before: string | undefined, after: string | undefined, budget: Budget): ComparedRow {
  if (before === undefined || after === undefined) {
    const whole = (line: string | undefined) => (line === undefined ? null : [{ text: line, isChanged: true }]);
    return { before: whole(before), after: whole(after) };
  }
  const runs = alignItems(wordsOf(before), wordsOf(after), budget);
  const side = (which: 'before' | 'after') =>
    runs
      .map((run) => ({ text: run[which].join(''), isChanged: !run.isSame }))
      .filter(({ text }, _at, parts) => text !== '' || parts.length === 1);
  return { before: side('before'), after: side('after') };
}

function same(text: string): TextPart {
  return { text, isChanged: false };
}

/** Words, spaces and signs: joined they are the line. */
function wordsOf(line: string): string[] {
  return line.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

/** Items that both have, or what stands between two such runs. */
interface Run {
  readonly isSame: boolean;
  readonly before: string[];
  readonly after: string[];
}

/** By the longest common sequence. */
function alignItems(before: readonly string[], after: readonly string[], budget: Budget): Run[] {
  const runs: Run[] = [];
  const add = (isSame: boolean, one: readonly string[], other: readonly string[]) => {
    if (one.length + other.length === 0) return;
    const last = runs.at(-1);
    if (last?.isSame !== isSame) return void runs.push({ isSame, before: [...one], after: [...other] });
    for (const item of one) last.before.push(item);
    for (const item of other) last.after.push(item);
  };
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const [old, now] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  add(true, before.slice(0, head), after.slice(0, head));
  const pairs = old.length * now.length;
  if (pairs > budget.pairsLeft) add(false, old, now);
  else {
    budget.pairsLeft -= pairs;
    alignMiddle(old, now, add);
  }
  add(true, before.slice(before.length - tail), after.slice(after.length - tail));
  return runs;
}

function alignMiddle(
  old: readonly string[],
  now: readonly string[],
  add: (isSame: boolean, one: readonly string[], other: readonly string[]) => void,
): void {
  const width = now.length + 1;
  // The length of the longest common sequence of what follows each pair.
  const lengths = new Uint32Array((old.length + 1) * width);
  const lengthAt = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] =
        old[i] === now[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
  let [i, j] = [0, 0];
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) {
      add(true, [old[i] ?? ''], [now[j] ?? '']);
      i += 1;
      j += 1;
    } else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) {
      add(false, [old[i] ?? ''], []);
      i += 1;
    } else {
      add(false, [], [now[j] ?? '']);
      j += 1;
    }
  }
  add(false, old.slice(i), now.slice(j));
}
