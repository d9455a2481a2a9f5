/** The text of an agent's config file as a plain value. A message about a mistake in it names the line. */

import { parse as parseToml, TomlError } from 'smol-toml';
import { GatewayError } from '../base/errors.ts';
import { limits, readJsonc } from '../config/config.ts';
import type { FileFormat } from './agents.ts';
import { YamlMistake, yamlDocument, yamlValue } from './yaml-document.ts';

/** A larger file is not read. Agents keep their history in JSON alone. */
export function mostBytesOf(format: FileFormat): number {
  return format === 'jsonc' ? limits.maxAgentFileBytes : limits.maxConfigBytes;
}

/** An empty file is an empty object. Throws CONFIG_INVALID with `file:line:column`. */
export function parseAgentFile(path: string, bytes: Uint8Array, format: FileFormat): unknown {
  const text = decode(path, bytes);
  if (format === 'yaml') return readYaml(path, text) ?? {};
  if (text.trim() === '') return {};
  if (format === 'toml') return readToml(path, text);
  const { value, issues } = readJsonc(path, bytes);
  if (!issues.isEmpty) throw issues.toError();
  return value;
}

function decode(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    const hint = 'Save it in that encoding and try again.';
    throw new GatewayError('CONFIG_INVALID', `${path} is not UTF-8 text.`, { hint, cause });
  }
}

function readToml(path: string, text: string): unknown {
  try {
    const value = parseToml(text, { maxDepth: limits.maxConfigDepth });
    if (!isDeep(value)) return value;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw broken(path, error.line, error.column, error);
  }
  const message = `${path} nests tables deeper than ${limits.maxConfigDepth} levels.`;
  throw new GatewayError('CONFIG_INVALID', message, { hint: 'Shorten its keys with dots.' });
}

/** The parser bounds brackets alone, and a key with dots nests as well. */
function isDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= limits.maxConfigDepth; depth += 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}

function readYaml(path: string, text: string): unknown {
  try {
    return yamlValue(yamlDocument(text));
  } catch (error) {
    if (!(error instanceof YamlMistake)) throw error;
    const lines = text.slice(0, error.offset).split(/\r\n|\n|\r/);
    throw broken(path, lines.length, (lines.at(-1)?.length ?? 0) + 1, error);
  }
}

/** The first line of the parser's message; the others show the text, which may hold secrets. */
function broken(path: string, line: number, column: number, cause: Error): GatewayError {
  const [why = ''] = cause.message.split('\n');
  return new GatewayError('CONFIG_INVALID', `${path}:${line}:${column}: ${why}`, { cause });
}
