/** The address of a door. It is taken before anything else is started, so that a port in use costs no server a start. */

import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { GatewayError, messageOf, systemCodeOf } from '../base/errors.ts';
import { silentLog } from '../base/log.ts';
import { http } from '../base/node-http.ts';
import { limits } from '../config/config.ts';
import { refuse, starting } from './refuse.ts';
import { isLoopback, normalHost } from './sender.ts';

interface HttpListenerOptions {
  readonly host: string;
  /** Tried in this order; 0 takes any free one. */
  readonly ports: readonly number[];
  /** True: requests need no token, which is for this machine alone. */
  readonly isAuthOff: boolean;
}

export class HttpListener {
  readonly url: string;
  /** False: any free port, because it was to be any or the wanted one was taken. The next start gets another. */
  readonly hasFixedPort: boolean;
  /** The name and the address that it listens on. */
  readonly hosts: readonly string[];
  /** True if only this machine can connect. */
  readonly isLoopback: boolean;
  readonly #server: Server;
  #closing: Promise<void> | undefined;

  private constructor(server: Server, host: string, wantedPort: number | undefined) {
    const address = server.address() as AddressInfo; // it listens on a port
    const name = normalHost(address.address);
    this.url = `http://${name}:${address.port}`;
    this.hasFixedPort = address.port === wantedPort;
    this.hosts = [host, name];
    this.isLoopback = this.hosts.every(isLoopback);
    this.#server = server;
  }

  /** Listens; requests are refused until somebody serves them. Throws PORT_TAKEN when every port is. */
  static async open(options: HttpListenerOptions): Promise<HttpListener> {
    const host = normalHost(options.host);
    checkHost(host, options.isAuthOff);
    const server = http.createServer({
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestBodyTimeoutMs,
      // Node looks at these two times only so often, and by default twice a minute.
      connectionsCheckingInterval: limits.headersTimeoutMs / 5,
      keepAliveTimeout: 60_000,
    });
    server.on('request', refuseEarly);
    await listen(server, host, options.ports);
    return new HttpListener(server, host, options.ports[0]);
  }

  serve(handler: RequestListener): void {
    this.#server.off('request', refuseEarly).on('request', handler);
  }

  /**
   * Takes no new connections; those that are there still bring requests. Resolves when all of them have ended. A balancer keeps connections
   * open: if one is closed while it sends a request, nobody can tell what became of that.
   */
  stopAccepting(): Promise<void> {
    // An HTTP server would close the connections that are idle.
    return new Promise((resolve) => NetServer.prototype.close.call(this.#server, () => resolve()));
  }

  /** Ends every connection at once. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
    return this.#closing;
  }
}

const refuseEarly: RequestListener = (_request, response) => refuse(response, starting(), undefined, null, silentLog);

async function listen(server: Server, host: string, [port = 0, ...others]: readonly number[]): Promise<void> {
  try {
    server.listen(port, host.replace(/^\[|\]$/g, ''));
    await once(server, 'listening');
  } catch (error) {
    const trouble = listenTrouble(host, port, error);
    if (trouble.code !== 'PORT_TAKEN' || others.length === 0) throw trouble;
    await listen(server, host, others);
  }
}

/** Throws where the gateway must not listen on this host. */
function checkHost(host: string, isAuthOff: boolean): void {
  if (host === '') {
    throw new GatewayError('USAGE', 'The host to listen on is empty, which would mean every address.', {
      hint: 'Name one with --host, for example 127.0.0.1.',
    });
  }
  if (isLoopback(host) || !isAuthOff) return;
  throw new GatewayError('USAGE', `Without authentication the gateway listens on loopback only, not on "${host}".`, {
    hint: 'Leave out --no-auth, or use --host 127.0.0.1.',
  });
}

function listenTrouble(host: string, port: number, error: unknown): GatewayError {
  const code = systemCodeOf(error);
  const facts = { cause: error, data: { host, port } };
  if (code === 'EADDRINUSE') {
    return new GatewayError('PORT_TAKEN', `Port ${port} on ${host} is already in use.`, {
      hint: 'Choose another one with --port, or 0 for any.',
      ...facts,
    });
  }
  if (code === 'EACCES') {
    return new GatewayError('PORT_TAKEN', `Toolcrib has no permission to use port ${port} on ${host}.`, {
      hint: 'Choose one above 1023 with --port.',
      ...facts,
    });
  }
  return new GatewayError('USAGE', `The gateway cannot listen on ${host}, port ${port}: ${messageOf(error)}.`, {
    hint: 'Name an address or a host name of this machine, without a port: --host, TOOLCRIB_HOST, or "listen.host" in the config.',
    ...facts,
  });
}
