/** Where things stand in the pictures of call sequences: tools in a line, each as near as can be under what leads to it. */

import type { UsageOverview } from '../../../../admin/admin.ts';

export type ToolPair = UsageOverview['sequences'][number];

export interface FlowLink {
  readonly pair: ToolPair;
  /** Places of its tools in the line, from 0. */
  readonly from: number;
  readonly to: number;
}

/** Tools that lead to each other, and to no others. */
export interface FlowPicture {
  /** In the order of the line. */
  readonly toolKeys: readonly string[];
  readonly links: readonly FlowLink[];
}

/** The most used first. */
export function layOutFlows(pairs: readonly ToolPair[]): FlowPicture[] {
  return joinPairs(pairs)
    .sort((a, b) => countOf(b) - countOf(a))
    .map((joined) => {
      const toolKeys = lineUp(joined);
      const places = new Map(toolKeys.map((toolKey, at) => [toolKey, at]));
      const placeOf = (toolKey: string) => places.get(toolKey) ?? 0;
      return {
        toolKeys,
        links: joined.map((pair) => ({ pair, from: placeOf(pair.before), to: placeOf(pair.after) })),
      };
    });
}

function countOf(pairs: readonly ToolPair[]): number {
  return pairs.reduce((sum, { count }) => sum + count, 0);
}

/** Pairs that have a tool in common, also by way of others, come together. */
function joinPairs(pairs: readonly ToolPair[]): ToolPair[][] {
  let groups: { readonly tools: ReadonlySet<string>; readonly pairs: ToolPair[] }[] = [];
  for (const pair of pairs) {
    const isNear = ({ tools }: (typeof groups)[number]) => tools.has(pair.before) || tools.has(pair.after);
    const near = groups.filter(isNear);
    groups = [
      ...groups.filter((group) => !near.includes(group)),
      {
        tools: new Set([...near.flatMap(({ tools }) => [...tools]), pair.before, pair.after]),
        pairs: [...near.flatMap((group) => group.pairs), pair],
      },
    ];
  }
  return groups.map((group) => group.pairs);
}

/** Begins with the tool that leads on most and is led to least, then follows the strongest links. */
function lineUp(pairs: readonly ToolPair[]): string[] {
  const tools = [...new Set(pairs.flatMap(({ before, after }) => [before, after]))];
  const leading = (tool: string) =>
    pairs.reduce(
      (sum, { before, after, count }) => sum + (before === tool ? count : 0) - (after === tool ? count : 0),
      0,
    );
  const waiting = new Set(tools.sort((a, b) => leading(b) - leading(a)));
  const line: string[] = [];
  const visit = (tool: string) => {
    if (!waiting.delete(tool)) return;
    line.push(tool);
    const next = pairs.filter(({ before }) => before === tool).sort((a, b) => b.count - a.count);
    for (const { after } of next) visit(after);
  };
  for (const tool of tools) visit(tool);
  return line;
}
