/** Carries a conversation over standard input and output, one JSON message a line; the end of input is the end of the process. */

import { failure, type RpcMessage, rpcCodes } from '../protocol/messages.ts';
import type { Conversation } from './conversation.ts';

/** A longer message is refused, so that a peer that never ends its line cannot fill the memory. */
const longestLine = 1_048_576;

export function serveStdio(converse: (send: (message: RpcMessage) => void) => Conversation): void {
  const send = (message: RpcMessage) => void process.stdout.write(`${JSON.stringify(message)}\n`);
  const conversation = converse(send);
  // A gateway that is gone cannot read; the end of input, which follows, ends this process.
  process.stdout.on('error', () => {});
  process.stdin.setEncoding('utf8');
  process.stdin.on(
    'data',
    splitLines(
      (line) => conversation.receive(line),
      () => send(failure(null, { code: rpcCodes.invalidRequest, message: 'The message is too long.' })),
    ),
  );
  process.stdin.on('end', () => conversation.close());
}

/** Takes chunks and gives whole lines; a line above the limit is dropped and told once. */
function splitLines(onLine: (line: string) => void, onTooLong: () => void): (chunk: string) => void {
  let held = '';
  let isDropping = false;
  return (chunk) => {
    const lines = chunk.split('\n');
    const last = lines.pop() ?? '';
    for (const piece of lines) {
      const line = held + piece;
      held = '';
      if (!isDropping && line.trim() !== '') onLine(line);
      isDropping = false;
    }
    held = isDropping ? '' : held + last;
    if (held.length <= longestLine) return;
    held = '';
    isDropping = true;
    onTooLong();
  };
}
