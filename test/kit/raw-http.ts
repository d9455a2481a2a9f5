/** HTTP by hand, for requests that no well-bred client would send. */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  /** 0 when the connection was closed without an answer. */
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Opens a connection to the host and port of a URL. */
export async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // How it ends is what these tests look at; that it ends with an error is nothing special.
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** The first answer on a connection, as soon as it is whole or the connection is closed. */
export function readAnswer(socket: Socket): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let text = '';
    const look = (isClosed: boolean) => {
      const end = text.indexOf('\r\n\r\n');
      const head = end === -1 ? text : text.slice(0, end);
      const rest = end === -1 ? '' : text.slice(end + 4);
      const isChunked = /^transfer-encoding: chunked/im.test(head);
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? Number.NaN);
      const isWhole = isChunked ? rest.endsWith('0\r\n\r\n') : Buffer.byteLength(rest) >= length;
      if (!isClosed && !isWhole) return;
      // These answers are short: each is one chunk.
      const body = isChunked ? (rest.split('\r\n')[1] ?? '') : rest;
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), head, body });
    };
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      look(false);
    });
    socket.once('close', () => look(true));
  });
}

/** Sends bytes as they are and gives the answer. */
export async function sendRaw(url: string, bytes: string | Buffer): Promise<RawAnswer> {
  const socket = await openSocket(url);
  socket.write(bytes);
  const answer = await readAnswer(socket);
  socket.destroy();
  return answer;
}

/** Writes pieces until there is an answer or the connection ends; says how much got out. */
export async function pour(
  socket: Socket,
  piece: Buffer,
  totalBytes: number,
): Promise<{ readonly answer: RawAnswer; readonly sentBytes: number }> {
  const answering = readAnswer(socket);
  let isAnswered = false;
  void answering.then(() => {
    isAnswered = true;
  });
  let sentBytes = 0;
  while (!isAnswered && !socket.destroyed && sentBytes < totalBytes) {
    const isFree = socket.write(piece);
    sentBytes += piece.length;
    if (!isFree) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), answering]);
    else await new Promise((resolve) => setImmediate(resolve));
  }
  const answer = await answering;
  socket.destroy();
  return { answer, sentBytes };
}
