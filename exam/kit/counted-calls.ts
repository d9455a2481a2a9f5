/** The gateway's own counts, read at the owner's door, tool by tool: an answer about all of them would be cut. */

import type { Setup } from './setup.ts';

interface CountedTool {
  readonly callCount: number;
}

export async function countedCalls(
  setup: Setup,
  server: string,
  tools: readonly string[],
): Promise<Map<string, number>> {
  const owner = await setup.agent('modern', { door: '/gateway/mcp', isOwner: true, name: 'owner' });
  const counted = new Map<string, number>();
  for (const tool of tools) {
    const { result, text } = await owner.call('get_tool_metrics', { server, tool });
    const found = (result.structuredContent as { tools?: readonly CountedTool[] } | undefined)?.tools;
    if (found === undefined) throw new Error(`get_tool_metrics said: ${text.slice(0, 300)}`);
    counted.set(tool, found[0]?.callCount ?? 0);
  }
  return counted;
}
