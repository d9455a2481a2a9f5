/** The HTTP part that both HTTP transports share: listening on loopback, guards, the status script, event streams. */

import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { http } from '../../src/base/node-http.ts';
import type { BreakOff, Outlet } from './conversation.ts';
import { CODES, errorResponse, jsonOf, type Message, parseMessage, RpcFailure } from './rpc.ts';
import type { ServerState } from './server-state.ts';
import type { Settings, StatusStep } from './spec.ts';

/** One HTTP request with its body read, and the response to fill. */
export interface Exchange {
  readonly httpMethod: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as a message; undefined when it is not one. */
  readonly message: Message | undefined;
  /** The body as it came. */
  readonly text: string;
  readonly response: ServerResponse;
}

/** Where a server listens, and how it stops. */
export interface Listening {
  readonly url: string;
  /** Frees the port and drops every connection. */
  close(): Promise<void>;
}

/** Far above the pauses within a test, and below the time that a look for leaks waits. */
const keepAliveMs = 20_000;

/** Listens on loopback for one server. */
export async function listen(server: ServerState, path: string, onRequest: RequestListener): Promise<Listening> {
  const { origin, close } = await listenAt(server.settings.port, onRequest);
  const url = `${origin}${path}`;
  server.journal.write('listening', { url });
  return { url, close };
}

/** Listens at a port of loopback; 0 is any that is free. */
export async function listenAt(
  port: number,
  onRequest: RequestListener,
): Promise<{ readonly origin: string; readonly listener: Server; close(): Promise<void> }> {
  const listener = http.createServer(onRequest);
  // Closed while it is being used again, a connection would fail a call on a busy machine.
  listener.keepAliveTimeout = keepAliveMs;
  await new Promise<void>((resolve) => listener.listen(port, '127.0.0.1', resolve));
  const close = async () => {
    if (!listener.listening) return;
    const closed = once(listener, 'close');
    listener.close();
    listener.closeAllConnections();
    await closed;
  };
  return { origin: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`, listener, close };
}

/** Reads requests, and hands those that pass to `route`. */
export function answering(server: ServerState, route: (exchange: Exchange) => void): RequestListener {
  const nextStatus = statusScript(server.settings.modes.httpStatus ?? []);
  return async (request, response) => {
    // A client that leaves in the middle of an answer is no reason to die.
    response.on('error', () => {});
    const exchange = await readExchange(request, response).catch(() => undefined);
    // The client went away in the middle of its own request.
    if (exchange === undefined) return;
    const { httpMethod, url, headers, message } = exchange;
    server.journal.write('http', { httpMethod, path: url.pathname, headers, rpc: message?.method });
    if (server.settings.modes.journalRaw === true && message) server.journal.write('raw', { text: exchange.text });
    try {
      checkSender(server.settings, headers);
      const step = nextStatus(exchange);
      if (step === undefined) return route(exchange);
      server.journal.write('http-status', { status: step.status, rpc: message?.method });
      response.writeHead(step.status, { 'Content-Type': 'text/plain', ...step.headers }).end(step.body ?? '');
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      response.writeHead(error.httpStatus, { 'Content-Type': 'application/json', ...error.headers });
      response.end(JSON.stringify(errorResponse(message?.id, error)));
    }
  };
}

/** Thrown when a request is turned away before it reaches the protocol. */
export class Refusal extends RpcFailure {
  readonly headers: Readonly<Record<string, string>>;

  constructor(httpStatus: number, message: string, options: { code?: number; headers?: Record<string, string> } = {}) {
    super(options.code ?? CODES.legacyServerError, message, { httpStatus });
    this.headers = options.headers ?? {};
  }
}

export function openStream(response: ServerResponse): void {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-cache, no-transform',
    'X-Accel-Buffering': 'no',
  });
  // A comment, which every reader has to skip.
  response.write(': open\n\n');
}

export function events(messages: readonly Message[]): string {
  return messages.map((message) => `event: message\ndata: ${jsonOf(message)}\n\n`).join('');
}

/** Ends a stream in the way a fault asks for, with as much of the messages as that way lets out. */
export function breakStream(response: ServerResponse, messages: readonly Message[], how: BreakOff): void {
  if (how === 'end') response.end();
  else if (how === 'destroy') response.destroy();
  else {
    const bytes = events(messages);
    response.end(bytes.slice(0, bytes.length / 2));
  }
}

/** The answer to one POST: a JSON object when the result is all there is to say, an event stream otherwise. */
export function postOutlet(response: ServerResponse, responses: 'auto' | 'sse'): Outlet {
  const stream = () => {
    if (!response.headersSent) openStream(response);
  };
  return {
    send: (messages) => {
      stream();
      response.write(events(messages));
    },
    finish: (messages, httpStatus = 200) => {
      const [only] = messages;
      const isPlain = only !== undefined && messages.length === 1 && (responses === 'auto' || httpStatus !== 200);
      if (!response.headersSent && isPlain) {
        response.writeHead(httpStatus, { 'Content-Type': 'application/json' }).end(jsonOf(only));
        return;
      }
      stream();
      response.end(events(messages));
    },
    abandon: () => {
      stream();
      response.end();
    },
    breakOff: (messages, how) => {
      stream();
      breakStream(response, messages, how);
    },
    pour: async (chunks) => {
      if (responses === 'sse') {
        openStream(response);
        response.write('data: ');
      } else response.writeHead(200, { 'Content-Type': 'application/json' });
      for await (const chunk of chunks) {
        if (response.destroyed) return;
        if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      }
      response.end(responses === 'sse' ? '\n\n' : '');
    },
  };
}

async function readExchange(request: IncomingMessage, response: ServerResponse): Promise<Exchange> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return {
    httpMethod: request.method ?? 'GET',
    url: new URL(request.url ?? '/', 'http://127.0.0.1'),
    headers,
    message: chunks.length === 0 ? undefined : parseMessage(text),
    text,
    response,
  };
}

function checkSender({ bearer }: Settings, headers: Exchange['headers']): void {
  if (!isLoopback(headers.origin)) throw new Refusal(403, 'The origin is not allowed.');
  if (bearer === undefined || headers.authorization === `Bearer ${bearer}`) return;
  throw new Refusal(401, 'Unauthorized.', { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } });
}

function isLoopback(origin: string | undefined): boolean {
  if (origin === undefined) return true;
  return URL.canParse(origin) && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(origin).hostname);
}

/** Walks the script, one POST at a time; undefined lets the request through. */
function statusScript(script: readonly StatusStep[]): (exchange: Exchange) => StatusStep | undefined {
  let position = 0;
  let used = 0;
  return ({ httpMethod, message }) => {
    const step = script[position];
    const isMeant = httpMethod === 'POST' && (step?.rpc === undefined || step.rpc === message?.method);
    if (step === undefined || !isMeant) return undefined;
    used += 1;
    if (step.times !== 'always' && used >= (step.times ?? 1)) {
      position += 1;
      used = 0;
    }
    return step.status === 200 ? undefined : step;
  };
}
