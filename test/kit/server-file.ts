/** A test server that is described by a file: it can be another one after each start, though its command stays the same. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newJournal, type ServerSpec } from '../servers/launch.ts';
import { parseSpec } from '../servers/spec.ts';

const program = join(import.meta.dirname, '..', 'servers', 'start.js');

export class ServerFile {
  readonly journal = newJournal();
  readonly #file: string;

  constructor(folder: string, name: string) {
    this.#file = join(folder, `${name}.server.json`);
  }

  /** The server from its next start on. */
  async write(spec: ServerSpec): Promise<void> {
    parseSpec(spec);
    await writeFile(this.#file, JSON.stringify({ journal: this.journal, ...spec }));
  }

  /** Its entry in the config. */
  get entry(): Record<string, unknown> {
    return { command: process.execPath, args: [program, '--file', this.#file] };
  }
}
