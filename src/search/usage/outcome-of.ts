/** What the end of a call says about the tool: it did its work, it failed, or nothing, because others were at fault. */

import { type ErrorCode, errorCodes, GatewayError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { type Result, RpcError, rpcCodes } from '../../protocol/messages.ts';

export type Outcome = 'good' | 'bad';

/** Trouble that the tool or its server is to blame for. Every other code is about the agent, the owner or us. */
const blamed: ReadonlySet<ErrorCode> = new Set([
  'TOOL_FAILED',
  'TIMEOUT',
  'SERVER_DISCONNECTED',
  // The tool could not be had, although it was offered.
  'SERVER_NOT_RUNNING',
]);

/** Reasons beside such a code that acquit the server: it never got the call, or we came with the wrong credential. */
const acquitting: ReadonlySet<unknown> = new Set(['queue-timeout', 'credential']);

/** Protocol errors that say something about the agent's side, not about the tool. */
const agentsFaults: ReadonlySet<number> = new Set([rpcCodes.invalidParams, rpcCodes.missingCapability]);

/** How official SDKs word a refusal of the arguments inside a result. */
const argumentsRefused = /-32602\b|\binput validation error\b|\bvalidation errors? for \w*arguments\b/i;
/** Where in a result such words are looked for. */
const looked = { blocks: 3, characters: 2_000 };

/** null: it says nothing about the tool. */
export function outcomeOfResult(result: Result): Outcome | null {
  // The call goes on once the agent has answered.
  if (result.resultType === 'input_required') return null;
  if (result.isError !== true) return 'good';
  const code = isObject(result.structuredContent) ? result.structuredContent.errorType : undefined;
  // Trouble that was made into a result, here or by a gateway behind us.
  if (isErrorCode(code)) return outcomeOfCode(code);
  return textsOf(result).some((text) => argumentsRefused.test(text)) ? null : 'bad';
}

/** null: it says nothing about the tool. */
export function outcomeOfError(error: unknown): Outcome | null {
  if (error instanceof RpcError) return outcomeOfRpcError(error);
  // Anything else is an abort or a bug of ours.
  if (!(error instanceof GatewayError)) return null;
  if (error.code === 'TOOL_FAILED' && error.cause instanceof RpcError) return outcomeOfRpcError(error.cause);
  return acquitting.has(error.data?.reason) ? null : outcomeOfCode(error.code);
}

function outcomeOfRpcError({ code, data }: RpcError): Outcome | null {
  if (agentsFaults.has(code)) return null;
  return isObject(data) && data.reason === 'agent-capability' ? null : 'bad';
}

function outcomeOfCode(code: ErrorCode): Outcome | null {
  return blamed.has(code) ? 'bad' : null;
}

function isErrorCode(value: unknown): value is ErrorCode {
  return errorCodes.some((code) => code === value);
}

function textsOf({ content }: Result): string[] {
  const blocks: unknown[] = Array.isArray(content) ? content.slice(0, looked.blocks) : [];
  return blocks.flatMap((block) =>
    isObject(block) && typeof block.text === 'string' ? [block.text.slice(0, looked.characters)] : [],
  );
}
