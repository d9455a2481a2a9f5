/** Serves one client over standard input and output, one JSON message per line. */

import { Conversation, type Outlet } from './conversation.ts';
import { endOfInput } from './faults.ts';
import { receive } from './receive.ts';
import { META, type Message, metaOf, parseMessage } from './rpc.ts';
import type { ServerState } from './server-state.ts';
import type { Era } from './spec.ts';
import type { StdioWriter } from './stdio-writer.ts';

export function serveStdio(server: ServerState, writer: StdioWriter): void {
  const outlet: Outlet = {
    send: (messages) => writer.send(messages),
    finish: (messages) => writer.send(messages),
    abandon: () => {},
    breakOff: (messages) => {
      writer.sendHalf(messages);
      writer.flush();
      server.crash('halfJsonThenExit');
    },
  };
  const conversationFor = pipeConversations(server, (messages) => writer.send(messages));
  // A client that is gone cannot read; what happens next is decided by the end of input, not by this.
  process.stdout.on('error', () => {});
  readLines(
    (text) => {
      const message = parseMessage(text);
      if (message === undefined) return server.journal.write('unparsable', { bytes: text.length });
      void receive(server, conversationFor(message), message, outlet);
    },
    () => endOfInput(server, () => writer.flush()),
  );
}

/** Picks the era by the opening message and stays with it; a mere probe with server/discover decides nothing. */
function pipeConversations(server: ServerState, push: (messages: readonly Message[]) => void) {
  const { era } = server.settings;
  const open = (chosen: Era): Conversation => {
    const conversation = new Conversation(chosen, server.journal, push);
    if (chosen === 'legacy') server.conversations.add(conversation);
    return conversation;
  };
  const legacy = open('legacy');
  const modern = open('modern');
  let pinned = era === 'legacy' ? legacy : era === 'modern' ? modern : undefined;
  return (message: Message): Conversation => {
    if (pinned !== undefined) return pinned;
    const chosen = metaOf(message)[META.protocolVersion] === undefined ? legacy : modern;
    if (message.method !== 'server/discover') pinned = chosen;
    return chosen;
  };
}

function readLines(onLine: (text: string) => void, onEnd: () => void): void {
  let held: Buffer[] = [];
  process.stdin.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const text = Buffer.concat([...held, chunk.subarray(start, end)]).toString('utf8');
      held = [];
      start = end + 1;
      if (text.trim() !== '') onLine(text);
    }
    if (start < chunk.length) held.push(chunk.subarray(start));
  });
  process.stdin.on('end', onEnd);
}
