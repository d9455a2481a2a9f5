/** Which endpoint a path and its query lead to; each is made once and kept. */

import { type Principal, serverRefusalOf } from '../access/access.ts';
import { nearest } from '../base/nearest.ts';
import { surfaceNames } from '../config/config.ts';
import { AgentEndpoint, type Endpoint, OwnerEndpoint, ServerEndpoint } from '../endpoint/endpoint.ts';
import type { LayerName, Uses } from '../tools/tools.ts';
import { HttpError } from './read-request.ts';
import type { Route } from './routes.ts';

export class EndpointSet {
  readonly #context: Uses<LayerName>;
  readonly #made = new Map<string, Endpoint>();

  constructor(context: Uses<LayerName>) {
    this.#context = context;
  }

  find(route: Route, principal: Principal): Endpoint {
    if (route.kind === 'owner') return this.#once('owner', () => new OwnerEndpoint(this.#context));
    if (route.kind === 'server') return this.#server(route.name, route.query, principal);
    return this.#agent(route.query, principal.project?.name);
  }

  /** `project` is undefined where the endpoint has all servers. */
  #agent(query: URLSearchParams, project: string | undefined): Endpoint {
    const wanted = query.get('surface');
    const surface = surfaceNames.find((name) => name === wanted);
    if (wanted !== null && !surface) {
      const [near] = nearest(wanted, surfaceNames, 1);
      const advice = near === undefined ? `there are ${surfaceNames.join(', ')}.` : `did you mean "${near}"?`;
      throw new HttpError(400, `There is no surface "${wanted}"; ${advice}`);
    }
    const make = () => new AgentEndpoint(this.#context, surface);
    return this.#once(`agent ${surface ?? ''} ${project ?? ''}`, make);
  }

  /** A server that the principal may not see reads like one that does not exist. */
  #server(name: string, query: URLSearchParams, principal: Principal): Endpoint {
    const names = query.get('names') ?? 'namespaced';
    if (names !== 'plain' && names !== 'namespaced')
      throw new HttpError(400, '"names" must be "plain" or "namespaced".');
    if (query.has('surface'))
      throw new HttpError(
        400,
        'A server door shows the tools of its server and takes no "surface"; use that on /mcp or a project.',
      );
    const spec = this.#context.downstream.spec(name);
    if (!spec || serverRefusalOf(principal, spec) !== null) throw new HttpError(404, `There is no server "${name}".`);
    return this.#once(`server ${names} ${name}`, () => new ServerEndpoint(this.#context, name, names === 'plain'));
  }

  close(): void {
    for (const endpoint of this.#made.values()) endpoint.close();
  }

  #once(key: string, make: () => Endpoint): Endpoint {
    let endpoint = this.#made.get(key);
    if (!endpoint) {
      endpoint = make();
      this.#made.set(key, endpoint);
    }
    return endpoint;
  }
}
