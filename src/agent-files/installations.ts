/** The installations that are remembered in the data folder: a small record and a backup for each file of an agent. */

import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { GatewayError, systemCodeOf } from '../base/errors.ts';
import { makeFolder } from '../base/folders.ts';
import { writePrivateFile } from '../base/private-file.ts';
import { agentIds } from './agents.ts';
import type { EntryPlace } from './edit-entry.ts';
import { hashOfText, type Installation } from './installation.ts';

const schema = z.strictObject({
  agent: z.enum(agentIds),
  scope: z.enum(['user', 'project', 'local']),
  place: z.strictObject({
    file: z.string(),
    format: z.enum(['jsonc', 'toml', 'yaml']),
    path: z.array(z.string()),
    isList: z.boolean(),
  }),
  entries: z.array(z.strictObject({ token: z.string().nullable(), leadsTo: z.string() })),
  wrote: z.string().nullable(),
  isNew: z.boolean(),
  replaced: z.array(z.string()),
});

/** Every file in it is readable by its owner alone: backups hold what the agents' files hold. */
export class Installations {
  readonly #folder: string;

  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'agents');
  }

  async all(): Promise<Installation[]> {
    const names = (await readdir(this.#folder).catch(emptyIfMissing)).filter((name) => name.endsWith('.json'));
    return Promise.all(names.toSorted().map((name) => this.#read(join(this.#folder, name))));
  }

  async find(place: EntryPlace): Promise<Installation | undefined> {
    return (await this.all()).find((one) => keyOf(one.place) === keyOf(place));
  }

  async save(installation: Installation): Promise<void> {
    await this.#write(this.#pathOf(installation, '.json'), `${JSON.stringify(installation, null, 2)}\n`);
  }

  /** null where there is none. */
  async backupOf(installation: Installation): Promise<string | null> {
    return readFile(this.backupPath(installation), 'utf8').catch((error: unknown) => {
      if (systemCodeOf(error) === 'ENOENT') return null;
      throw error;
    });
  }

  /** null: there was no file. */
  async saveBackup(installation: Installation, text: string | null): Promise<void> {
    if (text === null) await rm(this.backupPath(installation), { force: true });
    else await this.#write(this.backupPath(installation), text);
  }

  /** A copy that stays when the installation goes. Resolves with its path; null: there is no backup. */
  async keepBackup(installation: Installation): Promise<string | null> {
    const text = await this.backupOf(installation);
    if (text === null) return null;
    // Another text is another file, so that no copy replaces an older one.
    const path = this.#pathOf(installation, `-${hashOfText(text).slice(0, keyChars)}.kept`);
    await this.#write(path, text);
    return path;
  }

  backupPath(installation: Installation): string {
    return this.#pathOf(installation, '.backup');
  }

  /** The record goes last: as long as it is there, the installation can be taken out again. */
  async remove(installation: Installation): Promise<void> {
    await rm(this.backupPath(installation), { force: true });
    await rm(this.#pathOf(installation, '.json'), { force: true });
  }

  #pathOf({ agent, place }: Installation, ending: string): string {
    return join(this.#folder, `${agent}-${keyOf(place)}${ending}`);
  }

  async #read(path: string): Promise<Installation> {
    try {
      return schema.parse(JSON.parse(await readFile(path, 'utf8')));
    } catch (error) {
      throw new GatewayError('STORE_BROKEN', `The record ${path} of an installation cannot be read.`, {
        hint: 'Take Toolcrib out of the config file of that agent by hand, then delete the record.',
        cause: error,
      });
    }
  }

  async #write(path: string, text: string): Promise<void> {
    await makeFolder(this.#folder);
    await writePrivateFile(path, text);
  }
}

const keyChars = 12;

function keyOf({ file, path }: EntryPlace): string {
  return hashOfText(JSON.stringify([file, path])).slice(0, keyChars);
}

function emptyIfMissing(error: unknown): string[] {
  if (systemCodeOf(error) === 'ENOENT') return [];
  throw error;
}
