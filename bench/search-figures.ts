/** Quality of ranked lists: recall and nDCG where each need of a query is met by any tool of its group. */

export interface LabelledQuery {
  readonly id: string;
  readonly query: string;
  readonly relevant: readonly string[];
  /** One group a need; any member satisfies it. Without groups each relevant tool is a need. */
  readonly relevantGroups?: readonly (readonly string[])[];
}

export interface Figures {
  readonly 'recall@1': number;
  readonly 'recall@5': number;
  readonly 'nDCG@10': number;
}

/** Means over all queries; a query without a list counts as a miss. */
export function meanFigures(queries: readonly LabelledQuery[], ranks: ReadonlyMap<string, readonly string[]>): Figures {
  const each = queries.map((query) => figuresOf(query, ranks.get(query.id) ?? []));
  const mean = (name: keyof Figures) => {
    const sum = each.reduce((total, figures) => total + figures[name], 0);
    return Math.round((10_000 * sum) / Math.max(1, each.length)) / 10_000;
  };
  return { 'recall@1': mean('recall@1'), 'recall@5': mean('recall@5'), 'nDCG@10': mean('nDCG@10') };
}

export function figuresOf(query: LabelledQuery, ranked: readonly string[]): Figures {
  const needs = query.relevantGroups ?? query.relevant.map((id) => [id]);
  const places = placesOf(needs, ranked).filter((place) => place > 0);
  const within = (count: number) => places.filter((place) => place <= count).length / Math.max(1, needs.length);
  const gain = places.filter((place) => place <= 10).reduce((sum, place) => sum + discount(place), 0);
  let ideal = 0;
  for (let place = 1; place <= Math.min(10, needs.length); place += 1) ideal += discount(place);
  return { 'recall@1': within(1), 'recall@5': within(5), 'nDCG@10': ideal === 0 ? 0 : gain / ideal };
}

/** Where each need is first met, from 1; 0 where it is not. A further tool for a need already met takes no place. */
function placesOf(needs: readonly (readonly string[])[], ranked: readonly string[]): number[] {
  const places = needs.map(() => 0);
  let place = 0;
  for (const id of ranked) {
    const answered = needs.flatMap((need, index) => (need.includes(id) ? [index] : []));
    const fresh = answered.find((index) => places[index] === 0);
    if (answered.length > 0 && fresh === undefined) continue;
    place += 1;
    if (fresh !== undefined) places[fresh] = place;
  }
  return places;
}

function discount(place: number): number {
  return 1 / Math.log2(place + 1);
}
