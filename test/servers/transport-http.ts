/** Serves Streamable HTTP at /mcp: each POST goes to its era, GET and DELETE to the legacy sessions. */

import type { RequestListener } from 'node:http';
import { Conversation, NO_OUTLET } from './conversation.ts';
import { answering, type Exchange, type Listening, listen, postOutlet, Refusal } from './http-front.ts';
import { LegacySessions } from './http-sessions.ts';
import { noteDiscover, receive } from './receive.ts';
import { CODES, META, type Message, metaOf } from './rpc.ts';
import type { ServerState } from './server-state.ts';
import type { Era } from './spec.ts';

export async function serveHttp(server: ServerState): Promise<Listening> {
  return listen(server, '/mcp', answeringHttp(server));
}

/** Answers requests to one server, wherever they are listened for. */
export function answeringHttp(server: ServerState): RequestListener {
  const sessions = new LegacySessions(server);
  return answering(server, (exchange) => {
    const { httpMethod, url } = exchange;
    if (url.pathname !== '/mcp') throw new Refusal(404, 'Not found.');
    if (httpMethod === 'POST') return post(server, sessions, exchange);
    const isSessional = server.settings.era !== 'modern' && (httpMethod === 'GET' || httpMethod === 'DELETE');
    if (!isSessional) throw new Refusal(405, 'Method not allowed.', { headers: { Allow: 'POST' } });
    sessions.handle(exchange);
  });
}

function post(server: ServerState, sessions: LegacySessions, exchange: Exchange): void {
  const { message, headers } = exchange;
  if (message === undefined) throw new Refusal(400, 'The body is not a JSON object.', { code: CODES.parseError });
  if (!headers['content-type']?.startsWith('application/json')) throw new Refusal(415, 'Send application/json.');
  const { accept = '' } = headers;
  const isAcceptable = ['application/json', 'text/event-stream'].every((type) => accept.includes(type));
  if (!isAcceptable && !accept.includes('*/*')) throw new Refusal(406, 'Accept both JSON and event streams.');
  const isModern = eraOf(server, message, headers['mcp-protocol-version']) === 'modern';
  // A legacy server meets a probe without ever having seen its sender.
  if (!isModern && message.method === 'server/discover' && noteDiscover(server)) return;
  if (isModern) postModern(server, exchange, message);
  else sessions.post(exchange, message);
}

function postModern(server: ServerState, exchange: Exchange, message: Message): void {
  const { response, headers } = exchange;
  const conversation = new Conversation('modern', server.journal, () => {});
  if (message.method === undefined) {
    throw new Refusal(400, 'Responses are not accepted.', { code: CODES.invalidRequest });
  }
  if (message.id === undefined) {
    response.writeHead(202).end();
    void receive(server, conversation, message, NO_OUTLET, headers);
    return;
  }
  // Closing the stream is how a modern client cancels.
  response.on('close', () => conversation.close('stream closed'));
  void receive(server, conversation, message, postOutlet(response, server.settings.responses), headers);
}

function eraOf(server: ServerState, message: Message, versionHeader: string | undefined): Era {
  const { era } = server.settings;
  if (era !== 'dual') return era;
  if (metaOf(message)[META.protocolVersion] !== undefined) return 'modern';
  return (versionHeader ?? '') >= '2026' && message.method !== 'initialize' ? 'modern' : 'legacy';
}
