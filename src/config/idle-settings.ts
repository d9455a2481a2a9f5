/** Warnings of settings without effect, because they name what is not there. */

import { nearest } from '../base/nearest.ts';
import type { Report } from './issues.ts';
import { formatPath, type KeyPath, quoteKey } from './locate.ts';
import type { ServerSpec } from './server-spec.ts';
import type { Settings } from './settings.ts';

/** The tokens that always exist; `everybody` is for requests without one. */
const tokenNames = ['agent', 'owner', 'everybody'];

/** `servers` are those of the file. Others may be added at run time, so an unknown name is no mistake. */
export function warnUnknownNames(
  { surfaces, projects: ownProjects }: Pick<Settings, 'surfaces' | 'projects'>,
  servers: ReadonlyMap<string, ServerSpec>,
  warn: Report,
): void {
  for (const name of surfaces.tokens.keys()) {
    if (tokenNames.includes(name)) continue;
    // Others are made at run time, and not known here.
    const advice = didYouMean(name, tokenNames);
    const message = `In "surfaces.tokens": ${quoteKey(name)} is none of the usual tokens; ${advice}`;
    if (advice !== undefined) warn({ path: ['surfaces', 'tokens', name], at: 'key', message });
  }
  warnMisspeltServers(ownProjects, servers, warn);
}

/** Projects are also made at run time, so this warns only where a name is close to one in the file. */
export function warnMisspeltProjects(
  { surfaces, projects: ownProjects }: Pick<Settings, 'surfaces' | 'projects'>,
  servers: ReadonlyMap<string, ServerSpec>,
  warn: Report,
): void {
  const projects = new Set([...ownProjects.keys(), ...[...servers.values()].flatMap((spec) => spec.projects)]);
  for (const name of surfaces.projects.keys()) {
    const advice = projects.has(name) ? undefined : didYouMean(name, projects);
    const message = `In "surfaces.projects": this file has no project ${quoteKey(name)}; ${advice}`;
    if (advice !== undefined) warn({ path: ['surfaces', 'projects', name], at: 'key', message });
  }
}

/** A server that a project names may be added at run time; one that is nearly there was probably meant. */
function warnMisspeltServers(
  projects: Settings['projects'],
  servers: ReadonlyMap<string, ServerSpec>,
  warn: Report,
): void {
  const check = (name: string, path: KeyPath, at: 'key' | 'value') => {
    const best = name.includes('*') || servers.has(name) ? undefined : didYouMean(name, servers.keys());
    if (best !== undefined)
      warn({
        path,
        at,
        message: `In "${formatPath(path.slice(0, 3))}": this file has no server ${quoteKey(name)}; ${best}`,
      });
  };
  for (const [project, { servers: named, permissions }] of projects) {
    for (const name of named) check(name, ['projects', project, 'servers'], 'value');
    for (const key of permissions.keys())
      check(key.split(':', 1)[0] ?? '', ['projects', project, 'permissions', key], 'key');
  }
}

function didYouMean(name: string, names: Iterable<string>): string | undefined {
  const [best] = nearest(name, names, 1);
  return best === undefined ? undefined : `did you mean ${quoteKey(best)}?`;
}
