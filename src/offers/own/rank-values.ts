/** What may be meant by the beginning of a word: what begins so first, then what contains it, each with the most used first. */

export interface Value {
  readonly text: string;
  /** How often it was used. */
  readonly use: number;
}

export interface Completion {
  readonly values: readonly string[];
  readonly total: number;
  readonly hasMore: boolean;
}

/** The most that the protocol allows. */
const mostValues = 100;

export function rankValues(values: Iterable<Value>, typed: string): Completion {
  const wanted = typed.toLowerCase();
  const fitting = [...values].flatMap((value) => {
    const at = value.text.toLowerCase().indexOf(wanted);
    return at === -1 ? [] : [{ ...value, isInside: at > 0 }];
  });
  fitting.sort(
    (a, b) =>
      Number(a.isInside) - Number(b.isInside) || b.use - a.use || (a.text < b.text ? -1 : a.text > b.text ? 1 : 0),
  );
  return {
    values: fitting.slice(0, mostValues).map(({ text }) => text),
    total: fitting.length,
    hasMore: fitting.length > mostValues,
  };
}

/** Each text once, with all of its use. */
export function joinEqual(values: Iterable<Value>): Value[] {
  const uses = new Map<string, number>();
  for (const { text, use } of values) uses.set(text, (uses.get(text) ?? 0) + use);
  return [...uses].map(([text, use]) => ({ text, use }));
}
