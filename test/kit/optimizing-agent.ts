/** An agent that uses the optimizer's tools on the owner's door, with a server to optimize and prompts to save. */

import assert from 'node:assert/strict';
import { promptCategories } from '../../src/store/store.ts';
import { hostedServer } from '../servers/hosted.ts';
import type { Agent } from './agents.ts';

const inputSchema = { type: 'object', properties: { city: { type: 'string' } } };
export const weather = hostedServer({
  name: 'weather',
  tools: [
    { name: 'get_current', description: 'Gets weather.', inputSchema, respond: { content: [] } },
    { name: 'get_historical', description: 'Gets past weather.', inputSchema, respond: { content: [] } },
  ],
});

export type OptimizerAnswer = Record<string, unknown> & { readonly nextSteps: readonly string[] };
type CallOptions = Parameters<Agent['call']>[2];

/** A call that must succeed; every answer ends with its next steps. */
export async function ask(agent: Agent, name: string, args: object, options?: CallOptions): Promise<OptimizerAnswer> {
  const result = await agent.call(name, args as Record<string, unknown>, options);
  assert.equal(result.isError ?? false, false, JSON.stringify(result));
  const answer = result.structuredContent as OptimizerAnswer;
  assert.equal(Object.keys(answer).at(-1), 'nextSteps');
  assert.ok(answer.nextSteps.length > 0);
  return answer;
}

/** A call that must be refused: why. */
export async function refusal(agent: Agent, name: string, args: object): Promise<string> {
  const result = await agent.call(name, args as Record<string, unknown>);
  assert.equal(result.isError, true, JSON.stringify(result));
  return JSON.stringify(result.content);
}

/** `each` prompts of each category, with ids that say which. */
export function manyPrompts(each: number) {
  return promptCategories.flatMap((category) =>
    Array.from({ length: each }, (_, at) => ({
      ...{ id: `${category}-${at}`, category, prompt: `An everyday sentence, ${category} number ${at}` },
    })),
  );
}
