/** What somebody without a good token is told about the one that is needed, as RFC 6750 and RFC 9728 write it. */

import type { ResourceFacts, Scope } from '../access/access.ts';
import { metadataUrl } from './oauth-metadata.ts';
import { doorOf, isScope, type Route } from './routes.ts';

export interface Challenge {
  readonly error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope' | undefined;
  /** What the token lacks, if that is not what the route asks for. */
  readonly scope?: Scope | undefined;
  /** Why, in plain characters without quotes. */
  readonly description?: string | undefined;
}

/** `facts`: where to get a token, if that is not from us. */
export function challengeText(challenge: Challenge, route: Route | undefined, facts: ResourceFacts | null): string {
  const { error, description } = challenge;
  const parts = [['realm', 'toolcrib']];
  if (error !== undefined) parts.push(['error', error]);
  if (facts === null) {
    if (challenge.scope !== undefined) parts.push(['scope', challenge.scope]);
  } else {
    if (description !== undefined) parts.push(['error_description', description]);
    const scope = challenge.scope ?? (route && isScope(route.needs) ? route.needs : undefined);
    if (scope !== undefined) parts.push(['scope', facts.scopes[scope]]);
    parts.push(['resource_metadata', metadataUrl(facts, route ? doorOf(route) : '')]);
  }
  return `Bearer ${parts.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}
