/** Finds the config file and reads its bytes, within limits. */

import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { GatewayError, messageOf, systemCodeOf } from '../base/errors.ts';
import { expandHome } from '../base/folders.ts';
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
}

export interface ConfigText {
  /** null: there is no config file, and the defaults apply. */
  readonly file: string | null;
  readonly bytes: Uint8Array;
  /** Changes with the file that is used and with its content. */
  readonly fingerprint: string;
}

const fileName = 'toolcrib.json';

/** The files that may hold the configuration, the first that exists wins. */
export function candidateFiles(location: ConfigLocation): string[] {
  if (location.path !== undefined) return [resolve(location.cwd, expandHome(location.path, location.env))];
  return [...new Set([join(resolve(location.cwd), fileName), join(resolve(location.cwd, location.dataDir), fileName)])];
}

/** Throws `CONFIG_INVALID` where a file is there but cannot be read, or was asked for and is not there. */
export async function readConfigText(location: ConfigLocation): Promise<ConfigText> {
  for (const file of candidateFiles(location)) {
    const bytes = await readIfPresent(file);
    if (bytes !== null) return { file, bytes, fingerprint: fingerprintOf(file, bytes) };
    if (location.path !== undefined)
      throw unusable(file, 'does not exist', { hint: 'Check the path after --config, or leave it out.' });
  }
  return { file: null, bytes: new Uint8Array(), fingerprint: 'none' };
}

function fingerprintOf(file: string, bytes: Uint8Array): string {
  return createHash('sha256').update(file).update('\0').update(bytes).digest('hex');
}

async function readIfPresent(file: string): Promise<Uint8Array | null> {
  try {
    // Asked before opening, because opening a pipe would wait for its writer.
    if (!(await stat(file)).isFile()) throw unusable(file, 'is not a regular file');
    return await readBounded(file);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw unusable(file, `cannot be read (${code ?? messageOf(error)})`, { cause: error });
  }
}

/** The size in the folder's entry may be wrong or out of date, so the reading itself is bounded. */
async function readBounded(file: string): Promise<Uint8Array> {
  await using handle = await open(file, 'r');
  const buffer = Buffer.alloc(limits.maxConfigBytes + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
    length += bytesRead;
    if (length > limits.maxConfigBytes) throw unusable(file, `is larger than ${limits.maxConfigBytes} bytes`);
    if (bytesRead === 0) return buffer.subarray(0, length);
  }
}

function unusable(
  file: string,
  what: string,
  { cause, hint }: { readonly cause?: unknown; readonly hint?: string } = {},
): GatewayError {
  const message = `The config file ${printable(file)} ${what}.`;
  const issue: ConfigIssue = { file, line: null, column: null, path: '', message, found: `a file that ${what}` };
  return new GatewayError('CONFIG_INVALID', message, { cause, hint, data: { issues: [issue] } });
}
