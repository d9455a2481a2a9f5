/** Names in the config that nothing has: settings for them would be silently without effect. */

import { nearest } from '../base/nearest.ts';
import type { Report } from './issues.ts';
import { quoteKey } from './locate.ts';
import type { ServerSpec } from './server-spec.ts';
import type { Settings } from './settings.ts';

/** Who comes in: with the token for agents, with the owner's, or without any where none is asked for. */
const tokenNames = ['agent', 'owner', 'everybody'];

/** `servers` are those of the same file; others may be added at run time, so that what is not there is no mistake. */
export function warnUnknownNames(
  { surfaces }: Pick<Settings, 'surfaces'>,
  servers: ReadonlyMap<string, ServerSpec>,
  warn: Report,
): void {
  const projects = new Set([...servers.values()].flatMap((spec) => spec.projects));
  for (const name of surfaces.tokens.keys()) {
    if (tokenNames.includes(name)) continue;
    const advice = didYouMean(name, tokenNames) ?? `there are ${tokenNames.map(quoteKey).join(', ')}.`;
    warnAt('tokens', name, `there is no token ${quoteKey(name)}; ${advice}`);
  }
  for (const name of surfaces.projects.keys()) {
    if (projects.has(name)) continue;
    const advice = didYouMean(name, projects) ?? 'name it in "projects" of a server.';
    warnAt('projects', name, `no server of this file belongs to a project ${quoteKey(name)}; ${advice}`);
  }

  function warnAt(kind: 'tokens' | 'projects', name: string, what: string): void {
    warn({ path: ['surfaces', kind, name], at: 'key', message: `In "surfaces.${kind}": ${what}` });
  }
}

function didYouMean(name: string, names: Iterable<string>): string | undefined {
  const [best] = nearest(name, names, 1);
  return best === undefined ? undefined : `did you mean ${quoteKey(best)}?`;
}
