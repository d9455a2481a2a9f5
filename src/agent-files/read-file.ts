/** Reads a config file of an agent as a plain value. A message about a mistake in it names the line. */

import { open, stat } from 'node:fs/promises';
import { parse as parseToml, TomlError } from 'smol-toml';
import { type Document, LineCounter, parseDocument, visit } from 'yaml';
import { GatewayError, messageOf, systemCodeOf } from '../base/errors.ts';
import { limits, readJsonc } from '../config/config.ts';
import type { FileFormat } from './agents.ts';

/** undefined: there is no such file. Throws CONFIG_INVALID with `file:line:column`, or that it can't be read. */
export async function readAgentFile(path: string, format: FileFormat): Promise<unknown> {
  const bytes = await readBytes(path);
  return bytes === undefined ? undefined : parseAgentFile(path, bytes, format);
}

/** An empty file is an empty object. */
export function parseAgentFile(path: string, bytes: Uint8Array, format: FileFormat): unknown {
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') return {};
  if (format === 'toml') return readToml(path, text);
  if (format === 'yaml') return readYaml(path, text);
  const { value, issues } = readJsonc(path, bytes);
  if (!issues.isEmpty) throw issues.toError();
  return value;
}

/** undefined: there is no such file. Throws CONFIG_INVALID for one that can't be read, is no plain file, or is too large. */
export async function readBytes(path: string): Promise<Uint8Array | undefined> {
  try {
    // Asked before opening, because opening a pipe would wait for its writer.
    if (!(await stat(path)).isFile()) throw new Error('it is not a regular file');
    await using file = await open(path);
    const { size } = await file.stat();
    if (size <= limits.maxAgentFileBytes) return await file.readFile();
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new GatewayError('CONFIG_INVALID', `${path} can't be read: ${messageOf(error)}`, { cause: error });
  }
  throw new GatewayError(
    'CONFIG_INVALID',
    `${path} is larger than ${limits.maxAgentFileBytes} bytes and was not read.`,
  );
}

function readToml(path: string, text: string): unknown {
  try {
    return parseToml(text, { maxDepth: limits.maxConfigDepth });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw broken(path, error.line, error.column, error);
  }
}

function readYaml(path: string, text: string): unknown {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  const [error] = document.errors;
  const brokenAt = (offset: number, cause: Error) => {
    const { line, col } = lineCounter.linePos(offset);
    return broken(path, line, col, cause);
  };
  if (error !== undefined) throw brokenAt(error.pos[0], error);
  try {
    return document.toJS({ maxAliasCount: mostAliases });
  } catch (cause) {
    // Aliases without an anchor, and too many of them, are found only now.
    if (!(cause instanceof ReferenceError)) throw cause;
    throw brokenAt(aliasAtFault(document), cause);
  }
}

/** The first alias without an anchor; else the last alias, since there are too many. */
function aliasAtFault(document: Document): number {
  let offset = 0;
  visit(document, {
    Alias(_key, alias) {
      offset = alias.range?.[0] ?? offset;
      return alias.resolve(document) === undefined ? visit.BREAK : undefined;
    },
  });
  return offset;
}

/** Aliases of aliases can make a small file endless. */
const mostAliases = 100;

/** The first line of the parser's message; the others show the text, which may hold secrets. */
function broken(path: string, line: number, column: number, cause: Error): GatewayError {
  const [why = ''] = cause.message.split('\n');
  return new GatewayError('CONFIG_INVALID', `${path}:${line}:${column}: ${why}`, { cause });
}
