/** Projects that were made at run time, and which ones the config file has had; those of the file themselves are not stored. */

import type { JsonObject } from '../../base/json.ts';
import { asJson, asNumber, asText, primary, rowsOf } from '../columns.ts';
import { RecordTable, type StoreRecord } from '../record.ts';

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

const projectRows = rowsOf<StoredProject>()({ name: primary(asText), settings: asJson, createdAt: asNumber });
const fileProjectRows = rowsOf<Pick<StoredProject, 'name'>>()({ name: primary(asText) });
const projects = new RecordTable('project', projectRows, ['name']);
const fileProjects = new RecordTable('file_project', fileProjectRows, ['name']);

export const projectRecord: StoreRecord<unknown, ProjectStore> = {
  migrations: {
    '0005-tokens-and-projects': (db) => projects.create(db),
    '0010-projects-of-the-file': (db) => fileProjects.create(db),
  },
  open: ({ read, write, change }) => ({
    async listProjects() {
      const all = await read((db) => projects.list(db));
      return all.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    saveProject: (project) => change('access', (db) => projects.save(db, [project])),
    removeProject: (name) => change('access', async (db) => (await projects.remove(db, { name })) > 0),
    async listFileProjects() {
      const all = await read((db) => fileProjects.list(db));
      return all.map(({ name }) => name).sort();
    },
    addFileProject: (name) => write((db) => fileProjects.add(db, [{ name }])),
    async removeFileProject(name) {
      await change('access', (db) => fileProjects.remove(db, { name }));
    },
  }),
};
