/** Projects that were made at run time, and which ones the config file has had; those of the file themselves are not stored. */

import type { JsonObject } from '../../base/json.ts';
import { asJson, asNumber, asText, fromText, primary, type RowIn, rowsOf, toText } from '../columns.ts';
import { createTable, type StoreRecord, upsert } from '../record.ts';

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

interface ProjectTables {
  project: RowIn<typeof projectRows>;
  file_project: { name: string };
}

export const projectRecord: StoreRecord<ProjectTables, ProjectStore> = {
  migrations: {
    '0005-tokens-and-projects': (db) => createTable(db, 'project', projectRows),
    '0010-projects-of-the-file': (db) => createTable(db, 'file_project', '"name" text primary key'),
  },
  open: ({ read, write }) => ({
    listProjects: () =>
      read(async (db) => {
        const projects = (await db.selectFrom('project').selectAll().execute()).map(projectRows.toRecord);
        return projects.sort((a, b) => (a.name < b.name ? -1 : 1));
      }),
    saveProject: (project) =>
      write(async (db, tell) => {
        await upsert(db, 'project', ['name'], [projectRows.toRow(project)]);
        tell({ type: 'access' });
      }),
    removeProject: (name) =>
      write(async (db, tell) => {
        const removed = await db.deleteFrom('project').where('name', '=', toText(name)).returning('name').execute();
        if (removed.length > 0) tell({ type: 'access' });
        return removed.length > 0;
      }),
    listFileProjects: () =>
      read(async (db) => {
        const rows = await db.selectFrom('file_project').selectAll().execute();
        return rows.map(({ name }) => fromText(name)).sort();
      }),
    addFileProject: (name) =>
      write(async (db) => {
        const row = { name: toText(name) };
        await db
          .insertInto('file_project')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }),
    removeFileProject: (name) =>
      write(async (db, tell) => {
        await db.deleteFrom('file_project').where('name', '=', toText(name)).execute();
        tell({ type: 'access' });
      }),
  }),
};
