/** Projects: named sets of servers, with a search strategy, a surface and permissions of their own. */

import { createHash } from 'node:crypto';
import type { Permission, ProjectSearch, ProjectSettings, SurfaceName } from '../config/config.ts';

/** A project as it is now; another object with another mark once anything of it changes. */
export interface Project {
  readonly name: string;
  /** `servers`: only servers' own settings name it. `gone`: the config file had it, and nobody has said since what it is. */
  readonly origin: 'file' | 'store' | 'servers' | 'gone';
  /** Names with wildcards, besides the servers whose own settings name the project. */
  readonly servers: readonly string[];
  /** null: nothing can be searched for. Where only servers name the project, it is as the config says for everybody. */
  readonly search: ProjectSearch | null;
  readonly surface: SurfaceName | null;
  /** By patterns of `server:tool`. */
  readonly permissions: ReadonlyMap<string, Permission>;
  /** Its settings cannot be read, or are gone: nothing is in it, whatever servers say, and its doors tell why. */
  readonly isClosed?: true;
  /** Changes with everything above. */
  readonly mark: string;
  /** For people. */
  readonly description?: string | null | undefined;
}

/** A project that is there because a server's own settings name it. */
export function projectOf(name: string): Project {
  return withMark({ name, origin: 'servers', servers: [], search: 'hybrid', surface: null, permissions: new Map() });
}

/** A project as its settings say. */
export function projectFrom(name: string, origin: 'file' | 'store', settings: ProjectSettings): Project {
  return withMark({ ...settings, name, origin });
}

/** A project whose settings cannot be read or are gone: it exists, and holds nothing. */
export function closedProject(name: string, origin: 'store' | 'gone'): Project {
  const permissions = new Map<string, Permission>([['*', 'deny']]);
  return withMark({ name, origin, servers: [], search: null, surface: null, permissions, isClosed: true });
}

/** The message about a closed project. */
export function whyClosed({ name, origin }: Pick<Project, 'name' | 'origin'>): string {
  return origin === 'gone'
    ? `Project "${name}" is closed: it is gone from the config file, and its permissions with it. Put it back there, or create it again: toolcrib project create.`
    : `Project "${name}" is closed: its settings cannot be read. Remove it and create it again: toolcrib project remove, toolcrib project create.`;
}

function withMark(parts: Omit<Project, 'mark'>): Project {
  const { name, origin, servers, search, surface, permissions, isClosed = false } = parts;
  const text = JSON.stringify([name, origin, servers, search, surface, [...permissions], isClosed]);
  return Object.freeze({ ...parts, mark: createHash('sha256').update(text).digest('base64url') });
}
