/** The agent opencode: the chat completions API, and a config in JSON. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AgentProgram, gatewayName } from './agent-program.ts';
import type { ModelWire } from './scripted-model.ts';

interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

const prefix = `${gatewayName}_`;

const wire: ModelWire = {
  isRequest: (path) => path.endsWith('/chat/completions'),
  read(body) {
    const { messages, tools = [] } = body as ChatRequest;
    const names = tools.map((tool) => tool.function.name).filter((name) => name.startsWith(prefix));
    const results = messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    return {
      tools: names.map((name) => name.slice(prefix.length)),
      results: results.map((content) => (typeof content === 'string' ? content : JSON.stringify(content))),
    };
  },
  say(step, turn, words) {
    const head = { id: `chat-${turn}`, object: 'chat.completion.chunk', created: 0, model: 'stand-in' };
    const called = { name: prefix + step?.tool, arguments: JSON.stringify(step?.input) };
    const delta = step
      ? { role: 'assistant', tool_calls: [{ index: 0, id: `call-${turn}`, type: 'function', function: called }] }
      : { role: 'assistant', content: words };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    return [
      { ...head, choices: [{ index: 0, delta, finish_reason: null }] },
      { ...head, choices: [{ index: 0, delta: {}, finish_reason: step ? 'tool_calls' : 'stop' }], usage },
    ];
  },
};

const provider = 'local';
const model = 'stand-in';

export const openCode: AgentProgram = {
  id: 'opencode',
  title: 'opencode',
  package: 'opencode-ai',
  version: '1.18.33',
  wire,
  async prepare(packages, home, modelUrl) {
    const folder = join(home, '.config', 'opencode');
    await mkdir(folder, { recursive: true });
    const options = { baseURL: `${modelUrl}/v1`, apiKey: 'none' };
    const models = { [model]: { name: model, tool_call: true } };
    const settings = {
      model: `${provider}/${model}`,
      provider: { [provider]: { npm: '@ai-sdk/openai-compatible', name: provider, options, models } },
      // It would ask the model for a title at the same time as for the first step.
      agent: { title: { disable: true } },
      autoupdate: false,
    };
    await writeFile(join(folder, 'opencode.json'), JSON.stringify(settings, null, 2));
    const command = packages.file(`opencode-${process.platform}-${process.arch}`, 'bin/opencode');
    const run = ['run', '--format', 'json', 'Do what the script says.'];
    return { command, args: run, env: {}, listing: { args: ['mcp', 'list'], says: /toolcrib.*connected/ } };
  },
};
