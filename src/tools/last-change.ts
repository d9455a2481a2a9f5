/** When what a server offers last changed, and by how much, as somebody may know it. */

import type { CatalogChangeMark, Store } from '../store/store.ts';

export interface LastChange {
  readonly at: number;
  /** `2 added, 1 changed, 1 removed`. */
  readonly summary: string;
}

/** Changes that are read at once, and in all: older ones are not news to anybody. */
const marksPerPage = 200;
const mostMarks = 2_000;

const words = { added: 'added', updated: 'changed', removed: 'removed' } as const;

/** Everything that one refresh brought counts as one change. `isSeen`: whether somebody may know of it. */
export async function lastChangeOf(
  store: Pick<Store, 'listChangeMarks'>,
  server: string,
  isSeen: (change: CatalogChangeMark) => boolean = () => true,
): Promise<LastChange | null> {
  const counts = { added: 0, updated: 0, removed: 0 };
  let at: number | undefined;
  let before: number | undefined;
  for (let read = 0; read < mostMarks; read += marksPerPage) {
    const marks = await store.listChangeMarks({ server, before, limit: marksPerPage });
    for (const mark of marks) {
      if (at !== undefined && mark.at !== at) return { at, summary: inWords(counts) };
      if (!isSeen(mark)) continue;
      at = mark.at;
      counts[mark.change] += 1;
    }
    if (marks.length < marksPerPage) break;
    before = marks.at(-1)?.id;
  }
  return at === undefined ? null : { at, summary: inWords(counts) };
}

function inWords(counts: Readonly<Record<keyof typeof words, number>>): string {
  const parts = (['added', 'updated', 'removed'] as const).flatMap((change) =>
    counts[change] === 0 ? [] : [`${counts[change]} ${words[change]}`],
  );
  return parts.join(', ');
}
