/** Looks for words that must not be there: in files, in what was printed, and in what was answered. */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { visit } from '../../test/kit/oauth-browser.ts';
import { order } from './owner.ts';
import type { Random } from './random.ts';
import type { Rig } from './rig.ts';
import type { Setup } from './setup.ts';

export type Planted = Readonly<Record<string, string>>;

export function plant<Name extends string>(random: Random, ...names: readonly Name[]): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, random.word(`canary-${name}`)])) as Record<Name, string>;
}

/** Everything below a folder, files and folders. */
export function pathsBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false }) !== undefined);
}

/** In every file of the data folder but the config file, which is the owner's own, and in a database beside it; gives the number of files. */
export async function expectNotKept(rig: Rig, setup: Setup, planted: Planted, when: string): Promise<number> {
  expectNotIn(rig, `the database ${when}`, (await setup.shared?.text()) ?? '', planted);
  const files = pathsBelow(setup.dataDir).filter((path) => statSync(path).isFile() && !path.endsWith('toolcrib.json'));
  for (const file of files)
    expectNotIn(rig, `${file.replace(setup.dataDir, 'DATA')} ${when}`, readFileSync(file, 'latin1'), planted);
  return files.length;
}

export function expectNotIn(rig: Rig, where: string, text: string, planted: Planted): void {
  for (const [name, word] of Object.entries(planted)) {
    const forms = [word, encodeURIComponent(word), Buffer.from(word).toString('base64').replace(/=+$/, '')];
    const found = forms.find((form) => text.includes(form));
    if (found === undefined) continue;
    const at = text.indexOf(found);
    rig.fault(`The canary "${name}" is in ${where}: …${JSON.stringify(text.slice(Math.max(0, at - 80), at + 20))}…`);
  }
}

/** Signs in to a server as its owner would, with a browser that agrees to everything. */
export async function signInTo(setup: Setup, name: string): Promise<void> {
  await order(setup, 'servers.refresh', { name, force: true });
  const { address, flow } = await order(setup, 'servers.signIn', { name, device: false });
  const { status, text } = await visit(address);
  if (status !== 200) throw new Error(`The sign-in ended with HTTP ${status}: ${text.slice(0, 200)}`);
  await order(setup, 'servers.signInEnd', { name, flow, waitMs: 5_000 });
  await order(setup, 'servers.refresh', { name });
}

/** Late writes are done by then. */
export async function letWrite(): Promise<void> {
  await pause(1_500);
}
