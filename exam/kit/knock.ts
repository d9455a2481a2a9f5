/** One HTTP request written by hand: any method, any path, any header, and any of them twice. */

import { setTimeout as pause } from 'node:timers/promises';
import { HANG_MS } from '../../test/kit/processes.ts';
import { openSocket } from '../../test/kit/raw-http.ts';
import type { History } from './history.ts';

export interface Knock {
  readonly method?: string;
  readonly path: string;
  /** In this order, repetitions included. `Host` is added where none of them is one. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string;
  /** Leaves out the Host header as well. */
  readonly isHostless?: boolean;
}

export interface Answer {
  /** 0 where the connection was closed without an answer, or none came in time. */
  readonly status: number;
  /** All lines above the body. */
  readonly head: string;
  readonly body: string;
}

/** An answer that does not end is a stream, and its head says all. */
const answerLimitMs = HANG_MS;
/** Longer than a refusal ever takes to be written after its head. */
const streamLookMs = 150;

export async function knock(history: History, url: string, request: Knock): Promise<Answer> {
  const { method = 'GET', path, headers = [], body = '' } = request;
  const isNamed = request.isHostless === true || headers.some(([name]) => name.toLowerCase() === 'host');
  const all = [
    ...(isNamed ? [] : [['Host', new URL(url).host] as const]),
    ...headers,
    ...(body === '' ? [] : [['Content-Length', String(Buffer.byteLength(body))] as const]),
    ['Connection', 'close'] as const,
  ];
  const lines = all.map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = await openSocket(url);
  let text = '';
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const isStream = new Promise<void>((resolve) => {
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (/^content-type: text\/event-stream/im.test(headOf(text))) setTimeout(resolve, streamLookMs);
    });
  });
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  await Promise.race([closed, isStream, pause(answerLimitMs, undefined, { ref: false })]);
  socket.destroy();
  const head = headOf(text);
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0);
  history.note('knock', { method, path: path.slice(0, 200), status });
  return { status, head, body: text.slice(head.length + 4) };
}

/** The value of a header of an answer. */
export function headerOf({ head }: Answer, name: string): string | undefined {
  const line = head.split('\r\n').find((one) => one.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}

function headOf(text: string): string {
  const end = text.indexOf('\r\n\r\n');
  return end === -1 ? text : text.slice(0, end);
}

/** All of them, some at a time, in order. */
export async function eachOf<Item>(items: readonly Item[], visit: (item: Item) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await visit(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

const atOnce = 8;
