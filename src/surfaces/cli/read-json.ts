/** JSON as people write it, in files, on stdin and as arguments. */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { GatewayError, messageOf, systemCodeOf } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import type { CommandContext } from './context.ts';

/** Throws with the line and column of a mistake, after `name`. Comments may stay. */
export async function parseWrittenJson(name: string, text: string): Promise<unknown> {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw new GatewayError('USAGE', `${name}: ${messageOf(error)}`);
    const { readJsonc } = await import('../../config/config.ts');
    return readJsonc(name, Buffer.from(text)).value;
  }
}

/** `-` reads stdin. */
export async function readJsonFile(file: string, { host }: CommandContext): Promise<unknown> {
  const read = file === '-' ? textOf(host.stdin) : readFile(resolve(host.cwd, file), 'utf8');
  const text = await read.catch((error: unknown) => {
    throw new GatewayError('USAGE', `"${file}" cannot be read: ${systemCodeOf(error) ?? messageOf(error)}.`);
  });
  return parseWrittenJson(file === '-' ? 'stdin' : file, text);
}
