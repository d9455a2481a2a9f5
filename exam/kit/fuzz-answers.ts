/** Answers that a hostile server might give, by a grammar; `"$ID"` stands for the id of the call. */

import { type Json, oddString, oddValue, spoil, spoilText } from './fuzz-values.ts';
import type { Random } from './random.ts';

const own = '$ID';
const mostFaults = 3;

/** A result that any agent would take. */
export function goodAnswer(text: string): Json {
  return { jsonrpc: '2.0', id: own, result: { resultType: 'complete', content: [{ type: 'text', text }] } };
}

type Making = (random: Random) => Json;

const strangers: Making = (random) => random.one([-1, 0, 1, 2, 3, 10 ** 9, 0.5, null, 'nobody', '', true, [], {}]);
const makings: readonly Making[] = [
  (random) => ({ jsonrpc: '2.0', id: strangers(random), result: oddValue(random) }),
  (random) => ({ jsonrpc: '2.0', id: strangers(random), error: oddValue(random) }),
  (random) => ({ jsonrpc: '2.0', id: strangers(random), method: oddString(random), params: oddValue(random) }),
  (random) => ({ jsonrpc: '2.0', method: oddString(random), params: oddValue(random) }),
  (random) => ({ jsonrpc: '2.0', id: oddString(random), method: 'ping' }),
  () => ({ jsonrpc: '2.0', id: 'ask', method: 'roots/list', params: {} }),
  (random) => ({ jsonrpc: '2.0', id: oddValue(random), method: 'sampling/createMessage', params: { messages: [] } }),
  (random) => ({ jsonrpc: '2.0', id: 'ask', method: 'elicitation/create', params: { message: oddString(random) } }),
  (random) => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: random.one([own, 0, 1, 'x', null]), progress: oddValue(random), total: 1 },
  }),
  (random) => ({
    jsonrpc: '2.0',
    method: 'notifications/message',
    params: { level: random.one(['info', 'x', 3]), data: oddValue(random) },
  }),
  (random) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: strangers(random) } }),
  (random) => ({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: oddValue(random) } }),
  (random) => ({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: oddValue(random) }),
  (random) => oddValue(random),
  (random) => Array.from({ length: random.whole(0, 3) }, () => oddValue(random)),
];
const answers: readonly Making[] = [
  () => goodAnswer('fuzz'),
  () => ({ jsonrpc: '2.0', id: own, error: { code: -32_000, message: 'no' } }),
  () => ({ jsonrpc: '2.0', id: own, result: { content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] } }),
  () => ({ jsonrpc: '2.0', id: own, result: { content: [], structuredContent: { a: 1 }, isError: true } }),
  () => ({ jsonrpc: '2.0', id: own, result: { resultType: 'input_required', inputRequests: {}, requestState: 'x' } }),
  () => ({ jsonrpc: '2.0', id: own, result: { task: { taskId: 'x', status: 'working', pollInterval: 1 } } }),
];

/** Something that belongs to no question of ours, or that is no message at all. */
export function junk(random: Random): Buffer {
  const message = random.one(makings)(random);
  const what = random.share();
  if (what < 0.2) return spoilText(random, JSON.stringify(message));
  return Buffer.from(JSON.stringify(what < 0.7 ? message : spoil(random, message)));
}

/** Something that looks like the answer, mostly. */
export function oddAnswer(random: Random): Buffer {
  let message = random.one(answers)(random);
  if (random.share() < 0.1) return spoilText(random, JSON.stringify(message));
  for (let left = random.whole(0, mostFaults); left > 0; left -= 1) message = spoil(random, message);
  return Buffer.from(JSON.stringify(message));
}

/** The definition of a tool with something wrong in it, or a very odd one. */
export function oddDefinition(random: Random): Json {
  let tool: Json = {
    name: 'echo',
    title: oddString(random),
    description: oddString(random),
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    annotations: { readOnlyHint: true },
    _meta: {},
  };
  for (let left = random.whole(1, mostFaults); left > 0; left -= 1) tool = spoil(random, tool);
  return tool;
}
