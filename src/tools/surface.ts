/** Which tools an agent sees: every tool itself (`direct`), or a few that find and call the others; chosen by the size of definitions. */

import type { Principal } from '../access/access.ts';
import { aboutTokensOf, sayTokens } from '../base/estimate-tokens.ts';
import type { Reader } from '../caller/caller.ts';
import type { Config, SurfaceName } from '../config/config.ts';
import type { Uses } from './layers.ts';
import { perViewer, visibleServers, visibleTools } from './visible.ts';

/** The surface that is shown in the end. */
export type ShownSurface = Exclude<SurfaceName, 'auto'>;

/** How an agent on a surface is spoken to: as one that has these tools of ours. */
export function readerOf(surface: ShownSurface): Reader {
  return surface === 'full' ? 'search' : surface;
}

/** Up to this many tokens, the whole catalog is cheaper than looking things up. */
const autoDirectTokens = 3_000;

export interface SurfaceChoice {
  readonly surface: ShownSurface;
  /** The middle of a sentence: "asked for by ?surface=code". */
  readonly reason: string;
  readonly by: 'url' | 'token' | 'project' | 'auto';
}

/** The grounds of a choice: nothing that differs between two connections of a principal, because a list must not either. */
type Grounds = Uses<'catalog' | 'config'>;

/** `asked` is what the URL says, undefined where it says nothing. */
export function chooseSurface(asked: SurfaceName | undefined, grounds: Grounds, principal: Principal): SurfaceChoice {
  const preference = preferenceOf(asked, grounds, principal);
  if (preference.surface === 'auto') {
    const { surface, reason } = chooseBySize(grounds.catalog.snapshot, principal);
    const because = preference.by === 'auto' ? reason : `${preference.reason}: ${reason}`;
    return { surface, reason: because, by: preference.by };
  }
  if (preference.surface === 'code' && !grounds.config().chains.enabled) {
    const reason = `"code" is ${preference.reason}, but needs programs, which are switched off (chains.enabled)`;
    return { surface: 'search', reason, by: preference.by };
  }
  return { surface: preference.surface, reason: preference.reason, by: preference.by };
}

interface Preference extends Omit<SurfaceChoice, 'surface'> {
  readonly surface: SurfaceName;
}

/** The first of URL, token and project that says something; what a token or project says of itself goes before the config. */
function preferenceOf(asked: SurfaceName | undefined, { config }: Grounds, principal: Principal): Preference {
  if (asked !== undefined) return { surface: asked, reason: `asked for by ?surface=${asked}`, by: 'url' };
  const { surfaces } = config();
  const ofToken = tokenPreference(surfaces, principal);
  const ofProject = projectPreference(surfaces, principal);
  if (ofToken) {
    const isOverruling = ofProject !== undefined && ofProject.surface !== ofToken.surface;
    const overruled = `, which overrides "${ofProject?.surface}" of the project "${principal.project?.name}"`;
    return isOverruling ? { ...ofToken, reason: `${ofToken.reason}${overruled}` } : ofToken;
  }
  return ofProject ?? { surface: 'auto', reason: '', by: 'auto' };
}

type Surfaces = Config['surfaces'];

function tokenPreference(surfaces: Surfaces, principal: Principal): Preference | undefined {
  const surface = surfaceOfToken(surfaces, principal);
  const how =
    principal.surface === undefined
      ? `set for the token "${principal.name}" in the config`
      : `set with the token "${principal.name}"`;
  return surface && { surface, reason: how, by: 'token' };
}

/** The surface set with a token, or for its name in the config: the only difference between principals with equal rights. */
export function surfaceOfToken(
  { tokens }: Pick<Surfaces, 'tokens'>,
  { name, surface }: Principal,
): SurfaceName | undefined {
  return surface ?? tokens.get(name);
}

function projectPreference({ projects }: Surfaces, { project }: Principal): Preference | undefined {
  if (!project) return undefined;
  const { name, surface, origin } = project;
  const where = origin === 'file' ? ' in the config' : '';
  if (surface !== null) return { surface, reason: `set with the project "${name}"${where}`, by: 'project' };
  const configured = projects.get(name);
  return configured && { surface: configured, reason: `set for the project "${name}" in the config`, by: 'project' };
}

/** Servers with unknown tools that the reason names, at most. */
const unknownNamed = 3;

/** This is on the path of every call. */
const chooseBySize = perViewer((snapshot, principal): Pick<SurfaceChoice, 'surface' | 'reason'> => {
  // A list that grows later reaches only agents that hear of it; the tools of `search` find those that come later too.
  const unknown = visibleServers(snapshot, principal).filter(({ listedAt }) => listedAt === null);
  if (unknown.length > 0) return { surface: 'search', reason: sayUnknown(unknown.map(({ spec }) => spec.name)) };
  const tools = visibleTools(snapshot, principal);
  if (tools.length === 0) return { surface: 'search', reason: 'there are no tools yet' };
  let bytes = 0;
  for (const tool of tools) bytes += wholeBytes(tool.definition);
  const tokens = aboutTokensOf(bytes);
  const isSmall = tokens <= autoDirectTokens;
  const relation = isSmall ? 'at most' : 'more than';
  const what =
    tools.length === 1 ? 'whole definition of the one tool is' : `whole definitions of the ${tools.length} tools are`;
  return {
    surface: isSmall ? 'direct' : 'search',
    reason: `the ${what} about ${sayTokens(tokens)} tokens, ${relation} ${sayTokens(autoDirectTokens)}`,
  };
});

function sayUnknown(names: readonly string[]): string {
  const shown = names
    .slice(0, unknownNamed)
    .map((name) => `"${name}"`)
    .join(', ');
  const more = names.length > unknownNamed ? ` and ${names.length - unknownNamed} more` : '';
  const servers = names.length === 1 ? 'server' : 'servers';
  return `the tools of the ${servers} ${shown}${more} were never listed, so the size of the catalog is unknown`;
}

type Definition = Readonly<Record<string, unknown>>;

/** All of it, as a server gave it. */
export const wholeBytes = measuredOnce((definition) => definition);

/** The part that agents pass on to their models: name, description and input schema. */
export const shownBytes = measuredOnce(({ name, description, inputSchema }) => ({
  name,
  description,
  input_schema: inputSchema,
}));

function measuredOnce(part: (definition: Definition) => Definition): (definition: object) => number {
  const sizes = new WeakMap<object, number>();
  return (definition) => {
    const size = sizes.get(definition) ?? Buffer.byteLength(JSON.stringify(part(definition as Definition)));
    sizes.set(definition, size);
    return size;
  };
}
