/** Tools that a server has only when its JSON names them (`runAs`): conversations with unusual turns, storms on demand. */

import { startStorm } from './faults.ts';
import { CODES, RpcFailure } from './rpc.ts';
import { defineTool, json, type Tool, text } from './tool.ts';

const QUESTION = {
  message: 'Who are you?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};

export function rareTools(): Tool[] {
  return [elicitThenWaitTool(), withdrawTool(), takeBackTool(), argumentsTool(), brokenTool(), stormTool()];
}

function elicitThenWaitTool(): Tool {
  return defineTool(
    { name: 'elicit_then_wait', description: 'Asks the user, then works until it is cancelled.' },
    async (call) => {
      await call.ask('elicitation', 'elicitation/create', QUESTION);
      await new Promise((resolve) => call.signal.addEventListener('abort', resolve, { once: true }));
      return {};
    },
  );
}

/** Withdraws the questions that wait for it. */
const questions = new Set<() => void>();

function takeBackTool(): Tool {
  return defineTool({ name: 'take_back', description: 'Has every tool that asked take its question back.' }, () => {
    for (const takeBack of questions) takeBack();
    questions.clear();
    return text('taken back');
  });
}

/** Legacy era only: in the modern one a question is a result, which nobody can take back. */
function withdrawTool(): Tool {
  return defineTool(
    { name: 'withdraw', description: 'Asks the user, takes the question back at take_back, and answers without.' },
    async (call) => {
      const takingBack = new AbortController();
      let question: unknown;
      const answer = call.conversation.ask(
        'elicitation/create',
        QUESTION,
        (messages) => {
          question = messages[0]?.id;
          call.outlet.send(messages);
        },
        takingBack.signal,
      );
      const over = answer.catch(() => {});
      await new Promise<void>((resolve) => questions.add(resolve));
      takingBack.abort();
      await over;
      call.notify('notifications/cancelled', { requestId: question, reason: 'no longer needed' });
      call.server.journal.write('cancelled', { id: question, how: 'withdrawn' });
      return text('went on without');
    },
  );
}

function argumentsTool(): Tool {
  return defineTool(
    { name: 'arguments', description: 'Gives back its arguments and the metadata of the call.' },
    (call) => ({ ...json(call.args), structuredContent: { arguments: call.args, meta: call.meta } }),
  );
}

function brokenTool(): Tool {
  return defineTool({ name: 'broken', description: 'Answers with an error of the protocol.' }, () => {
    throw new RpcFailure(CODES.internal, 'The database is on fire.');
  });
}

/** Answers at once; the journal tells when the storm is over. */
function stormTool(): Tool {
  return defineTool(
    {
      name: 'storm',
      description: 'Sends many list_changed notifications.',
      parameters: {
        count: { type: 'number' },
        overMs: { type: 'number' },
        changing: { type: 'boolean', description: 'Whether each of them is true.', default: false },
      },
    },
    ({ args, server }) => {
      startStorm(server, {
        ...{ count: Number(args.count), overMs: Number(args.overMs) },
        changing: args.changing === true,
      });
      return text('coming');
    },
  );
}
