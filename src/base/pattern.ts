/** Names with wildcards: `*` stands for any run of characters, an empty one too, and nothing else is special. */

const wildcard = '*';

export function isPattern(text: string): boolean {
  return text.includes(wildcard);
}

/** One name with wildcards, taken apart once: it is asked for every tool of a catalog. */
export class Pattern {
  /** How much of it is said outright: of two that fit, the longer one is meant. */
  readonly literalLength: number;
  readonly #first: string;
  readonly #middle: readonly string[];
  readonly #last: string;

  constructor(text: string) {
    const [first = '', ...rest] = text.split(wildcard);
    this.literalLength = text.replaceAll(wildcard, '').length;
    this.#first = first;
    this.#last = rest.pop() ?? '';
    this.#middle = rest.filter((piece) => piece !== '');
  }

  /** In time that grows with the lengths alone: the pieces are looked for one after the other, each as early as it can be. */
  matches(name: string): boolean {
    if (name.length < this.literalLength || !name.startsWith(this.#first) || !name.endsWith(this.#last)) return false;
    const end = name.length - this.#last.length;
    let at = this.#first.length;
    for (const piece of this.#middle) {
      const found = name.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return at <= end;
  }
}

/** True if a name matches one of the patterns. */
export function isAmong(list: readonly string[], name: string): boolean {
  const { names, patterns } = sortedOf(list);
  return names.has(name) || patterns.some((pattern) => pattern.matches(name));
}

interface Sorted {
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly Pattern[];
}

function sortedOf(list: readonly string[]): Sorted {
  const known = sorted.get(list);
  if (known) return known;
  const names = new Set(list.filter((text) => !isPattern(text)));
  const patterns = list.filter(isPattern).map((text) => new Pattern(text));
  sorted.set(list, { names, patterns });
  return { names, patterns };
}

/** Settings never change: other ones come in another list. */
const sorted = new WeakMap<readonly string[], Sorted>();
