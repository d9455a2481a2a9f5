/** Default tools that turn to the client while they run: progress, log messages, elicitation, sampling, roots. */

import type { Call } from './call.ts';
import { META } from './rpc.ts';
import { defineTool, json, type Tool, text } from './tool.ts';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export function clientTools(): Tool[] {
  return [progressTool(), logTool(), elicitTool(), sampleTool(), rootsTool()];
}

function progressTool(): Tool {
  return defineTool(
    {
      name: 'progress',
      description: 'Reports progress step by step; the last report leaves in one write with the answer.',
      parameters: {
        steps: { type: 'number', description: 'How many reports.' },
        delayMs: { type: 'number', description: 'How long each step takes.', default: 0 },
      },
    },
    async (call) => {
      const steps = Number(call.args.steps);
      const { progressToken } = call.meta;
      for (let step = 1; step <= steps && !call.signal.aborted; step += 1) {
        const delayMs = Number(call.args.delayMs ?? 0);
        if (delayMs > 0) await call.pause(delayMs);
        if (progressToken === undefined) continue;
        const params = { progressToken, progress: step, total: steps, message: `step ${step} of ${steps}` };
        if (step < steps) call.notify('notifications/progress', params);
        else call.attach('notifications/progress', params);
      }
      return text(`did ${steps} steps`);
    },
  );
}

function logTool(): Tool {
  return defineTool(
    {
      name: 'log',
      description: 'Writes one log message to the client.',
      parameters: {
        level: { type: 'string', enum: LEVELS, description: 'How grave it is.', default: 'info' },
        message: { type: 'string', description: 'What it says.', default: 'logged' },
      },
    },
    (call) => {
      const level = String(call.args.level ?? 'info');
      const params = { level, logger: call.server.settings.name, data: call.args.message ?? 'logged' };
      if (!isWanted(call, level)) return text('held back');
      call.notify('notifications/message', params);
      return text('sent');
    },
  );
}

/** Modern: the request says from which level on, and without that there are none. Legacy: logging/setLevel said. */
function isWanted(call: Call, level: string): boolean {
  const wanted = call.isModern ? call.meta[META.logLevel] : call.conversation.logLevel;
  return typeof wanted === 'string' && LEVELS.indexOf(level) >= LEVELS.indexOf(wanted);
}

function elicitTool(): Tool {
  return defineTool(
    {
      name: 'elicit',
      description: 'Asks the user for a name and gives back what came.',
      parameters: { message: { type: 'string', description: 'The question.', default: 'Who are you?' } },
    },
    async (call) => {
      const requestedSchema = {
        type: 'object',
        properties: { name: { type: 'string', title: 'Name', description: 'Your name.' } },
        required: ['name'],
      };
      const message = call.args.message ?? 'Who are you?';
      // Revisions before 2025-11-25 know one kind of elicitation and no `mode`.
      const params = call.isModern ? { mode: 'form', message, requestedSchema } : { message, requestedSchema };
      return json(await call.ask('elicitation', 'elicitation/create', params));
    },
  );
}

function sampleTool(): Tool {
  return defineTool(
    {
      name: 'sample',
      description: "Asks the client's model and gives back what it said.",
      parameters: { prompt: { type: 'string', description: 'The question.', default: 'What is 2 + 2?' } },
    },
    async (call) => {
      const prompt = String(call.args.prompt ?? 'What is 2 + 2?');
      const messages = [{ role: 'user', content: { type: 'text', text: prompt } }];
      return json(await call.ask('sampling', 'sampling/createMessage', { messages, maxTokens: 50 }));
    },
  );
}

function rootsTool(): Tool {
  return defineTool({ name: 'roots', description: "Asks for the client's roots and gives them back." }, async (call) =>
    json(await call.ask('roots', 'roots/list', {})),
  );
}
