/** The rights of callers as they are now: they may change, or end, while a request, a stream or a session is open. */

import { everybody, type Principal, serverRefusalOf } from '../access/access.ts';
import type { Uses } from '../tools/tools.ts';
import { isScope, type Route } from './routes.ts';

export interface CurrentRightsOptions {
  readonly context: Uses<'access' | 'downstream'>;
  readonly needsToken: () => boolean;
}

export class CurrentRights {
  readonly connections = new Connections();
  readonly #options: CurrentRightsOptions;

  constructor(options: CurrentRightsOptions) {
    this.#options = options;
  }

  /** A principal that was let in, with its rights of now; undefined if it would not be let in again. */
  renew(principal: Principal, { needs }: Route): Principal | undefined {
    if (principal.id === everybody.id && this.#options.needsToken()) return undefined;
    const now = this.#options.context.access.renew(principal);
    return now && (!isScope(needs) || now.scopes.has(needs)) ? now : undefined;
  }

  /** True while a principal that came in by a route would still find what it leads to. */
  mayStay(principal: Principal, route: Route): boolean {
    const now = this.renew(principal, route);
    if (!now || route.kind !== 'server') return now !== undefined;
    const spec = this.#options.context.downstream.spec(route.name);
    return spec !== undefined && serverRefusalOf(now, spec) === null;
  }
}

interface Connection {
  /** False once its principal has lost the right to be here. */
  readonly mayStay: () => boolean;
  readonly end: () => void;
}

/** Everything that is open for a principal, so that it can be ended when the principal loses its rights. */
export class Connections {
  readonly #open = new Set<Connection>();

  /** Returns the function to call when the connection is over. */
  add(connection: Connection): () => void {
    this.#open.add(connection);
    return () => this.#open.delete(connection);
  }

  /** To be called whenever rights may have changed. */
  review(): void {
    for (const connection of this.#open) {
      if (connection.mayStay()) continue;
      this.#open.delete(connection);
      connection.end();
    }
  }
}
