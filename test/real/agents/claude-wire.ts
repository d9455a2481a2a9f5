/** Claude Code's Messages API, for a stand-in that also plays other agents' models. */

import { agentToolName, shortToolName } from '../claude/claude.ts';
import { modelRequest, textOf } from '../claude/model-wire.ts';
import type { ModelWire } from './scripted-model.ts';

const prefix = agentToolName('');
const usage = { input_tokens: 1, output_tokens: 1 };

export const claudeWire: ModelWire = {
  isRequest: (path) => path.startsWith('/v1/messages') && !path.includes('count_tokens'),
  read(body) {
    const { tools, messages } = modelRequest.parse(body);
    const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
    return {
      tools: tools.flatMap(({ name }) => (name.startsWith(prefix) ? [shortToolName(name)] : [])),
      results: blocks.flatMap((block) => (block.type === 'tool_result' ? [textOf(block.content)] : [])),
    };
  },
  say(step, turn, words) {
    const [id, name] = [`toolu_${turn}`, agentToolName(step?.tool ?? '')];
    const start = step ? { type: 'tool_use', id, name, input: {} } : { type: 'text', text: '' };
    const delta = step
      ? { type: 'input_json_delta', partial_json: JSON.stringify(step.input) }
      : { type: 'text_delta', text: words };
    const message = { id: `msg_${turn}`, type: 'message', role: 'assistant', model: 'stand-in', content: [], usage };
    return [
      { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
      { type: 'content_block_start', index: 0, content_block: start },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: step ? 'tool_use' : 'end_turn', stop_sequence: null }, usage },
      { type: 'message_stop' },
    ];
  },
};
