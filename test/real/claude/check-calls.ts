/** Checks one plain run of the agent: what it lists, what that costs, and that what a real tool says reaches the model. */

import { sized } from '../kit/checks.ts';
import { expectEqual, expectText, shortened } from '../kit/expect.ts';
import { type Asked, agentToolName, shortToolName } from './claude.ts';
import type { Step } from './model.ts';
import { entryFor, type Stage, type Surface, type Transport } from './stage.ts';

/** The tools of the search surface. */
const metaToolCount = 4;
/** 900 tokens. */
const mostSearchBytes = 3_600;

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
  const { status, tools, results, toolBytes, mentionBytes, requestBytes, complaints } = asked;
  await checks.that('it is connected and lists what the door offers', async () => {
    expectEqual(status, 'connected', 'status');
    const all = await gateway.admin.run('tools.list', {});
    expectEqual(tools.length, surface === 'direct' ? all.length : metaToolCount, 'tools');
    return `${tools.length} tools`;
  });
  checks.note(`the first request is ${sized(requestBytes)}: of our tools, definitions ${sized(toolBytes.first)}`);
  checks.note(`and names ${sized(mentionBytes)}; definitions in the last request ${sized(toolBytes.last)}`);
  if (surface === 'search') {
    await checks.that('the definitions stay small however many tools there are', async () => {
      if (toolBytes.last > mostSearchBytes) throw new Error(sized(toolBytes.last));
      return undefined;
    });
  }
  await checks.that('what the real tool said came back to the model', async () => {
    const last = results.at(-1);
    expectText(last?.text, `Echo: ${word}`);
    expectEqual(last?.isError, false, 'is_error');
    return results.map((result) => `${shortToolName(result.tool)} (${sized(result.text.length)})`).join(' → ');
  });
  await checks.that('it complains about nothing', async () => {
    if (complaints.length > 0) throw new Error(shortened(complaints.join(' | '), 400));
    return undefined;
  });
}

/** What the model does on a surface to have a word echoed by the real server. */
export function stepsFor(surface: Surface, word: string): Step[] {
  if (surface === 'direct') return [{ tool: agentToolName('everything.echo'), input: { message: word } }];
  return [
    { tool: agentToolName('tool_discovery'), input: { query: 'echo back a text' } },
    { tool: agentToolName('tool_execute'), input: { toolKey: 'everything:echo', arguments: { message: word } } },
  ];
}
