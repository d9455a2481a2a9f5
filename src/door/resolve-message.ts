/** Resolves a message: on whose behalf it is sent, in which project and at which endpoint. Members meant for the gateway are taken off. */

import { type AccessControl, type Principal, whyClosed } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { metaOf, withoutMeta } from '../protocol/eras.ts';
import { type Params, RpcError, rpcCodes } from '../protocol/messages.ts';
import { type Authenticator, type CallerIdentity, unauthenticated } from './authenticate.ts';
import { chooseProject, noSuchProject, otherProject, projectRefusal } from './choose-project.ts';
import type { RouteNeeds } from './routes.ts';

/** Members of the envelope that are meant for the gateway alone. */
const ownMembers: readonly string[] = ['token', 'projectId'];

export interface ResolvedMessage {
  readonly principal: Principal;
  readonly endpoint: Endpoint;
  readonly params: Params | undefined;
  /** The same with the rights of now: a message may have waited for others. Throws as `ResolveMessage` does. */
  readonly renewed: () => ResolvedMessage;
}

/** `before`: the project of the session that a message belongs to, which holds where the message names none. */
export type ResolveMessage = (
  params: Params | undefined,
  before?: string,
) => ResolvedMessage | Promise<ResolvedMessage>;

export interface ResolveOptions {
  readonly identity: CallerIdentity;
  readonly needs: RouteNeeds;
  readonly authenticator: Authenticator;
  readonly access: Pick<AccessControl, 'project'>;
  /** A principal with its rights of now; undefined if it has none any more. */
  readonly renew: (principal: Principal) => Principal | undefined;
  /** The project in the path or a header; it goes before the one in a message. */
  readonly project: string | undefined;
  readonly endpointFor: (principal: Principal) => Endpoint;
  /** Told of somebody who resolutions here and is not the identity. */
  readonly onOther: (principal: Principal) => void;
}

/** Waits only where a token has to be checked: this is on the path of every message. */
export function resolveMessageFor(options: ResolveOptions): ResolveMessage {
  const { identity, endpointFor, renew } = options;
  return (params, before) => {
    const meta = metaOf(params);
    const resolve = (sender: Principal): ResolvedMessage => {
      const said = typeof meta?.projectId === 'string' ? meta.projectId : undefined;
      const now = renew(sender);
      if (!now) throw unauthenticated({ error: 'invalid_token' });
      const principal = inProject(options, now, said ?? before);
      const renewed = () => resolve(sender);
      return { principal, endpoint: endpointFor(principal), params: withoutOwn(params), renewed };
    };
    const token = identity.speaksForOthers ? meta?.token : undefined;
    if (typeof token === 'string' && token !== '') return ownerOfToken(options, token).then(resolve);
    if (identity.principal) return resolve(identity.principal);
    throw unauthenticated();
  };
}

/** A wrong project of the whole request is an HTTP error, one of a message a JSON-RPC error. */
function inProject({ access, project }: ResolveOptions, principal: Principal, said: string | undefined): Principal {
  const wished = project ?? said;
  const choice = chooseProject(access, principal, wished);
  if ('principal' in choice) return choice.principal;
  if (project !== undefined) throw projectRefusal(project, choice);
  if (choice.fault === 'closed') throw new GatewayError('ACCESS_DENIED', whyClosed(choice.project));
  if (choice.fault === 'other') {
    throw new GatewayError('PROJECT_MISMATCH', otherProject(wished ?? ''));
  }
  throw new RpcError(rpcCodes.invalidParams, noSuchProject(wished ?? ''));
}

async function ownerOfToken(
  { identity, authenticator, needs, onOther }: ResolveOptions,
  token: string,
): Promise<Principal> {
  const named = await authenticator.ofToken(token, identity);
  authenticator.check(named, needs);
  if (named.id !== identity.principal?.id) onOther(named);
  return named;
}

function withoutOwn(params: Params | undefined): Params | undefined {
  const meta = metaOf(params);
  const isOurs = meta !== undefined && ownMembers.some((member) => Object.hasOwn(meta, member));
  return params && isOurs ? withoutMeta(params, ownMembers) : params;
}
