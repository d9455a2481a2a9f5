/** Resources, templates, prompts and completions: the gateway's own and those of servers, which are passed on to their owners. */

import type { Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import { timeoutFor } from '../caller/caller.ts';
import type { Entry, ServerEntry } from '../catalog/catalog.ts';
import { limits } from '../config/config.ts';
import type { Era } from '../protocol/eras.ts';
import { type Params, type Result, RpcError, rpcCodes } from '../protocol/messages.ts';
import {
  type EndpointRequest,
  namesBeingListed,
  type Positioned,
  pageOfList,
  shownName,
  type Uses,
} from '../tools/tools.ts';
import { reasonsInWords } from '../trust/trust.ts';
import {
  isOwnScheme,
  isUnknownMethod,
  literalPrefix,
  matchesTemplate,
  mayHave,
  type OfferedNames,
  qualified,
  readQualified,
  resourceNotFound,
  type Target,
} from './offered-names.ts';

export { OfferedNames } from './offered-names.ts';
export { ownUri } from './own/own-address.ts';
export { OwnOffers } from './own/own-offers.ts';
export { OwnResults } from './own/own-results.ts';
export type { DoorView, OwnLayer } from './own/own-view.ts';
export { digest, OwnSubscriptions, Subscriptions, toolMark, type Update } from './subscriptions.ts';

export const offerMethods: readonly string[] = [
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
];

export type OfferDefinition = Readonly<Record<string, unknown>>;

/** The lists by the members of their answers. */
export type ListName = 'resources' | 'resourceTemplates' | 'prompts';

/** Offers of the gateway itself, beside those of servers. */
export interface OwnPart {
  /** In the order of their names (of resources: their URIs). */
  list(
    list: ListName,
    principal: Principal,
  ): readonly { readonly name: string; readonly definition: OfferDefinition }[];
  /** These answer, or are undefined for what is none of ours. */
  read(uri: string, request: EndpointRequest): Promise<Result> | undefined;
  getPrompt(name: string, request: EndpointRequest): Promise<Result> | undefined;
  complete(request: EndpointRequest): Promise<Result> | undefined;
  /** The address that was probably meant by one that names nothing. */
  nearTo(uri: string, principal: Principal): string | undefined;
  /** How important the resources of a server are to one who looks, where that is known. */
  priorityOf(server: ServerEntry, principal: Principal): number | undefined;
}

interface Listed extends Positioned {
  readonly definition: OfferDefinition;
}

export class Offers {
  readonly #layers: Uses<'catalog' | 'downstream' | 'caller' | 'config'>;
  readonly #namesFor: (principal: Principal) => OfferedNames;
  readonly #own: OwnPart | undefined;

  /** `namesFor`: what servers offer to one who looks. `own`: left out where nothing but the server itself is to be seen. */
  constructor(
    layers: Uses<'catalog' | 'downstream' | 'caller' | 'config'>,
    namesFor: (principal: Principal) => OfferedNames,
    own?: OwnPart,
  ) {
    this.#layers = layers;
    this.#namesFor = namesFor;
    this.#own = own;
  }

  handle(request: EndpointRequest): Promise<Result> | Result {
    switch (request.method) {
      case 'resources/list':
        return this.#list('resources', request);
      case 'resources/templates/list':
        return this.#list('resourceTemplates', request);
      case 'resources/read':
        return this.#read(request);
      case 'prompts/list':
        return this.#list('prompts', request);
      case 'prompts/get':
        return this.#getPrompt(request);
      default:
        return this.#complete(request);
    }
  }

  /** The server that owns a URI for a principal, and the URI as that server knows it. */
  route(uri: string, principal: Principal): Target | undefined {
    return this.#approved('resource', this.#targetOf(uri, principal));
  }

  /** The same, or the protocol's own answer, with the address that was probably meant. */
  async find(uri: string, principal: Principal, era: Era): Promise<Target> {
    const target = await this.#awaited(principal, () => this.route(uri, principal));
    if (target) return target;
    throw resourceNotFound(uri, era, this.#own?.nearTo(uri, principal), this.#unlisted(principal));
  }

  /** The result of a look. Before it finds nothing, first listings at this door get the chance to bring it. */
  async #awaited(principal: Principal, look: () => Target | undefined): Promise<Target | undefined> {
    const isEnough = () => look() !== undefined || this.#unlisted(principal) === undefined;
    if (!isEnough()) await this.#layers.catalog.settle(limits.firstListWaitMs, isEnough);
    return look();
  }

  #unlisted(principal: Principal): string | undefined {
    return namesBeingListed(this.#layers.catalog, this.#namesFor(principal).servers());
  }

  /** A withheld offer does not exist. Throws where the offer changed since it was approved. */
  #approved(kind: OfferKind, target: Target | undefined): Target | undefined {
    const server = target && this.#layers.catalog.snapshot.servers.get(target.server);
    return server && isWithheld(server, kind, target.uri) ? undefined : target;
  }

  #targetOf(uri: string, principal: Principal): Target | undefined {
    const names = this.#namesFor(principal);
    if (names.isPlain) {
      const server = names.servers()[0];
      return server && { server: server.spec.name, uri };
    }
    const listed = names.resources().find(({ name }) => name === uri)?.entry;
    if (listed) return { server: listed.server, uri: listed.name };
    return isOwnScheme(uri) ? this.#routeQualified(uri, names) : this.#routeByTemplate(uri, names);
  }

  /** A URI that names its server, which every resource of every server can be reached by. */
  #routeQualified(uri: string, names: OfferedNames): Target | undefined {
    const target = readQualified(uri);
    return names.servers().some(({ spec }) => spec.name === target?.server) ? target : undefined;
  }

  /** The most specific template decides. */
  #routeByTemplate(uri: string, offered: OfferedNames): Target | undefined {
    const fitting = offered
      .templates()
      .filter(({ name }) => matchesTemplate(name, uri))
      .map(({ entry, name }) => ({ server: entry.server, length: literalPrefix(name).length }));
    const longest = Math.max(...fitting.map(({ length }) => length));
    const [first, ...others] = new Set(fitting.filter(({ length }) => length === longest).map(({ server }) => server));
    if (first === undefined) return undefined;
    if (others.length === 0) return { server: first, uri };
    const names = [first, ...others].map((name) => `"${qualified(name, uri)}"`);
    throw new RpcError(rpcCodes.invalidParams, `Several servers have ${uri}; name one: ${names.join(' or ')}.`, {
      uri,
    });
  }

  /** The gateway's own come first. A door that shows nothing of ours has one page, as the server's list is known whole. */
  #list(list: ListName, { params, principal }: EndpointRequest): Result {
    if (!this.#own) return { [list]: this.wholeList(list, principal) };
    const { items, ...more } = pageOfList(list, this.#listed(list, principal), params.cursor, limits.offersPerPage);
    return { [list]: items.map(({ definition }) => definition), ...more };
  }

  /** All pages of a list at once. */
  wholeList(list: ListName, principal: Principal): OfferDefinition[] {
    return this.#listed(list, principal).map(({ definition }) => definition);
  }

  #listed(list: ListName, principal: Principal): Listed[] {
    const own = this.#own?.list(list, principal) ?? [];
    const ours = own.map(({ name, definition }): Listed => ({ position: ['', name], definition }));
    return [...ours, ...this.#theirs(list, principal)];
  }

  #theirs(list: ListName, principal: Principal): Listed[] {
    const names = this.#namesFor(principal);
    if (list === 'prompts') return promptsIn(names);
    const priorities = this.#priorities(names, principal);
    return list === 'resources' ? resourcesIn(names, priorities) : templatesIn(names, priorities);
  }

  #priorities(names: OfferedNames, principal: Principal): Priorities {
    return new Map(names.servers().map((server) => [server.spec.name, this.#own?.priorityOf(server, principal)]));
  }

  async #read(request: EndpointRequest): Promise<Result> {
    const uri = textOf(request.params.uri, 'uri');
    const own = this.#own?.read(uri, request);
    if (own) return own;
    const target = await this.find(uri, request.principal, request.agent.era);
    const recheck = () => {
      if (!this.#approved('resource', target)) throw resourceNotFound(uri, request.agent.era);
    };
    const result = await this.#forward(request, target.server, { ...request.params, uri: target.uri }, recheck);
    return target.uri === uri ? result : renamed(result, target.uri, uri);
  }

  async #getPrompt(request: EndpointRequest): Promise<Result> {
    const name = textOf(request.params.name, 'name');
    const own = this.#own?.getPrompt(name, request);
    if (own) return own;
    const target = await this.#findPrompt(name, request.principal);
    const recheck = () => {
      if (!this.#approved('prompt', target)) throw noPrompt(name);
    };
    return this.#forward(request, target.server, { ...request.params, name: target.uri }, recheck);
  }

  async #findPrompt(name: string, principal: Principal): Promise<Target> {
    const look = () => this.#approved('prompt', this.#namesFor(principal).findPrompt(name));
    const target = await this.#awaited(principal, look);
    if (target) return target;
    throw noPrompt(name, mayHave(this.#unlisted(principal)));
  }

  async #complete(request: EndpointRequest): Promise<Result> {
    const own = this.#own?.complete(request);
    if (own) return own;
    const { ref } = request.params;
    const names = this.#namesFor(request.principal);
    if (!isObject(ref)) throw new RpcError(rpcCodes.invalidParams, 'The parameter "ref" is missing.');
    if (ref.type === 'ref/prompt') {
      const name = textOf(ref.name, 'ref.name');
      const target = await this.#findPrompt(name, request.principal);
      return this.#askForValues(request, target.server, { ...request.params, ref: { ...ref, name: target.uri } });
    }
    // A transparent door leaves it to the server what else there is.
    if (ref.type !== 'ref/resource' && !names.isPlain)
      throw new RpcError(rpcCodes.invalidParams, 'The parameter "ref.type" must be ref/prompt or ref/resource.');
    const uri = textOf(ref.uri, 'ref.uri');
    const owner = await this.#awaited(request.principal, () => this.#ownerOf(uri, request.principal));
    if (!owner) throw resourceNotFound(uri, request.agent.era, undefined, this.#unlisted(request.principal));
    return this.#askForValues(request, owner.server, { ...request.params, ref: { ...ref, uri: owner.uri } });
  }

  /** The owner of the arguments of a template or resource, by its name on the server. */
  #ownerOf(uri: string, principal: Principal): Target | undefined {
    const names = this.#namesFor(principal);
    if (names.isPlain) return this.route(uri, principal);
    const found = [...names.templates(), ...names.resources()].find(({ name }) => name === uri)?.entry;
    return this.#approved('resource', found && { server: found.server, uri: found.name });
  }

  /** A server that completes nothing has no values to offer, which is no mistake of an agent that we promised completions. */
  async #askForValues(request: EndpointRequest, server: string, params: Params): Promise<Result> {
    try {
      return await this.#forward(request, server, params);
    } catch (error) {
      if (this.#namesFor(request.principal).isPlain || !isUnknownMethod(error)) throw error;
      return { completion: { values: [], total: 0, hasMore: false } };
    }
  }

  #forward(request: EndpointRequest, server: string, params: Params, recheck?: () => void): Promise<Result> {
    const spec = this.#layers.downstream.spec(server);
    if (!spec) throw new GatewayError('SERVER_NOT_FOUND', `There is no server "${server}".`);
    const timeoutMs = timeoutFor(this.#layers.config(), spec);
    return this.#layers.caller.forward(
      { server, method: request.method, params, timeoutMs, principal: request.principal.id, recheck },
      request.agent,
    );
  }
}

function noPrompt(name: string, more = ''): RpcError {
  return new RpcError(rpcCodes.invalidParams, `There is no prompt "${shownName(name)}".${more}`);
}

type Priorities = ReadonlyMap<string, number | undefined>;

function resourcesIn(names: OfferedNames, priorities: Priorities): Listed[] {
  return names.resources().map(({ entry, name }) => ({
    position: [entry.server, entry.name],
    definition: withPriority({ ...entry.definition, uri: name }, priorities.get(entry.server)),
  }));
}

function templatesIn(names: OfferedNames, priorities: Priorities): Listed[] {
  return names.templates().map(({ entry }) => ({
    position: [entry.server, entry.name],
    definition: withPriority(entry.definition, priorities.get(entry.server)),
  }));
}

function promptsIn(names: OfferedNames): Listed[] {
  return names.prompts().map(({ entry, name }) => ({
    position: [entry.server, entry.name],
    definition: { ...entry.definition, name },
  }));
}

/** Answers under the URI that the agent asked for. */
function renamed(result: Result, from: string, to: string): Result {
  if (!Array.isArray(result.contents)) return result;
  const contents = result.contents.map((item: unknown) =>
    isObject(item) && item.uri === from ? { ...item, uri: to } : item,
  );
  return { ...result, contents };
}

/** A priority that the server gave itself stays. */
function withPriority(definition: OfferDefinition, priority: number | undefined): OfferDefinition {
  const given = isObject(definition.annotations) ? definition.annotations : {};
  if (priority === undefined || given.priority !== undefined) return definition;
  return { ...definition, annotations: { ...given, priority } };
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new RpcError(rpcCodes.invalidParams, `The parameter "${name}" must be a text.`);
  return value;
}

type OfferKind = 'resource' | 'prompt';

/** `name`: a URI or the name of a prompt, as the server knows it. True: it does not exist for anybody. Throws where it changed. */
function isWithheld(server: ServerEntry, kind: OfferKind, name: string): boolean {
  const { heldOffers } = server;
  if (heldOffers[kind].has(name)) return true;
  const listed = (kind === 'prompt' ? server.prompts : server.resources).find((entry) => entry.name === name);
  if (listed) return refuseChanged(listed);
  if (kind === 'prompt') return false;
  const fits = (template: string) => template === name || matchesTemplate(template, name);
  const [open = [], onHold = []] = [false, true].map((isOnHold) =>
    server.templates.filter((entry) => (entry.hold !== undefined) === isOnHold && fits(entry.name)),
  );
  if (open.length > 0) return false;
  if (onHold[0]) return refuseChanged(onHold[0]);
  return [...heldOffers.template].some(fits);
}

function refuseChanged({ key, server, hold }: Entry): false {
  if (!hold) return false;
  throw new GatewayError(
    'APPROVAL_NEEDED',
    `"${key}" changed since it was approved (${reasonsInWords(hold.reasons)}).`,
    {
      hint: `The owner can review it with "toolcrib review ${server}".`,
    },
  );
}
