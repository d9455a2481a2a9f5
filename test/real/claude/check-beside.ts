/** Checks what lies beside plain calls: mistakes, refusals, images, questions to the user, changes, resources, prompts. */

import { expectEqual, expectText, shortened } from '../kit/expect.ts';
import { type Asked, agentToolName, serverName, shortToolName } from './claude.ts';
import type { Step, StepResult } from './model.ts';
import { entryFor, type Stage, type Transport } from './stage.ts';

/** The model's steps, and the expected answers. */
interface Expected extends Step {
  readonly what: string;
  readonly text: string | RegExp;
  readonly isError?: boolean;
}

/** `late`: the config of a server that is added while the agent runs. */
export async function checkBeside(stage: Stage, transport: Transport, late: Record<string, unknown>): Promise<void> {
  const { checks, claude, gateway } = stage;
  checks.section(`Over ${transport}, beside plain calls`);
  const addLate = () => gateway.admin.run('servers.add', { name: 'late', spec: late });
  const expected = expectedWith(addLate);
  let asked: Asked | undefined;
  await checks.that('the agent runs to its end', async () => {
    asked = await claude.ask({ server: entryFor(stage, transport, 'direct'), defersTools: false, steps: expected });
    return { ms: asked.ms, note: `${asked.turns} turns` };
  });
  for (const [index, step] of expected.entries()) {
    await checks.that(step.what, async () => verify(asked?.results[index], step));
  }
  await checks.that('prompts of servers are offered as commands', async () => {
    expectText(asked?.prompts.join(' '), 'everything.simple-prompt');
    return asked?.prompts.map(shortToolName).join(' ');
  });
  await gateway.admin.run('servers.remove', { name: 'late' });
}

function verify(result: StepResult | undefined, step: Expected): string {
  expectEqual(result?.tool, step.tool, 'tool');
  expectText(result?.text, step.text);
  expectEqual(result?.isError, step.isError ?? false, 'is_error');
  return shortened(result?.text ?? '', 100);
}

function expectedWith(addLate: () => Promise<unknown>): Expected[] {
  const uri = 'demo://resource/static/document/features.md';
  return [
    {
      what: 'a wrong argument comes back as help for the model',
      tool: agentToolName('everything.echo'),
      input: { massage: 'x' },
      text: /"message" is missing; is "massage" meant.*RECOVERY/s,
      isError: true,
    },
    {
      what: 'a refusal of a tool reaches it as an error',
      tool: agentToolName('weather.get_radar_image'),
      input: { city: 'Paris' },
      text: 'out of order',
      isError: true,
    },
    {
      what: 'an image reaches it as an image',
      tool: agentToolName('everything.get-tiny-image'),
      input: {},
      text: '[image]',
    },
    {
      what: 'a question to the user is put to the agent, which has no user here',
      tool: agentToolName('everything.trigger-elicitation-request'),
      input: {},
      text: /cancel/i,
    },
    {
      what: 'a resource of a real server can be read',
      tool: 'ReadMcpResourceTool',
      input: { server: serverName, uri },
      text: 'Everything',
    },
    {
      what: 'a long call with progress comes to its end, while a server is added',
      tool: agentToolName('everything.trigger-long-running-operation'),
      input: { duration: 2, steps: 4 },
      text: 'completed',
      before: addLate,
    },
    {
      what: 'the new tool is there without a restart',
      tool: agentToolName('late.echo'),
      input: { message: 'late' },
      text: 'Echo: late',
    },
  ];
}
