/** Members of a message that pass for ones the protocol knows: a server that folds case would read what no check has seen. */

import { isObject } from '../base/json.ts';
import { foldName } from '../base/text.ts';
import { type RpcErrorBody, rpcCodes } from './messages.ts';

const envelope = byFold('jsonrpc', 'id', 'method', 'params', 'result', 'error');

/** Those of every method: a server may read any of them. */
const params = byFold(
  ...['_meta', 'name', 'arguments', 'requestState', 'inputResponses', 'task', 'taskId', 'uri', 'cursor', 'ref'],
  ...['argument', 'context', 'level', 'protocolVersion', 'capabilities', 'clientInfo', 'notifications'],
  ...['requestId', 'reason', 'progressToken', 'progress', 'total', 'message'],
);

function byFold(...names: readonly string[]): ReadonlyMap<string, string> {
  return new Map(names.map((name) => [foldName(name), name]));
}

/** The error for a message with such a member in its envelope or its `params`; undefined where every name is plain. */
export function foldedFault(message: unknown): RpcErrorBody | undefined {
  if (!isObject(message)) return undefined;
  const inEnvelope = foldedMember(message, envelope);
  if (inEnvelope !== undefined) return { code: rpcCodes.invalidRequest, message: `The message has ${inEnvelope}` };
  const inParams = isObject(message.params) ? foldedMember(message.params, params) : undefined;
  return inParams === undefined
    ? undefined
    : { code: rpcCodes.invalidParams, message: `The "params" have ${inParams}` };
}

/** The mistake, as the end of a sentence with advice. */
function foldedMember(members: object, known: ReadonlyMap<string, string>): string | undefined {
  for (const written of Object.keys(members)) {
    const meant = known.get(foldName(written));
    if (meant === undefined || meant === written) continue;
    return `a member ${JSON.stringify(written)}, which differs from "${meant}" only in case or Unicode form. Write it as "${meant}", or leave it out.`;
  }
  return undefined;
}
