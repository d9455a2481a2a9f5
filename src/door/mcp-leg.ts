/** A request to an MCP door: reads what it says, finds on whose behalf, and hands it to the leg of its era. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../access/access.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { metaOf } from '../protocol/eras.ts';
import { foldedFault } from '../protocol/folded-members.ts';
import { classify, failure, type Params, type RpcErrorBody, type RpcRequest } from '../protocol/messages.ts';
import type { ActFor, Acting } from './act-for.ts';
import type { Allowance } from './allowance.ts';
import { answerJson } from './answer.ts';
import { unauthenticated, type Visitor } from './authenticate.ts';
import { type LegacyContext, serveLegacyDelete, serveLegacyGet, serveLegacyPost } from './legacy-leg.ts';
import { claimsModern } from './modern-checks.ts';
import { serveModern } from './modern-leg.ts';
import { HttpError } from './read-request.ts';
import { isBridge } from './sender.ts';
import type { SessionBook } from './session-book.ts';
import { toWire } from './wire-errors.ts';

export interface McpVisit {
  readonly visitor: Visitor;
  readonly act: ActFor;
  /** Whether the door is the same for everybody, whatever there is. */
  readonly isAlwaysThere: boolean;
  /** Which door this is: a session is good at its own one. */
  readonly home: string;
  /** Whether a principal may still be at this door, as things are now. */
  readonly mayStay: (principal: Principal) => boolean;
  readonly sessions: SessionBook;
  /** Takes one of the principal's places for long streams, or throws. */
  readonly claimStream: (principal: Principal) => void;
  readonly subscriptions: Allowance;
  /** What the request says; throws where it is too much, and where whoever sent it may not be here any more by then. */
  readonly readBody: () => Promise<unknown>;
  /** Throws where nothing new is begun any more. */
  readonly refuseNew: (body: unknown) => void;
  readonly ending: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

export async function serveMcp(visit: McpVisit, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { visitor } = visit;
  // Whether the door is there at all, and the project that the request names; for others, their message decides.
  if (!visitor.speaksForOthers && !visit.isAlwaysThere) await visit.act(undefined);
  if (request.method === 'POST') return servePost(visit, request, response);
  if (!visitor.principal) throw unauthenticated();
  const legacy = legacyContext(visit, visitor.principal, request, response);
  if (request.method === 'DELETE') return serveLegacyDelete(legacy);
  visit.claimStream(visitor.principal);
  serveLegacyGet(legacy);
}

async function servePost(visit: McpVisit, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await visit.readBody();
  const versionHeader = request.headers['mcp-protocol-version'];
  const kind = Array.isArray(body) ? 'batch' : classify(body);
  if (kind === undefined) throw new HttpError(400, 'The body is not a JSON-RPC message.', { rpcCode: -32600 });
  const folded = firstFolded(body);
  if (folded && kind !== 'request') throw new HttpError(400, folded.message, { rpcCode: folded.code });
  visit.refuseNew(body);
  const message = body as RpcRequest;
  if (folded) return answerJson(response, failure(message.id, folded), {}, 400);
  const isModern =
    kind !== 'batch' &&
    kind !== 'response' &&
    claimsModern(message.params, typeof versionHeader === 'string' ? versionHeader : undefined);
  if (!isModern) {
    const known = visit.visitor.principal ?? ownerOfSession(visit, request, body);
    const carrier = known ?? (await visit.act(firstParams(body))).principal;
    return serveLegacyPost(legacyContext(visit, carrier, request, response), body);
  }
  if (kind === 'notification') return void response.writeHead(202).end();
  const acting = await actOrAnswer(visit, message, response);
  if (!acting) return;
  const { principal, endpoint, params } = acting;
  const modern = {
    ...visit,
    principal,
    endpoint,
    request,
    response,
    isBridge: isBridge(request),
    claimStream: () => visit.claimStream(principal),
  };
  await serveModern(modern, params === message.params ? message : { ...message, params: params ?? {} });
}

/** undefined: the message says something wrong about itself, and was told so. */
async function actOrAnswer(
  visit: McpVisit,
  message: RpcRequest,
  response: ServerResponse,
): Promise<Acting | undefined> {
  try {
    return await visit.act(message.params);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    answerJson(response, failure(message.id, toWire(error, 'modern', visit.log)), {}, 200);
    return undefined;
  }
}

function legacyContext(
  visit: McpVisit,
  principal: Principal,
  request: IncomingMessage,
  response: ServerResponse,
): LegacyContext {
  return { ...visit, principal, request, response };
}

/**
 * Answers have no place for a token, and cancellations need none: from a front end that names somebody in each message, the
 * session that they belong to says whose they are.
 */
function ownerOfSession(visit: McpVisit, request: IncomingMessage, body: unknown): Principal | undefined {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  if (messages.some((message) => classify(message) === 'request')) return undefined;
  if (metaOf(firstParams(body))?.token !== undefined) return undefined;
  const session = visit.sessions.find(String(request.headers['mcp-session-id']));
  if (session === undefined || session.home !== visit.home) return undefined;
  return visit.mayStay(session.owner) ? session.owner : undefined;
}

/** A batch is refused as a whole. */
function firstFolded(body: unknown): RpcErrorBody | undefined {
  return Array.isArray(body) ? body.map(foldedFault).find((fault) => fault !== undefined) : foldedFault(body);
}

/** Of a batch, the first message stands for whoever sent it. */
function firstParams(body: unknown): Params | undefined {
  const [first] = (Array.isArray(body) ? body : [body]) as { readonly params?: Params }[];
  return first?.params;
}
