/** The settings as the gateway uses them: what the schema accepts, with paths made absolute and user keys in maps. */

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { z } from 'zod';
import { absolutePath } from '../base/folders.ts';
import type { Report } from './issues.ts';
import { formatPath } from './locate.ts';
import { finishProject, type ProjectSettings, type SurfaceName } from './project-schema.ts';
import type { sections } from './schema.ts';
import { hasScheme } from './schema-parts.ts';
import { legalName } from './server-names.ts';

/** The sections as zod gives them. */
export type SectionValues = { [K in keyof typeof sections]: z.output<(typeof sections)[K]> };

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** A folder that servers get as a root. */
export interface Root {
  /** A file:// URI. */
  readonly uri: string;
  readonly name: string | null;
}

export interface StoreSettings {
  /** `sqlite:` and the absolute path, or `postgres://…`, which may have a password in it. */
  readonly url: string;
  /** The absolute path of the database file; null for PostgreSQL. */
  readonly path: string | null;
}

type Unchanged = DeepReadonly<Omit<SectionValues, 'connect' | 'search' | 'surfaces' | 'projects' | 'store'>>;

export interface Settings extends Unchanged {
  /** `preconnect` holds legal server names. */
  readonly connect: DeepReadonly<Omit<SectionValues['connect'], 'roots'>> & { readonly roots: readonly Root[] };
  readonly search: DeepReadonly<Omit<SectionValues['search'], 'synonyms'>> & {
    readonly synonyms: ReadonlyMap<string, readonly string[]>;
  };
  /** By the name of a token or of a project. */
  readonly surfaces: Readonly<Record<'tokens' | 'projects', ReadonlyMap<string, SurfaceName>>>;
  readonly projects: ReadonlyMap<string, ProjectSettings>;
  readonly store: StoreSettings;
}

/** `access.oauth`. */
export type IssuerSettings = Settings['access']['oauth'];

export interface SettingsContext {
  readonly env: NodeJS.ProcessEnv;
  /** The folder that relative paths start from. */
  readonly baseDir: string;
  readonly dataDir: string;
  readonly warn: Report;
}

export function finishSettings(values: SectionValues, context: SettingsContext): Settings {
  const { connect, search, surfaces, projects, store, ...unchanged } = values;
  warnMissingPartners(values, context);
  return {
    ...unchanged,
    connect: {
      ...connect,
      preconnect: [...new Set(connect.preconnect.map(legalName))],
      roots: connect.roots.map((root) => finishRoot(root, context)),
    },
    search: { ...search, synonyms: mapFrom(search.synonyms) },
    surfaces: { tokens: mapFrom(surfaces.tokens), projects: mapFrom(surfaces.projects) },
    projects: new Map(Object.entries(projects).map(([name, input]) => [name, finishProject(input)])),
    store: finishStore(store.url, context),
  };
}

function mapFrom<T>(values: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(Object.entries(values));
}

function finishRoot(root: SectionValues['connect']['roots'][number], context: SettingsContext): Root {
  const place = typeof root === 'string' ? root : root.uri;
  const uri = hasScheme(place) ? place : pathToFileURL(absolutePath(place, context.env, context.baseDir)).href;
  return { uri, name: typeof root === 'string' ? null : (root.name ?? null) };
}

function finishStore(url: string | null, context: SettingsContext): StoreSettings {
  if (url?.startsWith('postgres')) return { url, path: null };
  const written = url === null ? join(context.dataDir, 'toolcrib.db') : url.replace(/^sqlite:(\/\/)?/, '');
  const path = absolutePath(written, context.env, context.baseDir);
  return { url: `sqlite:${path}`, path };
}

/** Settings that have no effect without another one. */
function warnMissingPartners(values: SectionValues, { warn }: SettingsContext): void {
  const path = ['search', 'mode'];
  if (values.search.mode === 'cloud' && values.search.cloud.url === null) {
    warn({
      path,
      message: '"search.mode" is "cloud", but "search.cloud.url" is not set, so searches stay local.',
    });
  }
  for (const [name, project] of Object.entries(values.projects)) {
    if (project.search !== 'cloud' || values.search.cloud.url !== null) continue;
    const at = ['projects', name, 'search'];
    const message = `"${formatPath(at)}" is "cloud", but "search.cloud.url" is not set, so searches stay local.`;
    warn({ path: at, message });
  }
  if (values.search.mode === 'llm' && values.llm.provider === null) {
    warn({ path, message: '"search.mode" is "llm", but "llm.provider" is not set, so searches stay hybrid.' });
  }
  const { provider, model, baseUrl, apiKeyEnv } = values.llm;
  if (provider === 'agent' && values.optimize.agent === null) {
    const message = '"llm.provider" is "agent", but "optimize.agent" is not set, so no program is asked.';
    warn({ path: ['llm', 'provider'], message });
  }
  if (provider === 'openai-compatible' || provider === 'anthropic') return;
  const why =
    provider === null ? 'without "llm.provider"' : `with the provider "${provider}": the agent chooses the model`;
  for (const [key, value] of Object.entries({ model, baseUrl, apiKeyEnv })) {
    if (value !== null) warn({ path: ['llm', key], at: 'key', message: `"llm.${key}" has no effect ${why}.` });
  }
}
