/** On whose behalf one message is acted, in which project, and what of it is passed on: our own parts of the envelope are not. */

import { type AccessBook, type Principal, whyClosed } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { metaOf, withoutMeta } from '../protocol/eras.ts';
import { type Params, RpcError, rpcCodes } from '../protocol/messages.ts';
import { type Authenticator, unauthenticated, type Visitor } from './authenticate.ts';
import { chooseProject, type ProjectFault } from './choose-project.ts';
import { HttpError } from './read-request.ts';
import type { Needs } from './routes.ts';

/** Members of the envelope that are meant for the gateway alone. */
const ownMembers: readonly string[] = ['token', 'projectId'];

export interface Acting {
  readonly principal: Principal;
  readonly endpoint: Endpoint;
  readonly params: Params | undefined;
  /** The same with the rights of the moment at which this is called: a message may have waited for others. Throws as `ActFor` does. */
  readonly renewed: () => Acting;
}

/** `before`: the project of the session that a message belongs to, which holds where the message names none. */
export type ActFor = (params: Params | undefined, before?: string) => Acting | Promise<Acting>;

export interface ActOptions {
  readonly visitor: Visitor;
  readonly needs: Needs;
  readonly authenticator: Authenticator;
  readonly access: Pick<AccessBook, 'project'>;
  /** Somebody as they are now; undefined where they may not be here any more. */
  readonly renew: (principal: Principal) => Principal | undefined;
  /** What the path or a header says; it goes before what messages say. */
  readonly project: string | undefined;
  readonly endpointFor: (principal: Principal) => Endpoint;
  /** Told of somebody who acts here and is not the visitor. */
  readonly onOther: (principal: Principal) => void;
}

/** Waits only where a token has to be looked at: this is on the path of every message. */
export function actFor(options: ActOptions): ActFor {
  const { visitor, endpointFor, renew } = options;
  return (params, before) => {
    const meta = metaOf(params);
    const act = (carrier: Principal): Acting => {
      const said = typeof meta?.projectId === 'string' ? meta.projectId : undefined;
      const now = renew(carrier);
      if (!now) throw unauthenticated({ error: 'invalid_token' });
      const principal = inProject(options, now, said ?? before);
      const renewed = () => act(carrier);
      return { principal, endpoint: endpointFor(principal), params: withoutOwn(params), renewed };
    };
    const token = visitor.speaksForOthers ? meta?.token : undefined;
    if (typeof token === 'string' && token !== '') return carrierOf(options, token).then(act);
    if (visitor.principal) return act(visitor.principal);
    throw unauthenticated();
  };
}

/** Refuses by HTTP what path or header say, which are of the whole request, and by an error what a message says. */
function inProject({ access, project }: ActOptions, principal: Principal, said: string | undefined): Principal {
  const wished = project ?? said;
  const choice = chooseProject(access, principal, wished);
  if ('principal' in choice) return choice.principal;
  if (project !== undefined) throw projectRefusal(project, choice);
  if (choice.fault === 'closed') throw new GatewayError('ACCESS_DENIED', whyClosed(choice.project));
  if (choice.fault === 'other') {
    throw new GatewayError('PROJECT_MISMATCH', `This token belongs to another project than "${wished}".`);
  }
  throw new RpcError(rpcCodes.invalidParams, `There is no project "${wished}".`);
}

export function projectRefusal(name: string, choice: ProjectFault): HttpError {
  if (choice.fault === 'closed') return new HttpError(403, whyClosed(choice.project));
  return choice.fault === 'other'
    ? new HttpError(403, `This token belongs to another project than "${name}".`)
    : new HttpError(404, `There is no project "${name}".`);
}

async function carrierOf({ visitor, authenticator, needs, onOther }: ActOptions, token: string): Promise<Principal> {
  const named = await authenticator.ofToken(token, visitor);
  authenticator.check(named, needs);
  if (named.id !== visitor.principal?.id) onOther(named);
  return named;
}

function withoutOwn(params: Params | undefined): Params | undefined {
  const meta = metaOf(params);
  const isOurs = meta !== undefined && ownMembers.some((member) => Object.hasOwn(meta, member));
  return params && isOurs ? withoutMeta(params, ownMembers) : params;
}
