/** The one way in: takes a message from any transport, has it answered in its era, and lets the call faults strike. */

import { Call, type Incoming, InputRequired, UNANSWERED } from './call.ts';
import { type BreakOff, type Conversation, NO_OUTLET, type Outlet } from './conversation.ts';
import { answerLegacy, noticeLegacy } from './handlers-legacy.ts';
import { answerModern, complete } from './handlers-modern.ts';
import { CODES, type Dict, errorResponse, isDict, type Message, metaOf, RpcFailure, resultResponse } from './rpc.ts';
import type { ServerState } from './server-state.ts';
import { strikes } from './spec.ts';

export async function receive(
  server: ServerState,
  conversation: Conversation,
  message: Message,
  outlet: Outlet = NO_OUTLET,
  headers?: Incoming['headers'],
): Promise<void> {
  const { id, method } = message;
  if (method === undefined) return conversation.settle(message);
  server.journal.write('message', { method, id, era: conversation.era, meta: metaOf(message) });
  if (id === undefined) return notice(server, conversation, message);
  if (method === 'server/discover' && noteDiscover(server)) return;
  if (method.endsWith('/list')) server.journal.write('list', { method, cursor: message.params?.cursor });
  await answer(new Call(server, conversation, outlet, { message: { ...message, id, method }, headers }));
}

/** Journals a discover request in any case, and returns true if it is to hang. */
export function noteDiscover(server: ServerState): boolean {
  server.journal.write('discover');
  return server.settings.modes.hangAtDiscover === true;
}

function notice(server: ServerState, conversation: Conversation, message: Message): void {
  const { requestId } = isDict(message.params) ? message.params : {};
  const isId = typeof requestId === 'string' || typeof requestId === 'number';
  if (message.method === 'notifications/cancelled' && isId) conversation.cancel(requestId, 'notification');
  else if (conversation.era === 'legacy') noticeLegacy(server, conversation, message);
}

async function answer(call: Call): Promise<void> {
  const { conversation, outlet, id } = call;
  try {
    const result = await (call.isModern ? answerModern(call) : answerLegacy(call));
    if (result === UNANSWERED) return;
    conversation.end(id);
    if (call.signal.aborted && call.server.settings.modes.answerCancelled !== true) return outlet.abandon();
    deliver(call, result);
  } catch (error) {
    conversation.end(id);
    if (call.signal.aborted) return outlet.abandon();
    if (error instanceof InputRequired) {
      const { inputRequests, requestState } = error;
      return outlet.finish([
        resultResponse(id, complete(call, { resultType: 'input_required', inputRequests, requestState })),
      ]);
    }
    const failure = error instanceof RpcFailure ? error : new RpcFailure(CODES.internal, String(error));
    outlet.finish([errorResponse(id, failure)], failure.httpStatus);
  }
}

function deliver(call: Call, result: Dict): void {
  const { server, outlet, id } = call;
  const isOdd = server.settings.modes.oddMessages === true;
  if (isOdd) outlet.send(oddMessages(call));
  const response = resultResponse(id, isOdd ? { ...result, 'x-vendor': { unknown: true } } : result);
  const messages = [...call.attached, response];
  const breakOff = call.method === 'tools/call' ? callFault(server) : undefined;
  if (breakOff !== undefined) return outlet.breakOff(messages, breakOff);
  outlet.finish(messages);
  if (server.settings.modes.doubleReply === true && call.method === 'tools/call') outlet.finish(messages);
}

/** The fault of the answer of a call whose work is done; a crash happens there and then. */
function callFault(server: ServerState): BreakOff | undefined {
  const { crashMidCall, halfJsonThenExit, closeStreamEarly: close } = server.settings.modes;
  const served = server.callsServed++;
  if (strikes(crashMidCall, served)) server.crash('crashMidCall');
  if (strikes(halfJsonThenExit, served)) return 'half';
  if (close === true) return 'end';
  if (typeof close !== 'object') return undefined;
  return served < (close.count ?? Number.POSITIVE_INFINITY) ? (close.how ?? 'end') : undefined;
}

/** Messages that break no rule of JSON-RPC and that few clients have ever seen. */
function oddMessages(call: Call): Message[] {
  const { id } = call;
  const notifications: Message[] = [
    { jsonrpc: '2.0', method: 'notifications/x-test/unheard-of', params: { why: 'not', _meta: {} }, 'x-field': 1 },
    { jsonrpc: '2.0', method: 'notifications/x-test/null', params: null },
  ];
  // The modern era forbids requests from the server.
  if (call.isModern) return [...notifications, resultResponse(`nobody-asked-${id}`, { resultType: 'complete' })];
  return [
    ...notifications,
    resultResponse(`nobody-asked-${id}`, {}),
    { jsonrpc: '2.0', id: `ping-${id}`, method: 'ping' },
  ];
}
