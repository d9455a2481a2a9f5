/**
 * A thread that looks at the gateway from outside all the time: is it alive, and does a healthy server still answer?
 * It has an event loop of its own, so that what keeps the examiner busy does not look like a slow gateway.
 */

import type { Agent, ClientRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { http } from '../../src/base/node-http.ts';
import { HANG_MS } from '../../test/kit/processes.ts';
import type { Size } from '../check.ts';
import { writeRequest } from './agent-requests.ts';

export interface Sample {
  readonly kind: 'health' | 'sibling';
  /** Wall clock, in milliseconds. */
  readonly at: number;
  readonly ms: number;
  /** How far behind its own timers the thread was meanwhile: that much of the time is nobody's fault. */
  readonly lagMs: number;
  readonly isFine: boolean;
  readonly why?: string;
}

interface Target {
  readonly url: string;
  readonly token: string;
  /** Sent along with each call, and never to be seen in a log. */
  readonly secret: string;
  readonly size: Size;
}

const everyMs = { quick: { health: 400, sibling: 500 }, full: { health: 50, sibling: 100 } } as const;
/** A quick examination runs beside others: where a probe takes long, the machine is busy, and the next comes later. */
const restShare = { quick: 10, full: 0 } as const;
const mostRestMs = 2_000;
const probeLimitMs = HANG_MS;
const tickMs = 10;

export class Prober {
  readonly #worker: Worker;
  #samples: Promise<readonly Sample[]> | undefined;

  constructor(target: Target) {
    this.#worker = new Worker(import.meta.filename, { workerData: target });
    this.#worker.unref();
  }

  /** Ends it; gives everything it saw. */
  stop(): Promise<readonly Sample[]> {
    this.#samples ??= new Promise((resolve, reject) => {
      this.#worker.once('message', resolve);
      this.#worker.once('error', reject);
      this.#worker.postMessage('stop');
    });
    return this.#samples;
  }
}

if (parentPort !== null) await watch(workerData as Target, parentPort);

async function watch(target: Target, port: NonNullable<typeof parentPort>): Promise<void> {
  const samples: Sample[] = [];
  const connections = new http.Agent({ keepAlive: true });
  const over = new AbortController();
  let lagMs = 0;
  let lastTick = performance.now();
  const ticker = setInterval(() => {
    const now = performance.now();
    lagMs = Math.max(lagMs, now - lastTick - tickMs);
    lastTick = now;
  }, tickMs);
  port.once('message', () => over.abort());
  const loop = async (kind: Sample['kind'], probe: () => Promise<string | undefined>) => {
    while (!over.signal.aborted) {
      lagMs = 0;
      const [at, start] = [Date.now(), performance.now()];
      const why = await probe();
      const ms = performance.now() - start;
      samples.push({ kind, at, ms, lagMs, isFine: why === undefined, ...(why !== undefined && { why }) });
      const restMs = Math.min(restShare[target.size] * ms, mostRestMs);
      // Cut short by the end.
      await pause(Math.max(everyMs[target.size][kind], restMs), undefined, { signal: over.signal }).catch(() => {});
    }
  };
  await Promise.all([
    loop('health', () => get(`${target.url}/healthz`, connections)),
    loop('sibling', () => callSibling(target, connections)),
  ]);
  clearInterval(ticker);
  connections.destroy();
  port.postMessage(samples);
}

function get(url: string, agent: Agent): Promise<string | undefined> {
  return settle(http.request(url, { agent, timeout: probeLimitMs }), ({ status }) => status === 200);
}

function callSibling({ url, token, secret }: Target, agent: Agent): Promise<string | undefined> {
  const params = { name: 'sibling.echo', arguments: { text: secret } };
  const more = { authorization: `Bearer ${token}` };
  const { headers, body } = writeRequest('modern', { id: 1, method: 'tools/call', params }, more);
  const options = { method: 'POST', headers, agent, timeout: probeLimitMs };
  const request = http.request(`${url}/mcp?surface=direct`, options);
  return settle(request, (reply) => reply.status === 200 && reply.text.includes(secret), body);
}

/** undefined when all is well, else what happened instead. */
function settle(
  request: ClientRequest,
  isFine: (reply: { status: number; text: string }) => boolean,
  body = '',
): Promise<string | undefined> {
  return new Promise((resolve) => {
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('error', (error) => resolve(String(error)));
      response.on('end', () => {
        const status = response.statusCode ?? 0;
        resolve(isFine({ status, text }) ? undefined : `${status} ${text.slice(0, 200)}`);
      });
    });
    request.on('timeout', () => request.destroy(new Error(`nothing came for ${probeLimitMs} ms`)));
    request.on('error', (error) => resolve(String(error)));
    request.end(body);
  });
}
