/** Sends what a grammar makes to a door, many at once, and judges every answer by the letter of JSON-RPC. */

import http from 'node:http';
import { SseDecoder } from '../../src/protocol/sse.ts';
import { HANG_MS } from '../../test/kit/processes.ts';
import type { ExamAgent } from './agent.ts';
import { type FuzzCase, FuzzRequests } from './fuzz-requests.ts';
import type { Rig } from './rig.ts';
import { isDict, messageFault } from './rpc-faults.ts';

interface Posted {
  /** 0 where the connection ended without an answer, or it took too long. */
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** The body, or what the events of a stream held. */
  readonly texts: readonly string[];
  readonly tookMs: number;
}

/** The scoreboard's definition of a hang. */
export const hangMs = HANG_MS;
const atOnce = 16;

export async function fuzzDoor(rig: Rig, agent: ExamAgent, cases: number): Promise<void> {
  const requests = new FuzzRequests(rig.draw(`fuzz ${agent.name}`), agent.era);
  const connections = new http.Agent({ keepAlive: true, maxSockets: atOnce * 2 });
  const statuses = new Map<number, number>();
  let left = cases;
  const worker = async () => {
    while (left-- > 0) {
      const one = requests.next();
      const posted = await post(agent, one, connections);
      statuses.set(posted.status, (statuses.get(posted.status) ?? 0) + 1);
      rig.figure('slowestMs', posted.tookMs);
      const fault = faultOf(one, posted);
      rig.expect(fault === undefined, () => `${agent.name}, ${fault}: ${shown(one)} got ${shownAnswer(posted)}`);
      await leave(agent, posted, connections);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  connections.destroy();
  rig.history.note('fuzzed', { agent: agent.name, cases, statuses: Object.fromEntries(statuses) });
  rig.expect(
    (statuses.get(200) ?? 0) > cases / 50,
    `${agent.name}: hardly anything was taken, so little was examined.`,
  );
}

function post(agent: ExamAgent, one: FuzzCase, connections: http.Agent): Promise<Posted> {
  const { promise, resolve } = Promise.withResolvers<Posted>();
  const startedAt = performance.now();
  const written = agent.written({ method: 'ping' });
  const own = { authorization: written.headers.authorization, 'mcp-session-id': written.headers['mcp-session-id'] };
  const kept = Object.entries(own).filter(([, value]) => value !== undefined);
  const texts: string[] = [];
  const headers = { ...one.headers, ...Object.fromEntries(kept), 'content-length': String(one.body.length) };
  const finish = (status: number, replyHeaders: http.IncomingHttpHeaders = {}) => {
    clearTimeout(timer);
    resolve({ status, headers: replyHeaders, texts, tookMs: performance.now() - startedAt });
  };
  const request = http.request(agent.url, { method: 'POST', headers, agent: connections }, (response) => {
    const isStream = response.headers['content-type']?.includes('text/event-stream') === true;
    const done = () => finish(response.statusCode ?? 0, response.headers);
    const events = new SseDecoder(({ data }) => {
      // The first event of a stream may only say from where to go on.
      if (data === '') return;
      texts.push(data);
      // A stream of changes says first that it is there, and then stays open.
      if (!one.isListening) return;
      done();
      request.destroy();
    }, Number.POSITIVE_INFINITY);
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => (isStream ? events.push(chunk) : chunks.push(chunk)));
    response.on('error', () => {});
    response.on('close', () => {
      if (chunks.length > 0) texts.push(Buffer.concat(chunks).toString('utf8'));
      done();
    });
  });
  const timer = setTimeout(() => {
    finish(0);
    request.destroy();
  }, hangMs);
  request.on('error', () => finish(0));
  request.end(one.body);
  return promise;
}

function faultOf({ id, isListening }: FuzzCase, { status, texts, tookMs }: Posted): string | undefined {
  if (tookMs >= hangMs) return `no end after ${hangMs} ms`;
  if (status === 0) return 'the connection was closed';
  if (status >= 500 && status !== 503) return `status ${status}`;
  const messages = texts.map(parsed);
  const fault = messages.map(messageFault).find((one) => one !== undefined);
  if (fault !== undefined) return `no JSON-RPC (${fault})`;
  const answers = messages.filter((one) => isDict(one) && one.method === undefined);
  if (answers.length > 1) return `${answers.length} answers`;
  if (id === undefined || isListening) return undefined;
  const [answer] = answers as { id?: unknown }[];
  if (answer === undefined) return 'a request without an answer';
  // A message refused before it was read as a request has no id of its own.
  const isFitting = answer.id === id || (status >= 400 && (answer.id ?? null) === null);
  return isFitting ? undefined : 'an answer for another request';
}

/** A session that was begun on the way is ended again, as an agent would. */
async function leave(agent: ExamAgent, { headers, status }: Posted, connections: http.Agent): Promise<void> {
  const session = headers['mcp-session-id'];
  const own = agent.written({ method: 'ping' }).headers;
  if (status !== 200 || typeof session !== 'string' || session === own['mcp-session-id']) return;
  const all = { authorization: own.authorization ?? '', 'mcp-session-id': session };
  await new Promise<void>((resolve) => {
    const request = http.request(agent.url, { method: 'DELETE', headers: all, agent: connections }, (response) => {
      response.resume().on('close', resolve);
    });
    request.on('error', () => resolve()).end();
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const shown = ({ body }: FuzzCase) => JSON.stringify(body.toString('utf8').slice(0, 300));
const shownAnswer = ({ status, texts }: Posted) => `${status} ${texts.join(' | ').slice(0, 300)}`;
