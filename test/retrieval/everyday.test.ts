/** How well everyday sentences find their tools among the 204 of the real-sized fixture, as an agent asks. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModernAgent } from '../kit/modern-agent.ts';
import { openRealSizeGateway } from '../kit/real-size.ts';
import { halves, placeSentences, readSentences } from './everyday.ts';

/** One under what was measured when this was written; raised when search has become better. */
const floors = { open: { first: 16, inThree: 23 }, kept: { first: 20, inThree: 25 } };

test('everyday sentences find their tools in the real-sized fixture as well as before', async (context) => {
  await using gateway = await openRealSizeGateway();
  const agent = new ModernAgent(gateway, '/mcp?surface=search');
  for (const half of halves) {
    const sentences = readSentences('fixture', half);
    const { first, inThree, missed } = await placeSentences(sentences, async (sentence) => {
      const { result } = await agent.call('tool_discovery', { query: sentence, maxResults: 3, detailLevel: 'minimal' });
      return (result.structuredContent as { tools: { toolKey: string }[] }).tools.map((tool) => tool.toolKey);
    });
    context.diagnostic(`${half}: first ${first}, in the first three ${inThree} of ${sentences.length}`);
    assert.ok(first >= floors[half].first && inThree >= floors[half].inThree, `${half}:\n${missed.join('\n')}`);
  }
});
