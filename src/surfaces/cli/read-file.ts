/** Reads a file that was named on the line, or stdin, as text; and JSON as people write it there. */

import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { GatewayError, messageOf, systemCodeOf } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import type { CommandContext } from './context.ts';

/** `-` reads stdin. Throws USAGE. */
export async function readTextFile(file: string, { host }: CommandContext): Promise<string> {
  const bytes = await (file === '-' ? buffer(host.stdin) : readFile(resolve(host.cwd, file))).catch((error) => {
    throw new GatewayError('USAGE', whyUnreadable(file, error), { cause: error });
  });
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new GatewayError('USAGE', `${nameOf(file)} is not text in UTF-8.`);
}

function whyUnreadable(file: string, error: unknown): string {
  const code = systemCodeOf(error);
  if (code === 'ENOENT') return `There is no file "${file}".`;
  if (code === 'EISDIR') return `"${file}" is a folder, not a file.`;
  return `${nameOf(file)} cannot be read: ${code ?? messageOf(error)}.`;
}

function nameOf(file: string): string {
  return file === '-' ? 'stdin' : `"${file}"`;
}

/** `-` reads stdin. */
export async function readJsonFile(file: string, context: CommandContext): Promise<unknown> {
  return parseWrittenJson(file === '-' ? 'stdin' : file, await readTextFile(file, context));
}

/** Throws with the line and column of a mistake, after `name`. Comments may stay. */
export async function parseWrittenJson(name: string, text: string): Promise<unknown> {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw new GatewayError('USAGE', `${name}: ${messageOf(error)}`);
    const { readJsonc } = await import('../../config/config.ts');
    const { value, issues } = readJsonc(name, Buffer.from(text));
    if (!issues.isEmpty) throw issues.toError();
    return value;
  }
}
