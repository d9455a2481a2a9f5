/** Checks one plain run of the agent: what it lists, what that costs, and that what a real tool says reaches the model. */

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expectEqual, expectText, shortened } from '../kit/expect.ts';
import { type Asked, agentToolName, shortToolName } from './claude.ts';
import type { Step } from './model.ts';
import { entryFor, type Stage, type Surface, type Transport } from './stage.ts';

/** How many tools of ours a surface lists for an agent that is no owner. */
const metaToolCounts = { search: 5, code: 2, full: 11 } as const;
/** Tokens of definitions and instructions. */
const mostTokens: Readonly<Partial<Record<Surface, number>>> = { search: 900, code: 500 };

export async function checkCalls(
  stage: Stage,
  transport: Transport,
  surface: Surface,
  defersTools: boolean,
): Promise<void> {
  const { checks, claude, gateway } = stage;
  const how = defersTools ? 'tools deferred by the agent' : 'tools loaded at start';
  checks.section(`Over ${transport}, surface ${surface}, ${how}`);
  const word = `marmalade-${Math.random().toString(36).slice(2)}`;
  const server = entryFor(stage, transport, surface);
  let asked: Asked | undefined;
  await checks.that('the agent runs to its end', async () => {
    asked = await claude.ask({ server, defersTools, steps: stepsFor(surface, word) });
    return { ms: asked.ms, note: `${asked.turns} turns, protocol ${asked.version}` };
  });
  if (asked === undefined) return;
  const { status, tools, results, cost, complaints } = asked;
  await checks.that('it is connected and lists what the door offers', async () => {
    expectEqual(status, 'connected', 'status');
    const all = await gateway.admin.run('tools.list', {});
    expectEqual(tools.length, surface === 'direct' ? all.length : metaToolCounts[surface], 'tools');
    return `${tools.length} tools`;
  });
  const { definitions, names, instructions, whole } = cost.first;
  checks.note(
    `the first request is ${whole} tokens: of ours, definitions ${definitions}, instructions ${instructions}`,
  );
  checks.note(`and names ${names}; definitions in the last request ${cost.last.definitions}`);
  const most = mostTokens[surface];
  if (most !== undefined) {
    await checks.that('what is ours stays small however many tools there are', async () => {
      const sum = cost.last.definitions + instructions;
      if (sum > most) throw new Error(`${sum} tokens`);
      return `${sum} tokens`;
    });
  }
  await checks.that('what the real tool said came back to the model', async () => {
    const last = results.at(-1);
    expectText(last?.text, `Echo: ${word}`);
    expectEqual(last?.isError, false, 'is_error');
    return results.map((result) => `${shortToolName(result.tool)} (${countTokens(result.text)} tokens)`).join(' → ');
  });
  await checks.that('it complains about nothing', async () => {
    if (complaints.length > 0) throw new Error(shortened(complaints.join(' | '), 400));
    return undefined;
  });
}

/** The model's steps on a surface to have a word echoed by the real server. */
export function stepsFor(surface: Surface, word: string): Step[] {
  if (surface === 'direct') return [{ tool: agentToolName('everything.echo'), input: { message: word } }];
  const find = { tool: agentToolName('tool_discovery'), input: { query: 'echo back a text' } };
  const code = `return await servers.everything.echo({ message: ${JSON.stringify(word)} });`;
  if (surface === 'code') return [find, { tool: agentToolName('call_tool_chain'), input: { code } }];
  const input = { toolKey: 'everything:echo', arguments: { message: word } };
  return [find, { tool: agentToolName('tool_execute'), input }];
}
