/** A wire that can be cut: passes TCP on to a port, and ends, refuses or comes back on the same port on demand. */

import { once } from 'node:events';
import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net';

export class TcpProxy implements AsyncDisposable {
  /** The port behind it. */
  target: number;
  #port = 0;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  #held: Socket[] | undefined;
  #muting: { readonly text: string; readonly mute: (cut: () => void) => void } | undefined;

  constructor(target: number) {
    this.target = target;
  }

  static async to(url: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(Number(new URL(url).port));
    await proxy.open();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Takes connections, on the same port as before. */
  async open(): Promise<void> {
    this.#server = createServer((near) => {
      this.#keep(near);
      if (this.#held) this.#held.push(near);
      else this.#join(near);
    });
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Takes connections from now on, but passes nothing on until it is released. */
  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const waiting = this.#held ?? [];
    this.#held = undefined;
    for (const near of waiting) this.#join(near);
  }

  /** Passes nothing on any more on the connections that are there, nor says that they ended, as a firewall does; new ones work. */
  silence(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /**
   * Passes on the next bytes with this text, and on their connection nothing that comes back. Resolves then, with what breaks that
   * connection.
   */
  muteAfter(text: string): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<() => void>();
    this.#muting = { text, mute: resolve };
    return promise;
  }

  #join(near: Socket): void {
    const far = dial(this.target, '127.0.0.1');
    this.#keep(far);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
    near.on('data', (bytes) => {
      if (this.#muting === undefined || !bytes.includes(this.#muting.text)) return;
      far.unpipe(near);
      this.#muting.mute(() => near.destroy());
      this.#muting = undefined;
    });
    near.pipe(far);
    far.pipe(near);
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /** Breaks every connection that is there; new ones are still taken. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Breaks every connection and refuses new ones. */
  async close(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const closed = once(server, 'close');
    server.close();
    this.cut();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
