/** Resources, templates, prompts and completions of servers, shown together and passed through to their owners. */

import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { timeoutFor } from '../caller/caller.ts';
import type { Entry, ServerEntry } from '../catalog/catalog.ts';
import { type Params, type Result, RpcError, rpcCodes } from '../protocol/messages.ts';
import type { EndpointContext, EndpointRequest } from './endpoint.ts';
import { literalPrefix, matchesTemplate } from './match-template.ts';
import { NameTable } from './naming.ts';

export const offerMethods: readonly string[] = [
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
];

const ownScheme = 'toolcrib:';
/** A resource whose URI two servers use is shown under its server's name. */
const qualifiedPrefix = `${ownScheme}//server/`;

interface Target {
  readonly server: string;
  readonly uri: string;
}

export class Offers {
  readonly #context: EndpointContext;
  readonly #servers: () => readonly ServerEntry[];
  readonly #isPlain: boolean;

  /** `isPlain`: names are the server's own, which needs a single server. */
  constructor(context: EndpointContext, servers: () => readonly ServerEntry[], isPlain: boolean) {
    this.#context = context;
    this.#servers = servers;
    this.#isPlain = isPlain;
  }

  handle(request: EndpointRequest): Promise<Result> | Result {
    switch (request.method) {
      case 'resources/list':
        return { resources: this.#resources().map(({ entry, uri }) => ({ ...entry.definition, uri })) };
      case 'resources/templates/list':
        return {
          resourceTemplates: this.#templates().map((entry) => entry.definition),
        };
      case 'resources/read':
        return this.#read(request);
      case 'prompts/list':
        return this.#listPrompts();
      case 'prompts/get':
        return this.#getPrompt(request);
      default:
        return this.#complete(request);
    }
  }

  /** The server that owns a URI, and the URI as that server knows it. */
  route(uri: string): Target | undefined {
    if (this.#isPlain) {
      const server = this.#servers()[0];
      return server && { server: server.spec.name, uri };
    }
    const listed = this.#resources().find((item) => item.uri === uri);
    if (listed) return { server: listed.entry.server, uri: listed.entry.name };
    return uri.startsWith(ownScheme) ? this.#routeQualified(uri) : this.#routeByTemplate(uri);
  }

  /** A URI that names its server, which every resource of every server can be reached by. */
  #routeQualified(uri: string): Target | undefined {
    if (!uri.startsWith(qualifiedPrefix)) return undefined;
    const [server = '', kind, encoded = ''] = uri.slice(qualifiedPrefix.length).split('/');
    const isKnown = this.#servers().some(({ spec }) => spec.name === server);
    const own = isKnown && kind === 'resource' ? decode(encoded) : undefined;
    return own === undefined ? undefined : { server, uri: own };
  }

  /** The most specific template decides. */
  #routeByTemplate(uri: string): Target | undefined {
    const fitting = this.#templates()
      .filter(({ name }) => matchesTemplate(name, uri))
      .map(({ server, name }) => ({ server, length: literalPrefix(name).length }));
    const longest = Math.max(...fitting.map(({ length }) => length));
    const [first, ...others] = new Set(fitting.filter(({ length }) => length === longest).map(({ server }) => server));
    if (first === undefined) return undefined;
    if (others.length === 0) return { server: first, uri };
    const names = [first, ...others].map((name) => `"${qualified(name, uri)}"`);
    throw new RpcError(rpcCodes.invalidParams, `Several servers have ${uri}; say whose: ${names.join(' or ')}.`, {
      uri,
    });
  }

  /** A template that fits everything says nothing about whose a resource is, where there are several servers. */
  #templates(): Entry[] {
    const isAlone = this.#servers().length === 1;
    return this.#servers()
      .flatMap((server) => server.templates)
      .filter((entry) => !this.#isForeign(entry) && (isAlone || literalPrefix(entry.name) !== ''));
  }

  /** Nobody but the gateway itself may speak in its scheme, where it does. */
  #isForeign({ name }: Entry): boolean {
    return !this.#isPlain && name.startsWith(ownScheme);
  }

  #resources(): { readonly entry: Entry; readonly uri: string }[] {
    const entries = this.#servers().flatMap((server) => server.resources.filter((entry) => !this.#isForeign(entry)));
    const uses = Map.groupBy(entries, (entry) => entry.name);
    return entries.map((entry) => {
      const isUnique = (uses.get(entry.name)?.length ?? 0) < 2;
      return {
        entry,
        uri: isUnique ? entry.name : qualified(entry.server, entry.name),
      };
    });
  }

  async #read(request: EndpointRequest): Promise<Result> {
    const uri = textOf(request.params.uri, 'uri');
    const target = this.route(uri);
    if (!target) throw resourceNotFound(uri, request.agent.era);
    return this.#forward(request, target.server, { ...request.params, uri: target.uri });
  }

  #promptTable(): NameTable<Entry> {
    const { separator } = this.#context.config().names;
    return new NameTable(
      this.#servers().flatMap((server) => server.prompts),
      separator,
    );
  }

  #listPrompts(): Result {
    const table = this.#promptTable();
    const prompts = this.#servers().flatMap((server) => server.prompts);
    return {
      prompts: prompts.map((entry) => ({
        ...entry.definition,
        name: this.#isPlain ? entry.name : table.nameOf(entry),
      })),
    };
  }

  #findPrompt(name: string): Target | undefined {
    const server = this.#servers()[0];
    if (this.#isPlain) return server && { server: server.spec.name, uri: name };
    const entry = this.#promptTable().find(name);
    return entry && { server: entry.server, uri: entry.name };
  }

  async #getPrompt(request: EndpointRequest): Promise<Result> {
    const name = textOf(request.params.name, 'name');
    const target = this.#findPrompt(name);
    if (!target) throw new RpcError(rpcCodes.invalidParams, `There is no prompt "${name}".`);
    return this.#forward(request, target.server, { ...request.params, name: target.uri });
  }

  async #complete(request: EndpointRequest): Promise<Result> {
    const { ref } = request.params;
    if (!isObject(ref)) throw new RpcError(rpcCodes.invalidParams, 'The parameter "ref" is missing.');
    if (ref.type === 'ref/prompt') {
      const target = this.#findPrompt(textOf(ref.name, 'ref.name'));
      if (!target) throw new RpcError(rpcCodes.invalidParams, `There is no prompt "${String(ref.name)}".`);
      return this.#forward(request, target.server, { ...request.params, ref: { ...ref, name: target.uri } });
    }
    const uri = textOf(ref.uri, 'ref.uri');
    const isOwner = (server: ServerEntry) =>
      server.templates.some((entry) => entry.name === uri) || server.resources.some((entry) => entry.name === uri);
    const owner = this.#isPlain ? this.#servers()[0] : this.#servers().find(isOwner);
    if (!owner) throw resourceNotFound(uri, request.agent.era);
    return this.#forward(request, owner.spec.name, request.params);
  }

  #forward(request: EndpointRequest, server: string, params: Params): Promise<Result> {
    const spec = this.#context.downstream.spec(server);
    if (!spec) throw new GatewayError('SERVER_NOT_FOUND', `There is no server "${server}".`);
    const timeoutMs = timeoutFor(this.#context.config(), spec);
    return this.#context.caller.forward(
      { server, method: request.method, params, timeoutMs, principal: request.principal.id },
      request.agent,
    );
  }
}

function qualified(server: string, uri: string): string {
  // Half a surrogate pair cannot be encoded, and no server can be asked for it either.
  return `${qualifiedPrefix}${server}/resource/${encodeURIComponent(uri.toWellFormed())}`;
}

/** Undefined for what is not encoded as `qualified` does it. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The protocol's own answer, which differs by era. */
export function resourceNotFound(uri: string, era: 'legacy' | 'modern'): RpcError {
  const code = era === 'modern' ? rpcCodes.invalidParams : rpcCodes.legacyResourceNotFound;
  return new RpcError(code, `Resource not found: ${uri}`, { uri });
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new RpcError(rpcCodes.invalidParams, `The parameter "${name}" must be a text.`);
  return value;
}
