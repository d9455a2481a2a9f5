/** The legacy half of Streamable HTTP: sessions with their ids, the GET stream, DELETE, and the loss of them all. */

import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Conversation, NO_OUTLET } from './conversation.ts';
import { legacyVersions } from './handlers-legacy.ts';
import { type Exchange, events, openStream, postOutlet, Refusal } from './http-front.ts';
import { receive } from './receive.ts';
import { CODES, type Message } from './rpc.ts';
import type { ServerState } from './server-state.ts';
import { strikes } from './spec.ts';

/** Notifications wait for the GET stream, but not without limit. */
const BACKLOG_LIMIT = 1000;

interface Session {
  readonly id: string;
  readonly conversation: Conversation;
  readonly backlog: Message[];
  stream: ServerResponse | undefined;
}

export class LegacySessions {
  readonly #server: ServerState;
  readonly #sessions = new Map<string, Session>();
  #requests = 0;
  #hasLost = false;

  constructor(server: ServerState) {
    this.#server = server;
  }

  post(exchange: Exchange, message: Message): void {
    const { response, headers } = exchange;
    const session = message.method === 'initialize' ? this.#open(response) : this.#find(exchange, message);
    const isRequest = message.id !== undefined && message.method !== undefined;
    if (!isRequest) response.writeHead(202).end();
    const outlet = isRequest ? postOutlet(response, this.#server.settings.responses) : NO_OUTLET;
    // A closed stream is no cancellation in this era: the call goes on and its answer is lost.
    void receive(this.#server, session.conversation, message, outlet, headers);
  }

  /** GET opens the stream for messages that answer nothing, DELETE ends the session. */
  handle(exchange: Exchange): void {
    const session = this.#find(exchange, undefined);
    if (exchange.httpMethod === 'DELETE') {
      this.#close(session, 'session-closed');
      exchange.response.writeHead(200).end();
      return;
    }
    if (session.stream !== undefined) throw new Refusal(409, 'The session has a stream already.');
    openStream(exchange.response);
    session.stream = exchange.response;
    exchange.response.write(events(session.backlog.splice(0)));
    exchange.response.on('close', () => {
      session.stream = undefined;
    });
  }

  #open(response: ServerResponse): Session {
    const id = randomUUID();
    const backlog: Message[] = [];
    const push = (messages: readonly Message[]) => {
      if (session.stream !== undefined) session.stream.write(events(messages));
      else if (backlog.length < BACKLOG_LIMIT) backlog.push(...messages);
    };
    const conversation = new Conversation('legacy', this.#server.journal, push);
    const session: Session = { id, conversation, backlog, stream: undefined };
    this.#sessions.set(id, session);
    this.#server.conversations.add(conversation);
    this.#server.journal.write('session-opened', { session: id });
    response.setHeader('Mcp-Session-Id', id);
    return session;
  }

  #find({ headers }: Exchange, message: Message | undefined): Session {
    const id = headers['mcp-session-id'];
    const version = headers['mcp-protocol-version'];
    if (version !== undefined && !legacyVersions(this.#server.settings).includes(version)) {
      throw new Refusal(400, `Unsupported protocol version: ${version}`);
    }
    if (id === undefined) throw new Refusal(400, 'The Mcp-Session-Id header is missing.');
    if (message !== undefined && this.#sessions.has(id)) this.#countTowardsLoss();
    const session = this.#sessions.get(id);
    if (session === undefined) throw new Refusal(404, 'Session not found.', { code: CODES.legacySessionNotFound });
    return session;
  }

  /** Forgets every session once, as a restart would. */
  #countTowardsLoss(): void {
    const isDue = strikes(this.#server.settings.modes.sessionLossAfter, this.#requests++);
    if (!isDue || this.#hasLost) return;
    this.#hasLost = true;
    for (const session of [...this.#sessions.values()]) this.#close(session, 'session-lost');
  }

  #close(session: Session, event: 'session-closed' | 'session-lost'): void {
    this.#sessions.delete(session.id);
    this.#server.conversations.delete(session.conversation);
    session.conversation.close(event);
    session.stream?.end();
    this.#server.journal.write(event, { session: session.id });
  }
}
