/** Published packages that the programs here need: found where `--prefix` says, else installed into a cache folder. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runProgram } from './run-program.ts';

/** Name and exact version. */
export type Wanted = Readonly<Record<string, string>>;

export class Packages {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** A file of a package. */
  file(name: string, path: string): string {
    return join(this.#prefix, 'node_modules', name, path);
  }

  /** The script behind a command of a package, the first unless named; to be run by Node. */
  async script(name: string, command?: string): Promise<string> {
    const { bin } = await this.#manifest(name);
    const path = typeof bin === 'string' ? bin : (bin?.[command ?? ''] ?? Object.values(bin ?? {})[0]);
    if (path === undefined) throw new Error(`The package ${name} brings no command.`);
    return this.file(name, path);
  }

  /** Those that are not here in the wanted version. */
  async missing(wanted: Wanted): Promise<string[]> {
    const rows = await Promise.all(
      Object.entries(wanted).map(async ([name, version]) => {
        const found = await this.#manifest(name).catch(() => undefined);
        return found?.version === version ? [] : [`${name}@${version}`];
      }),
    );
    return rows.flat();
  }

  async #manifest(name: string): Promise<Manifest> {
    return JSON.parse(await readFile(this.file(name, 'package.json'), 'utf8')) as Manifest;
  }
}

interface Manifest {
  readonly version?: string;
  readonly bin?: string | Record<string, string>;
}

/** `prefix` is by default what the command line says; installs what is missing only where no folder was named. */
export async function providePackages(wanted: Wanted, prefix = readPrefix()): Promise<Packages> {
  if (prefix === undefined) return installPackages(wanted, cacheFolder());
  const packages = new Packages(prefix);
  const missing = await packages.missing(wanted);
  if (missing.length > 0) throw new Error(`${prefix} lacks ${missing.join(', ')}.`);
  return packages;
}

/** Installs into a folder what it lacks. */
export async function installPackages(wanted: Wanted, folder: string): Promise<Packages> {
  const packages = new Packages(folder);
  const missing = await packages.missing(wanted);
  if (missing.length === 0) return packages;
  console.info(`Installing ${missing.join(', ')} into ${folder} …`);
  await install(folder, missing);
  return packages;
}

/** Where packages and what was learnt of them are kept when the command line names no folder. */
export function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'toolcrib-real');
}

function readPrefix(): string | undefined {
  return parseArgs({ options: { prefix: { type: 'string' } }, strict: false }).values.prefix as string | undefined;
}

const installLimitMs = 15 * 60_000;

async function install(folder: string, missing: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n', { flag: 'wx' }).catch(() => {});
  const flags = [
    '--prefix',
    folder,
    '--save-exact',
    '--ignore-scripts',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const options = { env: process.env, cwd: folder, timeoutMs: installLimitMs };
  const { code, stderr } = await runProgram('npm', ['install', ...flags, ...missing], options);
  if (code !== 0) throw new Error(`npm install ended with ${code}:\n${stderr}`);
}
