/** Reads a file that was named on the line, or stdin, as text; and JSON as people write it there. */

import { isUtf8 } from 'node:buffer';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { GatewayError, messageOf, systemCodeOf } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { readOthersFile } from '../../base/others-file.ts';
import type { CliHost, CommandContext } from './context.ts';

/** `-` reads stdin. Throws USAGE. */
export async function readTextFile(file: string, { host }: CommandContext): Promise<string> {
  const bytes = await (file === '-' ? readStdin(host) : readNamed(file, host));
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new GatewayError('USAGE', `${nameOf(file)} is not text in UTF-8.`);
}

function readStdin({ stdin }: CliHost): Promise<Buffer> {
  return buffer(stdin).catch((error) => {
    throw new GatewayError('USAGE', `stdin can't be read (${systemCodeOf(error) ?? messageOf(error)}).`, {
      cause: error,
    });
  });
}

async function readNamed(file: string, { cwd, signal }: CliHost): Promise<Buffer> {
  const hint = 'Name a file, or write "-" and pipe the text in.';
  const read = await readOthersFile(resolve(cwd, file), { code: 'USAGE', name: nameOf(file), hint, signal });
  if (read === undefined) throw new GatewayError('USAGE', `There is no file "${file}".`);
  return read.bytes;
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
