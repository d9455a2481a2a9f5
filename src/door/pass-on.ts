/**
 * Where several gateways share a database, a legacy session and a call that waits for its agent live in one of them. Their ids name
 * it, and a request that reaches another one is passed on as it is. So a balancer may send any request anywhere.
 */

import { timingSafeEqual } from 'node:crypto';
import type {
  ClientRequest,
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import { isStoreAway } from '../base/errors.ts';
import { replicaOf } from '../base/ids.ts';
import { http, loadHttps } from '../base/node-http.ts';
import { Signal } from '../base/signal.ts';
import { HttpError, isResponseOpen, onceClosed } from './exchange.ts';
import { isPassedOn, passedHeader, proxyHeaders, type Sender } from './sender.ts';

export interface ReplicaAddresses {
  /** The id of this one; null: there are no others. */
  readonly own: string | null;
  /** Where another one is reached; undefined: it is gone. Throws where the store, which knows, cannot be read. */
  urlOf(replica: string): Promise<string | undefined>;
  /** True if it takes requests, as the store has it now. Throws where that cannot be read. */
  isStored(replica: string): Promise<boolean>;
  /** It is there, and nothing answered at that address. */
  reportUnreachable(replica: string, url: string): void;
  /** One has come or gone. */
  readonly changed: Pick<Signal<void>, 'on'>;
  isGone(replica: string): boolean;
  /** This one takes no requests any more, and its sessions end: `isStored` is false for it at the others. */
  leave(): Promise<void>;
  /** A mark of a text that only replicas can make. */
  markOf(text: string): string;
}

/** A gateway with no others. */
export const noOthers: ReplicaAddresses = {
  own: null,
  urlOf: async () => undefined,
  isStored: async () => false,
  reportUnreachable() {},
  changed: new Signal(),
  isGone: () => false,
  leave: async () => {},
  markOf: () => '',
};

/** How long another gateway has to accept a connection before it counts as unreachable. */
const connectMs = 2_000;

interface Passing {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly sender: Sender;
  /** The id that the request brings, as its sender wrote it. */
  readonly id: unknown;
  /** Set where it was read already; otherwise it is passed on as it comes. */
  readonly body?: string | undefined;
  /** True if this gateway has an answer for a request that was lost with the other one; otherwise nobody repeats it. */
  readonly mayAnswerLost?: boolean | undefined;
}

/** True if another gateway answers the request, once all of a call's answer is sent on. False: it is this one's to answer, also where the other one is gone. */
export async function passOn(replicas: ReplicaAddresses, passing: Passing): Promise<boolean> {
  const { id, request, response, sender } = passing;
  if (replicas.own === null || typeof id !== 'string' || isPassedOn(request)) return false;
  const replica = replicaOf(id);
  if (replica === undefined || replica === replicas.own) return false;
  const url = await fromStore(replicas.urlOf(replica));
  if (url === undefined) return false;
  const passed = openRequest(addressAt(url, request.url ?? '/'), passing, vouchFor(sender, replica, replicas));
  // One that is frozen, or lost its network, says nothing more.
  const stop = replicas.changed.on(() => {
    if (replicas.isGone(replica)) passed.destroy();
  });
  passed.once('close', stop);
  const end = await exchange(passed, passing);
  // An agent that went away meanwhile needs no answer, and says nothing of the other gateway.
  if (end === 'passed' || response.destroyed) return true;
  if (end === 'lost') {
    if (passing.mayAnswerLost) return false;
    throw lost();
  }
  // It may have ended since it was last seen.
  if (!(await fromStore(replicas.isStored(replica)))) return false;
  replicas.reportUnreachable(replica, url);
  throw unavailable('the gateway that has it is unreachable');
}

async function fromStore<T>(found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if (!isStoreAway(error)) throw error;
    throw unavailable('the store is unreachable');
  }
}

/** A session that lives must not be called unknown: its agent would give it up. */
function unavailable(why: string): HttpError {
  return new HttpError(503, `Can't reach this session or link: ${why}. Try again in 5 seconds.`, {
    headers: { 'retry-after': '5' },
    rpcCode: -32000,
  });
}

/** The other gateway sees only this one's address, and could not tell whose forwarding headers to believe. */
function vouchFor(sender: Sender, replica: string, { markOf }: ReplicaAddresses): string {
  const facts = Buffer.from(JSON.stringify(sender)).toString('base64url');
  return `${facts}.${markOf(vouched(facts, replica))}`;
}

/** Good at one replica alone. */
function vouched(facts: string, replica: string): string {
  return `a request for ${replica} is from ${facts}`;
}

/** The sender of a request that another gateway passed on, as it knows it; undefined: no other one vouches for it. */
export function vouchedSender({ headers }: IncomingMessage, { own, markOf }: ReplicaAddresses): Sender | undefined {
  const [facts = '', mark] = String(headers[passedHeader] ?? '').split('.');
  if (own === null || mark === undefined) return undefined;
  const [given, right] = [Buffer.from(mark), Buffer.from(markOf(vouched(facts, own)))];
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  // Nobody but a replica can have written it.
  return JSON.parse(Buffer.from(facts, 'base64url').toString()) as Sender;
}

/** The sender chooses path and query alone: a request line may name a host, too. */
function addressAt(url: string, line: string): URL {
  const { pathname, search } = new URL(line, 'http://gateway');
  const address = new URL(url);
  address.pathname = `${address.pathname.replace(/\/$/, '')}${pathname}`;
  address.search = search;
  return address;
}

/** `unreached`: nothing was read. `lost`: the other gateway took the request, and said nothing. */
type End = 'passed' | 'unreached' | 'lost';

function exchange(passed: ClientRequest, { request, response, body }: Passing): Promise<End> {
  return new Promise((resolve) => {
    let isReached = false;
    const giveUp = setTimeout(() => passed.destroy(), connectMs);
    passed.once('socket', (socket) =>
      // Over TLS, a connection is one only after the handshake: until then, nothing can have been read.
      socket.once(passed.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        isReached = true;
        clearTimeout(giveUp);
        if (body === undefined) request.pipe(passed);
        else passed.end(body);
      }),
    );
    passed.once('response', (answer) => {
      // Its sender may have lost the right to it meanwhile, and been told so.
      if (!isResponseOpen(response)) {
        passed.destroy();
        return resolve('passed');
      }
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers)).flushHeaders();
      answer.once('error', () => response.destroy());
      answer.pipe(response);
      // A gateway that ends waits for the whole answer of a call. A standing stream would only hold it up.
      if (request.method === 'GET') resolve('passed');
      else onceClosed(response, () => resolve('passed'));
    });
    passed.on('error', () => {
      clearTimeout(giveUp);
      if (!response.headersSent) return resolve(isReached ? 'lost' : 'unreached');
      // In the middle of the answer.
      if (isResponseOpen(response)) response.destroy();
      resolve('passed');
    });
    onceClosed(response, () => passed.destroy());
  });
}

function openRequest(url: URL, { request: { method, headers }, body }: Passing, voucher: string): ClientRequest {
  const { host, origin, 'content-length': length, ...others } = endToEnd(headers);
  for (const header of proxyHeaders) delete others[header];
  const sent = { ...others, [passedHeader]: voucher, ...framing(headers, body) };
  const { request } = url.protocol === 'https:' ? loadHttps() : http;
  // A connection of its own: one that was used before may be closed just now, and then nobody knows what was done.
  return request(url, { method, headers: sent, agent: false });
}

/** Always said for a body that may come: after a GET or DELETE, Node would write it as it is, and it would read as another request. */
function framing(headers: IncomingHttpHeaders, body: string | undefined): OutgoingHttpHeaders {
  if (body !== undefined) return { 'content-length': Buffer.byteLength(body) };
  const length = headers['content-length'];
  if (length !== undefined) return { 'content-length': length };
  return headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' };
}

function lost(): HttpError {
  return new HttpError(502, 'The gateway that has this session was lost. The request may have been carried out.', {
    rpcCode: -32000,
  });
}

/** Headers that are about one connection alone. */
const hopByHop = ['connection', 'keep-alive', 'proxy-authorization', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

function endToEnd(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.includes(name)));
}
