/** Lists published versions of servers: installs each alone, starts it in an empty home, and keeps the definitions as JSON. */

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { loadConfig, parseServer } from '../../../src/config/config.ts';
import { Downstream, type Offer } from '../../../src/downstream/downstream.ts';
import { testSpool } from '../../kit/spool.ts';
import { entryOfListed, type ListedPackage, serverNameOf } from '../kit/listed-package.ts';
import { installPackages, type Packages } from '../kit/packages.ts';
import { openScratch } from '../kit/scratch.ts';

/** A server, and versions of it that are compared one after the other, the oldest first. */
export interface VersionedPackage extends ListedPackage {
  readonly versions: readonly string[];
}

export class OfferShelf {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** From the folder, or else from the server itself. */
  async find(item: ListedPackage, version: string): Promise<Offer> {
    const file = join(this.#folder, 'definitions', `${serverNameOf(item)}@${version}.json`);
    const kept = await readFile(file, 'utf8').catch(() => undefined);
    if (kept !== undefined) return JSON.parse(kept) as Offer;
    const text = await this.#ask(item, version);
    await mkdir(join(this.#folder, 'definitions'), { recursive: true });
    await writeFile(file, text);
    return JSON.parse(text) as Offer;
  }

  async #ask(item: ListedPackage, version: string): Promise<string> {
    const folder = join(this.#folder, 'packages', `${serverNameOf(item)}@${version}`);
    try {
      return await listPackage(item, await installPackages({ [item.package]: version }, folder));
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

async function listPackage(item: ListedPackage, packages: Packages): Promise<string> {
  await using scratch = await openScratch();
  const { config } = await loadConfig({ cwd: scratch.home, dataDir: scratch.dataDir, env: scratch.env });
  const store = { findVerdict: async () => undefined, saveVerdict: async () => {}, removeVerdict: async () => {} };
  const common = { clock: systemClock, log: silentLog, env: scratch.env, spool: testSpool() };
  const downstream = new Downstream({ connect: config.connect, store, ...common });
  // While a server that ended waits for its next try, nothing else keeps this process from ending.
  const awake = setInterval(() => {}, 1_000);
  try {
    const name = serverNameOf(item);
    const entry = { ...(await entryOfListed(item, packages, scratch)), cwd: scratch.home };
    await downstream.apply([parseServer(name, entry, scratch.env, 'file')]);
    const offer = await downstream.list(name);
    // Two versions must not differ by the folder that they were started in.
    return JSON.stringify(offer, null, 1).replaceAll(scratch.folder, '/scratch');
  } finally {
    clearInterval(awake);
    await downstream.close();
  }
}
