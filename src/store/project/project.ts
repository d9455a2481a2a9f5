/** Projects that were made at run time, and which ones the config file has had; those of the file themselves are not stored. */

import type { JsonObject } from '../../base/json.ts';

export interface StoredProject {
  readonly name: string;
  /** The project in the form of one member of `projects`, as it was given. */
  readonly settings: JsonObject;
  readonly createdAt: number;
}

export interface ProjectStore {
  /** Ordered by name. */
  listProjects(): Promise<StoredProject[]>;
  /** Adds or replaces. */
  saveProject(project: StoredProject): Promise<void>;
  /** False when there was none. */
  removeProject(name: string): Promise<boolean>;
  /** Names of projects that the config file has had, ordered. */
  listFileProjects(): Promise<string[]>;
  addFileProject(name: string): Promise<void>;
  removeFileProject(name: string): Promise<void>;
}
