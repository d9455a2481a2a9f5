/** Serves the HTTP+SSE transport of 2024-11-05: GET /sse opens the stream, messages come by POST /messages. */

import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Conversation, type Outlet } from './conversation.ts';
import {
  answering,
  breakStream,
  type Exchange,
  events,
  type Listening,
  listen,
  openStream,
  Refusal,
} from './http-front.ts';
import { receive } from './receive.ts';
import { CODES } from './rpc.ts';
import type { ServerState } from './server-state.ts';

interface Peer {
  readonly conversation: Conversation;
  readonly outlet: Outlet;
}

export async function serveSse(server: ServerState): Promise<Listening> {
  const peers = new Map<string, Peer>();
  const onRequest = answering(server, (exchange) => {
    const route = `${exchange.httpMethod} ${exchange.url.pathname}`;
    if (route === 'GET /sse') return openPeer(server, peers, exchange.response);
    if (route === 'POST /messages') return post(server, peers, exchange);
    const isPath = exchange.url.pathname === '/sse' || exchange.url.pathname === '/messages';
    throw isPath ? new Refusal(405, 'Method not allowed.') : new Refusal(404, 'Not found.');
  });
  return listen(server, '/sse', onRequest);
}

function openPeer(server: ServerState, peers: Map<string, Peer>, stream: ServerResponse): void {
  const id = randomUUID();
  const send = (messages: Parameters<Outlet['send']>[0]) => void stream.write(events(messages));
  const outlet: Outlet = {
    send,
    finish: send,
    abandon: () => {},
    breakOff: (messages, how) => breakStream(stream, messages, how),
    pour: async () => {
      throw new Error('Bytes that are no message do not fit into the events of this transport.');
    },
  };
  const conversation = new Conversation('legacy', server.journal, send);
  peers.set(id, { conversation, outlet });
  server.conversations.add(conversation);
  server.journal.write('session-opened', { session: id });
  openStream(stream);
  stream.write(`event: endpoint\ndata: /messages?sessionId=${id}\n\n`);
  stream.on('close', () => {
    peers.delete(id);
    server.conversations.delete(conversation);
    conversation.close('stream closed');
    server.journal.write('session-closed', { session: id });
  });
}

function post(server: ServerState, peers: Map<string, Peer>, exchange: Exchange): void {
  const { message, response, headers } = exchange;
  const peer = peers.get(exchange.url.searchParams.get('sessionId') ?? '');
  if (peer === undefined) throw new Refusal(404, 'Session not found.');
  if (message === undefined) throw new Refusal(400, 'The body is not a JSON object.', { code: CODES.parseError });
  response.writeHead(202).end('Accepted');
  void receive(server, peer.conversation, message, peer.outlet, headers);
}
