/** The part of the Messages API that an agent needs: what it asks, and an answer as a stream of events. */

import type { ServerResponse } from 'node:http';
import * as z from 'zod';

const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  tool_use_id: z.string().optional(),
  is_error: z.boolean().optional(),
  content: z.unknown().optional(),
});

export const modelRequest = z.looseObject({
  model: z.string(),
  stream: z.boolean().optional(),
  system: z.unknown().optional(),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
  messages: z.array(z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(block)]) })),
});

export type ModelRequest = z.infer<typeof modelRequest>;

/** A turn of the model: words, or a tool use. */
export type Saying =
  | { readonly text: string }
  | { readonly id: string; readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

/** Streams one message, in the order and under the names of the API. */
export function streamMessage(response: ServerResponse, id: string, model: string, saying: Saying): void {
  const emit = (type: string, more: object = {}) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  const isText = 'text' in saying;
  const start = isText ? { type: 'text', text: '' } : { type: 'tool_use', id: saying.id, name: saying.tool, input: {} };
  const delta = isText
    ? { type: 'text_delta', text: saying.text }
    : { type: 'input_json_delta', partial_json: JSON.stringify(saying.input) };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage };
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  emit('message_start', { message: { ...message, stop_sequence: null } });
  emit('content_block_start', { index: 0, content_block: start });
  emit('content_block_delta', { index: 0, delta });
  emit('content_block_stop', { index: 0 });
  const stop_reason = isText ? 'end_turn' : 'tool_use';
  emit('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } });
  emit('message_stop');
  response.end();
}

/** The text of a content, whether it came as a string or as blocks. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks = z.array(block).safeParse(content);
  return blocks.success ? blocks.data.map((item) => item.text ?? `[${item.type}]`).join('\n') : '';
}

/** Everything that stands in the messages of a request as text, results of tools left out. */
export function messageText(request: ModelRequest): string {
  return request.messages.map(({ content }) => textOf(content)).join('\n');
}
