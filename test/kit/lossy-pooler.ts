/** A proxy to PostgreSQL that can lose its notifications and nothing else, as a connection pooler in transaction mode does. */

import { once } from 'node:events';
import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net';

/** The type of a message with a notification, in the protocol of PostgreSQL. */
const notification = 'A'.charCodeAt(0);
/** Of every message: its type, and how long the rest is. */
const headBytes = 5;

export class LossyPooler implements AsyncDisposable {
  readonly url: string;
  losesNotifications = false;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(url: string, server: Server, sockets: Set<Socket>) {
    const through = new URL(url);
    through.port = `${(server.address() as AddressInfo).port}`;
    this.url = through.href;
    this.#server = server;
    this.#sockets = sockets;
    server.on('connection', (near: Socket) => this.#join(near, Number(new URL(url).port)));
  }

  static async to(url: string): Promise<LossyPooler> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LossyPooler(url, server, new Set());
  }

  #join(near: Socket, port: number): void {
    const far = dial(port, '127.0.0.1');
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
    }
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
    near.pipe(far);
    let kept = Buffer.alloc(0);
    far.on('data', (bytes: Buffer) => {
      kept = Buffer.concat([kept, bytes]);
      while (kept.length >= headBytes && kept.length > kept.readUInt32BE(1)) {
        const message = kept.subarray(0, 1 + kept.readUInt32BE(1));
        kept = kept.subarray(message.length);
        if (!(this.losesNotifications && message[0] === notification)) near.write(message);
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
