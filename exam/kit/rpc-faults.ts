/** Checks that something is a message of JSON-RPC 2.0, by the letter of it. */

import type { Dict } from './agent-requests.ts';

/** The fault of a message; undefined if there is none. */
export function messageFault(message: unknown): string | undefined {
  if (!isDict(message)) return 'it is no object';
  if (message.jsonrpc !== '2.0') return '"jsonrpc" is not "2.0"';
  return message.method === undefined ? answerFault(message) : requestFault(message);
}

/** The same for the answer to a request. */
export function answerFault(message: Dict): string | undefined {
  const { id, result, error } = message;
  if (message.method !== undefined) return 'it is no answer';
  if (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number') return 'its id is none';
  if ('result' in message === 'error' in message) return 'it has both a result and an error, or neither';
  if (!('error' in message)) return isDict(result) ? undefined : 'its result is no object';
  if (!isDict(error)) return 'its error is no object';
  return Number.isSafeInteger(error.code) && typeof error.message === 'string' ? undefined : 'its error is malformed';
}

function requestFault({ method, id, params }: Dict): string | undefined {
  if (typeof method !== 'string') return 'its method is no string';
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number') return 'its id is none';
  return params === undefined || isDict(params) ? undefined : 'its params are no object';
}

export function isDict(value: unknown): value is Dict {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
