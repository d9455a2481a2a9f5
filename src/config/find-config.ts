/** Finds the config file and reads its bytes, within limits. */

import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { GatewayError } from '../base/errors.ts';
import { expandHome } from '../base/folders.ts';
import { readOthersFile } from '../base/others-file.ts';
import { printable } from '../base/text.ts';
import type { SecretLookup } from './expand-env.ts';
import type { ConfigIssue } from './issues.ts';
import { limits } from './limits.ts';

export interface ConfigLocation {
  /** The file that was asked for (`--config`); it must then exist. */
  readonly path?: string | undefined;
  readonly cwd: string;
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Left out where nobody knows the secrets. */
  readonly secrets?: SecretLookup | undefined;
  /** Ends the wait for the file. */
  readonly signal?: AbortSignal | undefined;
}

export interface ConfigText {
  /** null: there is no config file, and the defaults apply. */
  readonly file: string | null;
  readonly bytes: Uint8Array;
  /** Changes with the file that is used and with its content. */
  readonly fingerprint: string;
  /** The current folder alone led to it: nobody named it, and it is not in the data folder. */
  readonly isByFolder?: boolean;
}

const fileName = 'toolcrib.json';

/** The config of a folder, whether it is there or not. */
export function folderConfig(folder: string): string {
  return join(resolve(folder), fileName);
}

/** The files that may hold the configuration, the first that exists wins. */
export function candidateFiles(location: ConfigLocation): string[] {
  if (location.path !== undefined) return [resolve(location.cwd, expandHome(location.path, location.env))];
  return [...new Set([folderConfig(location.cwd), folderConfig(resolve(location.cwd, location.dataDir))])];
}

/** Throws `CONFIG_INVALID` where a file is there but cannot be read, or was asked for and is not there. */
export async function readConfigText(location: ConfigLocation): Promise<ConfigText> {
  for (const file of candidateFiles(location)) {
    const bytes = await readIfPresent(file, location.signal);
    if (bytes !== undefined) {
      const isByFolder = location.path === undefined && !(await isInDataFolder(file, location));
      return { file, bytes, fingerprint: fingerprintOf(file, bytes), isByFolder };
    }
    if (location.path !== undefined) {
      const message = `${nameOf(file)} does not exist.`;
      throw unusable(file, message, { hint: 'Check the path after --config, or leave it out.' });
    }
  }
  return { file: null, bytes: new Uint8Array(), fingerprint: 'none' };
}

/** Behind all links: a gateway in the background runs in the data folder itself. */
async function isInDataFolder(file: string, { cwd, dataDir }: ConfigLocation): Promise<boolean> {
  const [folder, data] = await Promise.all(
    [dirname(file), resolve(cwd, dataDir)].map((path) => realpath(path).catch(() => path)),
  );
  return folder === data;
}

function fingerprintOf(file: string, bytes: Uint8Array): string {
  return createHash('sha256').update(file).update('\0').update(bytes).digest('hex');
}

async function readIfPresent(file: string, signal: AbortSignal | undefined): Promise<Uint8Array | undefined> {
  try {
    const read = await readOthersFile(file, { name: nameOf(file), mostBytes: limits.maxConfigBytes, signal });
    return read?.bytes;
  } catch (error) {
    if (!(error instanceof GatewayError) || signal?.aborted) throw error;
    throw unusable(file, error.message, { hint: error.hint, cause: error });
  }
}

function nameOf(file: string): string {
  return `The config file ${printable(file)}`;
}

function unusable(file: string, message: string, options: { readonly hint?: string | undefined; cause?: unknown }) {
  const found = 'a file that cannot be used';
  const issue: ConfigIssue = { file, line: null, column: null, path: '', message, found };
  return new GatewayError('CONFIG_INVALID', message, { ...options, data: { issues: [issue] } });
}
