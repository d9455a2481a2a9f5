/** A language model behind the API of a service: one question, one answer, in the dialect that the service speaks. */

import { type Clock, sleep } from '../base/clock.ts';
import { GatewayError } from '../base/errors.ts';
import { isObject, type JsonObject } from '../base/json.ts';
import {
  keyFrom,
  PostError,
  postJson,
  postTrouble,
  type Recipient,
  recipientName,
  type Surroundings,
  urlBelow,
} from '../base/post-json.ts';
import { leastSecretChars, mask } from '../base/redact.ts';
import type { Config } from '../config/config.ts';

export type ModelSettings = Pick<Config['llm'], 'provider' | 'model' | 'baseUrl' | 'apiKeyEnv' | 'timeoutMs'>;

/** A tool that the model may say it would call; nothing is called here. */
export interface OfferedTool {
  /** At most 64 letters, digits, `_` and `-`, which every service takes. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

export interface ModelQuestion {
  readonly system: string;
  readonly text: string;
  readonly tools?: readonly OfferedTool[] | undefined;
  /** Of the answer; services whose models refuse such a limit are not sent it. */
  readonly maxTokens: number;
}

export interface ModelAnswer {
  readonly text: string;
  /** `arguments` are null where the model wrote something that is no JSON object. */
  readonly calls: readonly { readonly name: string; readonly arguments: JsonObject | null }[];
  /** `cut`: it reached a limit of tokens. `refused`: the model or its service declined. */
  readonly ended: 'whole' | 'cut' | 'refused';
  /** Of question and answer, as the service counts them; 0 where it does not say. */
  readonly tokens: number;
}

const largestAnswerBytes = 1_048_576;
/** After a failure that may pass. A service that wants a longer wait is not waited for. */
const retryWaitsMs = [1_000, 2_000, 4_000] as const;
const longestRetryWaitMs = 30_000;

/** Throws MODEL_FAILED when there is no usable answer, or the signal's reason. */
export type AskModel = (question: ModelQuestion, signal: AbortSignal) => Promise<ModelAnswer>;

/** Throws MODEL_FAILED where a setting or the key is missing. */
export function modelOf(settings: ModelSettings, { env, clock, privateHosts }: Surroundings): AskModel {
  const { recipient, bodyOf, read } = dialectOf(settings, env);
  return async (question, signal) => {
    const limits = { clock, signal, timeoutMs: settings.timeoutMs, maxBytes: largestAnswerBytes, privateHosts };
    const answer = await postJson(recipient, bodyOf(question), limits).catch((error) => {
      throw postTrouble(error, 'MODEL_FAILED');
    });
    const said = isObject(answer) ? read(withoutKey(answer, recipient.key)) : null;
    if (said) return said;
    throw new GatewayError('MODEL_FAILED', `${recipientName(recipient)} gave an answer that has no message.`, {
      hint: 'Check "llm.provider" and "llm.baseUrl".',
      data: { reason: 'malformed' },
    });
  };
}

/** For work that can wait: retries temporary failures and unusable answers, such as those that were cut off. */
export function withRetries(
  ask: AskModel,
  clock: Clock,
  isUseful: (answer: ModelAnswer) => boolean = ({ ended }) => ended !== 'cut',
): AskModel {
  return async (question, signal) => {
    for (const waitMs of retryWaitsMs) {
      const tried = await ask(question, signal).catch((error: unknown) => ({ error }));
      signal.throwIfAborted();
      const failed = 'error' in tried ? tried.error : undefined;
      if (!('error' in tried) && isUseful(tried)) return tried;
      const asked = failed === undefined ? 0 : retryAfterMs(failed);
      if (asked === null || asked > longestRetryWaitMs) throw failed;
      await sleep(clock, Math.max(waitMs, asked), signal);
    }
    return ask(question, signal);
  };
}

/** How long to wait at least before another try; null where another try would fail as well. */
function retryAfterMs(error: unknown): number | null {
  if (!(error instanceof GatewayError)) return null;
  const { cause } = error;
  if (!(cause instanceof PostError)) return error.data?.reason === 'malformed' ? 0 : null;
  const mayPass =
    cause.kind === 'status'
      ? cause.status === 408 || cause.status === 429 || cause.status >= 500
      : ['unreachable', 'timeout', 'not-json'].includes(cause.kind);
  return mayPass ? (cause.retryAfterMs ?? 0) : null;
}

interface Dialect {
  readonly recipient: Recipient;
  bodyOf(question: ModelQuestion): unknown;
  /** null where the answer holds no message. */
  read(answer: Readonly<Record<string, unknown>>): ModelAnswer | null;
}

function dialectOf(settings: ModelSettings, env: NodeJS.ProcessEnv): Dialect {
  const { provider, model } = settings;
  if (provider !== 'openai-compatible' && provider !== 'anthropic') {
    const what =
      provider === null
        ? '"llm.provider" is not set'
        : `"llm.provider" is "${provider}", which the gateway cannot call itself`;
    throw new GatewayError('MODEL_FAILED', `Can't ask a language model: ${what}.`, {
      hint: 'Set "llm.provider" to "openai-compatible" or "anthropic".',
    });
  }
  if (model === null) {
    throw new GatewayError('MODEL_FAILED', 'Can\'t ask a language model: "llm.model" is not set.', {
      hint: 'Name a model of the service in "llm.model".',
    });
  }
  return (provider === 'anthropic' ? anthropicDialect : openaiDialect)(settings, model, env);
}

function openaiDialect(settings: ModelSettings, model: string, env: NodeJS.ProcessEnv): Dialect {
  const url = urlBelow(settings.baseUrl ?? 'https://api.openai.com/v1', 'chat/completions');
  return {
    recipient: recipientFor(settings, url, 'OPENAI_API_KEY', env),
    bodyOf({ system, text, tools }) {
      const messages = [
        { role: 'system', content: system },
        { role: 'user', content: text },
      ];
      const offered = tools?.map(({ name, description, inputSchema }) => ({
        type: 'function',
        function: { name, description, parameters: inputSchema },
      }));
      // Neither a temperature nor a limit: each is refused by some models of services that share this API.
      return { model, messages, ...(offered ? { tools: offered } : {}) };
    },
    read({ choices, usage }) {
      const choice = Array.isArray(choices) ? choices[0] : undefined;
      if (!isObject(choice) || !isObject(choice.message)) return null;
      const { content, tool_calls: called, refusal } = choice.message;
      const functions = (Array.isArray(called) ? called : []).map((call) => (isObject(call) ? call.function : null));
      const isRefusal = choice.finish_reason === 'content_filter' || typeof refusal === 'string';
      return {
        text: textOf(content),
        calls: functions
          .filter(isObject)
          .map((call) => ({ name: `${call.name}`, arguments: objectIn(call.arguments) })),
        ended: isRefusal ? 'refused' : choice.finish_reason === 'length' ? 'cut' : 'whole',
        tokens: tokensIn(usage, ['prompt_tokens', 'completion_tokens']),
      };
    },
  };
}

function anthropicDialect(settings: ModelSettings, model: string, env: NodeJS.ProcessEnv): Dialect {
  const url = urlBelow(settings.baseUrl ?? 'https://api.anthropic.com', 'v1/messages');
  const recipient = recipientFor(settings, url, 'ANTHROPIC_API_KEY', env);
  const counted = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'];
  return {
    recipient: { ...recipient, keyHeader: 'x-api-key', headers: { 'anthropic-version': '2023-06-01' } },
    bodyOf({ system, text, tools, maxTokens }) {
      const messages = [{ role: 'user', content: text }];
      const offered = tools?.map(({ name, description, inputSchema }) => ({
        ...{ name, description },
        input_schema: inputSchema,
      }));
      return { model, max_tokens: maxTokens, system, messages, ...(offered ? { tools: offered } : {}) };
    },
    read({ content, stop_reason: reason, usage }) {
      if (!Array.isArray(content)) return null;
      const used = content.filter(isObject).filter(({ type }) => type === 'tool_use');
      return {
        text: textOf(content),
        calls: used.map(({ name, input }) => ({ name: `${name}`, arguments: objectIn(input) })),
        ended: reason === 'refusal' ? 'refused' : reason === 'max_tokens' ? 'cut' : 'whole',
        tokens: tokensIn(usage, counted),
      };
    },
  };
}

/** The text of a content, whether it came as a string, a block or blocks. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  return blocks.flatMap((block) => (isObject(block) && typeof block.text === 'string' ? [block.text] : [])).join('\n');
}

/** Removes the key from an answer: a service may repeat it, and answers are stored. */
function withoutKey(answer: Record<string, unknown>, key = ''): Record<string, unknown> {
  if (key.length < leastSecretChars) return answer;
  const hide = (_: string, value: unknown) => (typeof value === 'string' ? value.replaceAll(key, mask) : value);
  return JSON.parse(JSON.stringify(answer), hide) as Record<string, unknown>; // it was one
}

/** Arguments come as an object or as its JSON; none are an empty object. */
function objectIn(given: unknown): JsonObject | null {
  if (given === undefined || given === null || given === '') return {};
  if (typeof given !== 'string') return isObject(given) ? (given as JsonObject) : null; // it came as JSON
  try {
    const value: unknown = JSON.parse(given);
    return isObject(value) ? (value as JsonObject) : null; // it came as JSON
  } catch {
    return null;
  }
}

/** The sum of some counts; those that are missing or strange count as 0. */
export function tokensIn(usage: unknown, names: readonly string[]): number {
  const counts = isObject(usage) ? names.map((name) => usage[name]) : [];
  return counts.reduce<number>((sum, count) => sum + (typeof count === 'number' && count > 0 ? count : 0), 0);
}

/** A key is wanted where one is named, and by the usual address, whose usual variable is never sent anywhere else. */
function recipientFor(settings: ModelSettings, url: URL, usualEnv: string, env: NodeJS.ProcessEnv): Recipient {
  const keyEnv = settings.apiKeyEnv ?? (settings.baseUrl === null ? usualEnv : undefined);
  const key = keyFrom(env, keyEnv ?? null);
  const recipient = { name: 'The language model', url, setting: 'llm.baseUrl', keyEnv, key };
  if (keyEnv === undefined || key !== undefined) return recipient;
  throw new GatewayError('MODEL_FAILED', `${recipientName(recipient)} needs a key, but ${keyEnv} is not set.`, {
    hint: `Put the key into the environment variable ${keyEnv}, or name another in "llm.apiKeyEnv".`,
  });
}
