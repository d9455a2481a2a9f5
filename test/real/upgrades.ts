/**
 * Honest upgrades of real servers before the judge of the gateway. Each published version is installed alone and listed without
 * a network. Each pair of versions is judged beside the newest versions of all other servers. The program prints how many
 * changed tools wait or are marked, and why. Definitions stay under the prefix, so a second run installs nothing.
 *
 *   npm run real:upgrades [-- --half dev|kept|all] [--first-sight] [--prefix DIR] [--json FILE]
 *
 * `--half` takes one half of the servers: improve the judge with `dev`, measure it with `kept`. `--first-sight` judges the
 * newest version of each server instead, as one that was never seen.
 */

import { hash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/base/errors.ts';
import type { Offer } from '../../src/downstream/downstream.ts';
import { serverNameOf } from './kit/listed-package.ts';
import { cacheFolder } from './kit/packages.ts';
import { OfferShelf, type VersionedPackage } from './upgrades/collect-offers.ts';
import { OfferJudge } from './upgrades/judge-offers.ts';
import { type FirstSight, printFirstSights, printUpgrades, type Upgrade } from './upgrades/print-verdicts.ts';

const halves = ['dev', 'kept'] as const;
const options = {
  half: { type: 'string', default: 'all' },
  'first-sight': { type: 'boolean', default: false },
  prefix: { type: 'string', default: join(cacheFolder(), 'upgrades') },
  json: { type: 'string' },
} as const;
const { half, 'first-sight': isFirstSight, prefix, json } = parseArgs({ options }).values;
if (![...halves, 'all'].includes(half)) throw new Error(`--half is one of ${halves.join(', ')}, all.`);

const list = new URL('./upgrades/packages.json', import.meta.url);
const packages = JSON.parse(await readFile(list, 'utf8')) as VersionedPackage[];
const shelf = new OfferShelf(prefix);
const newest = new Map<string, Offer>();
for (const item of packages) {
  const offer = await offerOf(item, item.versions.at(-1) ?? '');
  if (offer) newest.set(serverNameOf(item), offer);
}
const chosen = packages.filter((item) => half === 'all' || halfOf(item) === half);
const results = isFirstSight ? await judgeFirstSights() : await judgeUpgrades();
if (json !== undefined) await writeFile(json, `${JSON.stringify(results, null, 1)}\n`);

/** By the name alone, so that a server stays in its half when others come and go. */
function halfOf(item: VersionedPackage): (typeof halves)[number] {
  return Number.parseInt(hash('sha256', item.package).slice(0, 2), 16) % 2 === 0 ? 'dev' : 'kept';
}

/** Undefined where the version cannot be installed or listed here. */
async function offerOf(item: VersionedPackage, version: string): Promise<Offer | undefined> {
  return shelf.find(item, version).catch((error: unknown) => {
    console.warn(`${item.package}@${version} is left out: ${messageOf(error)}`);
    return undefined;
  });
}

async function judgeUpgrades(): Promise<Upgrade[]> {
  const upgrades: Upgrade[] = [];
  for (const item of chosen) {
    for (const [at, from] of item.versions.slice(0, -1).entries()) {
      const to = item.versions[at + 1] ?? from;
      const upgrade = await judgeUpgrade(item, from, to).catch((error: unknown) => {
        console.error(`${item.package} ${from} → ${to} cannot be judged: ${messageOf(error)}`);
        process.exitCode = 1;
      });
      if (upgrade) upgrades.push(upgrade);
    }
  }
  printUpgrades(upgrades);
  return upgrades;
}

async function judgeUpgrade(item: VersionedPackage, from: string, to: string): Promise<Upgrade | undefined> {
  const server = serverNameOf(item);
  const [before, after] = [await offerOf(item, from), await offerOf(item, to)];
  if (!before || !after) return undefined;
  const judged = await new OfferJudge(server, newest).upgrade(before, after);
  return { server, half: halfOf(item), from, to, ...judged };
}

async function judgeFirstSights(): Promise<FirstSight[]> {
  const sights: FirstSight[] = [];
  for (const item of chosen) {
    const server = serverNameOf(item);
    const offer = newest.get(server);
    if (!offer) continue;
    const judged = await new OfferJudge(server, newest).firstSight(offer);
    sights.push({ server, half: halfOf(item), hasInstructions: offer.instructions !== null, ...judged });
  }
  printFirstSights(sights);
  return sights;
}
