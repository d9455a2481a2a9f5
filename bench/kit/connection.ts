/**
 * One kept-alive HTTP connection, by hand on a socket: one request at a time.
 * Node's own client costs more than an echo server does, and would itself be what limits a direct call.
 */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Reply, readReply } from './read-reply.ts';

interface Waiting {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

export class Connection {
  readonly #socket: Socket;
  #waiting: Waiting | undefined;
  #held: Buffer | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#onData(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('The connection was closed.')));
  }

  static async open({ hostname, port }: URL): Promise<Connection> {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** `headers` are whole lines; Host and Content-Length are added. */
  post(url: URL, headers: string, body: string): Promise<Reply> {
    const length = Buffer.byteLength(body);
    const start = `POST ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n`;
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      if (this.#socket.destroyed) return this.#fail(new Error('The connection is closed.'));
      this.#socket.write(`${start}${headers}Content-Length: ${length}\r\n\r\n${body}`);
    });
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  close(): void {
    this.#socket.destroy();
  }

  #onData(chunk: Buffer): void {
    const held = this.#held === undefined ? chunk : Buffer.concat([this.#held, chunk]);
    const reply = readReply(held);
    this.#held = reply === undefined ? held : undefined;
    if (reply !== undefined) this.#take()?.resolve(reply);
  }

  #fail(error: Error): void {
    this.#socket.destroy();
    this.#take()?.reject(error);
  }

  #take(): Waiting | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }
}
