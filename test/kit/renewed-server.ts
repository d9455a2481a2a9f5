/** A server over HTTP in the test's own process that becomes another version of itself, at the same address. */

import { ServerState } from '../servers/server-state.ts';
import { parseSpec, type ServerSpec } from '../servers/spec.ts';
import { serveHttp } from '../servers/transport-http.ts';

export class RenewedServer implements AsyncDisposable {
  #listening: Awaited<ReturnType<typeof serveHttp>>;

  private constructor(listening: Awaited<ReturnType<typeof serveHttp>>) {
    this.#listening = listening;
  }

  static async open(spec: ServerSpec): Promise<RenewedServer> {
    return new RenewedServer(await serveHttp(stateOf(spec)));
  }

  /** Its entry in the config. */
  get entry(): { readonly url: string } {
    return { url: this.#listening.url };
  }

  /** Ends, waits for `noticed`, and starts as `spec` says; `listsAfter`: what its lists wait for. */
  async become(spec: ServerSpec, noticed?: () => Promise<unknown>, listsAfter?: Promise<void>): Promise<void> {
    const port = Number(new URL(this.#listening.url).port);
    await this.#listening.close();
    await noticed?.();
    const state = stateOf({ ...spec, port });
    if (listsAfter) state.listsAfter = listsAfter;
    this.#listening = await serveHttp(state);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listening.close();
  }
}

/** It speaks both eras by default, and has nothing but its tools. */
function stateOf(spec: ServerSpec): ServerState {
  const bare = { resources: [], templates: [], prompts: [] };
  return new ServerState(parseSpec({ era: 'dual', ...bare, ...spec, transport: 'http' }));
}
