/** Which projects there are: those of the config file, those made at run time, those that only servers name, and those that went from the file. */

import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../base/clock.ts';
import { GatewayError, messageOf } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import { nearest } from '../base/nearest.ts';
import { refuseAsName } from '../base/refuse-as-name.ts';
import { Signal } from '../base/signal.ts';
import { type Config, type ProjectSettings, parseProject, type ServerSpec } from '../config/config.ts';
import type { ProjectStore, StoredProject } from '../store/store.ts';
import { FileProjects } from './file-projects.ts';
import { closedProject, type Project, projectFrom, projectOf, whyClosed } from './project.ts';

export interface ProjectSources {
  readonly store: ProjectStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: () => Pick<Config, 'projects'>;
  /** Where projects stand in the config file, as `file:line:column`. */
  readonly places: () => ReadonlyMap<string, string>;
  /** All servers, also those that are off. */
  readonly specs: () => readonly ServerSpec[];
}

interface Kept {
  readonly stored: StoredProject;
  readonly project: Project;
}

export class Projects {
  /** A project was made, changed or removed here; what the config or servers say changes with them. */
  readonly changed = new Signal<void>();
  readonly #sources: ProjectSources;
  /** Replaced as a whole. */
  #kept: ReadonlyMap<string, Kept> = new Map();
  /** Made once for each settings of the file, which never change. */
  readonly #ofFile = new WeakMap<ProjectSettings, Project>();
  readonly #ofServers = new Map<string, Project>();
  readonly #gone = new Map<string, Project>();
  readonly #fileProjects: FileProjects;
  /** Settles when every change so far is made: they are made one after the other. */
  #changes: Promise<unknown> = Promise.resolve();

  constructor(sources: ProjectSources) {
    this.#sources = sources;
    this.#fileProjects = new FileProjects(sources);
  }

  async open(): Promise<void> {
    await this.reload();
    await this.#noteFile();
  }

  /** To be called when there is another config: those of the file are others then. */
  configChanged(): void {
    void this.#noteFile();
    this.changed.emit();
  }

  /** The owner is to see which projects went. */
  #noteFile(): Promise<void> {
    this.#fileProjects.look();
    for (const { name, origin } of this.list())
      if (origin === 'gone') this.#sources.log.warn(whyClosed({ name, origin }), { project: name });
    return this.#inTurn(() => this.#fileProjects.write());
  }

  /** Takes over what the store has, which another gateway may have changed; what was changed here is no news. */
  reload(): Promise<void> {
    return this.#inTurn(() => this.#read());
  }

  async #read(): Promise<void> {
    await this.#fileProjects.read();
    const stored = await this.#sources.store.listProjects();
    const isSame = (item: StoredProject) => isDeepStrictEqual(this.#kept.get(item.name)?.stored, item);
    if (stored.length === this.#kept.size && stored.every(isSame)) return;
    this.#replace(new Map(stored.map((item) => [item.name, this.#keptOf(item)])));
  }

  /**
   * The file's word on a name goes first, then what was made at run time. A project gone from the file is closed where
   * anything would take its place: that would have other permissions, or none, and nobody decided so.
   */
  find(name: string): Project | undefined {
    const settings = this.#sources.config().projects.get(name);
    if (settings) return this.#projectOfFile(name, settings);
    const kept = this.#kept.get(name);
    if (!kept && !this.#sources.specs().some(({ projects }) => projects.includes(name))) return undefined;
    if (this.#fileProjects.has(name)) return this.#goneFromFile(name);
    return kept ? kept.project : this.#ofServersOnly(name);
  }

  /** Where it stands in the config file; null where it does not. */
  positionInFile(name: string): string | null {
    return this.#sources.places().get(name) ?? null;
  }

  /** Ordered by name. */
  list(): Project[] {
    const named = this.#sources.specs().flatMap(({ projects }) => projects);
    const names = new Set([...this.#sources.config().projects.keys(), ...this.#kept.keys(), ...named]);
    return [...names].sort().flatMap((name) => this.find(name) ?? []);
  }

  /** The project, or trouble that names the nearest. */
  get(name: string): Project {
    const project = this.find(name);
    if (project) return project;
    const near = nearest(
      name,
      this.list().map((item) => item.name),
    );
    throw new GatewayError('USAGE', `There is no project "${name}".`, {
      hint:
        near.length > 0
          ? `Did you mean ${near.map((item) => `"${item}"`).join(' or ')}?`
          : `Create it: toolcrib project create ${name}`,
      data: { nearest: near },
    });
  }

  /** `settings` in the form of one member of `projects`. A name that only servers say, or that went from the file, can be taken. */
  create(name: string, settings: JsonObject): Promise<Project> {
    return this.#inTurn(async () => {
      refuseAsName('project', name);
      const known = this.find(name);
      if (known && (known.origin === 'file' || known.origin === 'store')) {
        throw new GatewayError('NAME_TAKEN', `There is already a project "${name}".`, {
          hint:
            known.origin === 'file'
              ? 'It comes from the config file: change it there.'
              : `Change it: toolcrib project set ${name} …`,
        });
      }
      return this.#save(name, parseProject(name, settings), this.#sources.clock.now());
    });
  }

  /** `change` makes the new settings from those before; one that only servers name has the usual ones. */
  set(name: string, change: (before: ProjectSettings) => JsonObject): Promise<Project> {
    return this.#inTurn(async () => {
      const project = this.get(name);
      if (project.origin === 'file') throw ofFile(name);
      if (project.origin === 'gone') {
        throw new GatewayError(
          'USAGE',
          `Project "${name}" is gone from the config file, so there is nothing to change.`,
          {
            hint: `Create it again: toolcrib project create ${name} …`,
          },
        );
      }
      if (project.isClosed) {
        throw new GatewayError(
          'USAGE',
          `The settings of project "${name}" cannot be read, so they cannot be changed.`,
          {
            hint: `Remove it, then create it again: toolcrib project remove ${name}`,
          },
        );
      }
      const createdAt = this.#kept.get(name)?.stored.createdAt ?? this.#sources.clock.now();
      const before = { ...project, description: project.description ?? null };
      return this.#save(name, parseProject(name, change(before)), createdAt);
    });
  }

  /** A project that servers name would stay without its permissions, and principals bound to it could do more than before. */
  remove(name: string): Promise<void> {
    return this.#inTurn(async () => {
      if (this.get(name).origin === 'file') throw ofFile(name);
      const servers = this.#sources.specs().filter(({ projects }) => projects.includes(name));
      if (servers.length > 0) {
        throw new GatewayError('USAGE', `Project "${name}" stays because servers name it.`, {
          hint: `Take it out of "projects" of: ${servers.map((spec) => spec.name).join(', ')}`,
        });
      }
      await this.#sources.store.removeProject(name);
      await this.#fileProjects.forget(name);
      this.#replace(new Map([...this.#kept].filter(([other]) => other !== name)));
    });
  }

  async #save(name: string, settings: ProjectSettings, createdAt: number): Promise<Project> {
    const stored = { name, settings: toJson(settings), createdAt };
    await this.#sources.store.saveProject(stored);
    await this.#fileProjects.forget(name);
    const project = projectFrom(name, 'store', settings);
    this.#replace(new Map([...this.#kept, [name, { stored, project }]]));
    return project;
  }

  #replace(kept: ReadonlyMap<string, Kept>): void {
    this.#kept = kept;
    this.changed.emit();
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const made = this.#changes.then(change);
    // The caller of a failed change gets its error; the next change goes on.
    this.#changes = made.catch(() => {});
    return made;
  }

  /** One that cannot be read any more has nothing, so that nobody gets more than was granted. */
  #keptOf(stored: StoredProject): Kept {
    const { name, settings } = stored;
    try {
      return { stored, project: projectFrom(name, 'store', parseProject(name, settings)) };
    } catch (error) {
      this.#sources.log.warn('A stored project cannot be read, so nothing is in it', {
        project: name,
        error: messageOf(error),
      });
      return { stored, project: closedProject(name, 'store') };
    }
  }

  #projectOfFile(name: string, settings: ProjectSettings): Project {
    const known = this.#ofFile.get(settings);
    if (known) return known;
    const project = projectFrom(name, 'file', settings);
    this.#ofFile.set(settings, project);
    return project;
  }

  #goneFromFile(name: string): Project {
    const project = this.#gone.get(name) ?? closedProject(name, 'gone');
    this.#gone.set(name, project);
    return project;
  }

  #ofServersOnly(name: string): Project {
    const project = this.#ofServers.get(name) ?? projectOf(name);
    this.#ofServers.set(name, project);
    return project;
  }
}

function ofFile(name: string): GatewayError {
  return new GatewayError('USAGE', `Project "${name}" comes from the config file.`, {
    hint: `Change it there, under "projects".`,
  });
}

function toJson({ description, servers, search, surface, permissions }: ProjectSettings): JsonObject {
  return {
    ...(description !== null && { description }),
    servers: [...servers],
    search,
    surface,
    permissions: Object.fromEntries(permissions),
  };
}
