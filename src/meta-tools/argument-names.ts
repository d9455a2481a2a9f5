/** Other words that agents have for the parameters of our tools. */

/** Each group is one parameter; a tool has at most one of its names. */
const groups: readonly (readonly string[])[] = [
  ['maxResults', 'limit', 'pageSize', 'top', 'max_results', 'top_k', 'topK', 'page_size', 'n', 'count'],
  ['detailLevel', 'detail', 'detail_level'],
  ['minSimilarity', 'min_similarity'],
  ['toolKey', 'tool_key'],
];
const groupOf = new Map(groups.flatMap((group) => group.map((name) => [name, group] as const)));

type Arguments = Readonly<Record<string, unknown>>;

/** The arguments by the names that a tool has; a name of its own goes before another word for it. */
export function withOwnNames(args: Arguments, ownNames: () => readonly string[]): Arguments {
  if (!Object.keys(args).some((name) => groupOf.has(name))) return args;
  const own = new Set(ownNames());
  const renamed = Object.entries(args).map(([name, value]) => [nameFor(name, own), value] as const);
  return Object.fromEntries([...renamed, ...Object.entries(args).filter(([name]) => own.has(name))]);
}

function nameFor(name: string, own: ReadonlySet<string>): string {
  return own.has(name) ? name : (groupOf.get(name)?.find((other) => own.has(other)) ?? name);
}
