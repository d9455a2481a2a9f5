/** Whose eyes the owner looks through: the owner of a token, or anybody at the door of a project. */

import { everybody, type Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import type { AdminContext } from './operation.ts';
import { unknownToken } from './token-operations.ts';

export interface ViewedAs {
  /** As the owner of the token with this name sees it. */
  readonly token?: string | undefined;
  /** As an agent in this project sees it. */
  readonly project?: string | undefined;
}

/** An agent with the token for agents; everybody where no token is asked for. */
export function agentIn({ about }: Pick<AdminContext, 'about'>): Principal {
  return about().isAuthOff ? everybody : { id: 'agent', name: 'agent', scopes: new Set(['use']), mark: '' };
}

/** `usual`: who it is where no token is named. Throws USAGE for a token that is unknown, or bound to another project. */
export function principalAs(context: AdminContext, { token, project }: ViewedAs, usual: Principal): Principal {
  const named = token === undefined ? usual : context.access.principalNamed(token);
  if (named === undefined) throw unknownToken(context, token ?? '');
  if (project === undefined || project === named.project?.name) return named;
  const bound = token === undefined ? null : context.access.termsOf(named).project;
  if (bound !== null)
    throw new GatewayError('USAGE', `The token "${token}" is bound to the project "${bound}".`, {
      hint: `Leave "project" out, or name "${bound}".`,
    });
  return { ...named, project: context.projects.get(project) };
}
