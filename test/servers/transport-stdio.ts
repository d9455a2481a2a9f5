/** Serves one client over standard input and output, one JSON message per line. */

import { Conversation, type Outlet } from './conversation.ts';
import { endOfInput } from './faults.ts';
import { receive } from './receive.ts';
import { META, type Message, metaOf, parseMessage } from './rpc.ts';
import type { ServerState } from './server-state.ts';
import type { Era } from './spec.ts';
import type { StdioWriter } from './stdio-writer.ts';

export function serveStdio(server: ServerState, writer: StdioWriter): void {
  const tap = pourable((messages) => writer.send(messages));
  const outlet: Outlet = {
    send: tap.send,
    finish: tap.send,
    abandon: () => {},
    breakOff: (messages) => {
      writer.sendHalf(messages);
      writer.flush();
      server.crash('halfJsonThenExit');
    },
    pour: tap.pour,
  };
  const conversationFor = pipeConversations(server, (messages) => writer.send(messages));
  // A client that is gone cannot read; what happens next is decided by the end of input, not by this.
  process.stdout.on('error', () => {});
  readLines(
    (text) => {
      if (server.settings.modes.journalRaw === true) server.journal.write('raw', { text });
      const message = parseMessage(text);
      if (message === undefined) return server.journal.write('unparsable', { bytes: text.length });
      void receive(server, conversationFor(message), message, outlet);
    },
    () => endOfInput(server, () => writer.flush()),
  );
}

/** One line at a time: while bytes are poured, messages wait for their turn. */
function pourable(send: Outlet['send']): Pick<Outlet, 'send' | 'pour'> {
  const waiting: (() => void)[] = [];
  let isPouring = false;
  return {
    send: (messages) => {
      if (isPouring) waiting.push(() => send(messages));
      else send(messages);
    },
    pour: async (chunks) => {
      while (isPouring) await new Promise<void>((resolve) => waiting.push(resolve));
      isPouring = true;
      for await (const chunk of chunks) {
        // A pipe is written to at once; the turn in between lets the server hear that nobody wants more.
        process.stdout.write(chunk);
        await new Promise((resolve) => setImmediate(resolve));
      }
      isPouring = false;
      for (const next of waiting.splice(0)) next();
    },
  };
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
