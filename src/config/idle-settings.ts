/** Warnings of settings without effect: those that the schema marks because nothing reads them yet, and those for unknown names. */

import { z } from 'zod';
import { isObject } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import type { Report } from './issues.ts';
import { formatPath, type KeyPath, quoteKey } from './locate.ts';
import type { ServerSpec } from './server-spec.ts';
import type { Settings } from './settings.ts';

/** Apart from what goes into the JSON Schema for editors. */
const marks = z.registry<{ readonly reason: string }>();

/** Marks a setting, or a whole section. `reason` ends the sentence "… has no effect". */
export function idle<T extends z.ZodType>(schema: T, reason: string): T {
  // The registry's own type asks for a schema of no particular kind.
  marks.add(schema as z.ZodType, { reason });
  return schema;
}

/** Warns of each marked setting that stands in the file. `written` is what stands there. */
export function warnIdle(schema: z.ZodType, written: unknown, warn: Report, path: KeyPath = []): void {
  const mark = marks.get(schema);
  if (mark) return warn({ path, at: 'key', message: `"${formatPath(path)}" has no effect ${mark.reason}.` });
  if (!isObject(written)) return;
  for (const [key, member] of Object.entries(membersOf(schema))) {
    if (Object.hasOwn(written, key)) warnIdle(member, written[key], warn, [...path, key]);
  }
}

/** Every setting that is no section itself: its path, and true where it or its section is marked. */
export function* settingsOf(
  schema: z.ZodType,
  path: KeyPath = [],
  isIdle = false,
): Generator<readonly [KeyPath, boolean]> {
  const isMarked = isIdle || marks.has(schema);
  const members = Object.entries(membersOf(schema));
  if (members.length === 0) yield [path, isMarked];
  for (const [key, member] of members) yield* settingsOf(member, [...path, key], isMarked);
}

/** The members of a section, however its default is wrapped around it; none for anything else. */
function membersOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> {
  let inner: z.ZodType = schema;
  while (inner instanceof z.ZodPrefault || inner instanceof z.ZodDefault) inner = inner.unwrap() as z.ZodType;
  return inner instanceof z.ZodObject ? (inner.shape as Record<string, z.ZodType>) : {};
}

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
