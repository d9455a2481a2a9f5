/** What a config could do, as it is written: the programs that it starts, the addresses that it reaches, and its other settings. */

import { isObject } from '../base/json.ts';
import { isSecretKey, redactText } from '../base/redact.ts';
import { dangerousVariables } from './dangerous-env.ts';
import type { ConfigText } from './find-config.ts';
import { formatPath, type KeyPath } from './locate.ts';
import { readJsonc } from './read-jsonc.ts';

export interface ConfigPowers {
  readonly servers: readonly ServerPower[];
  /** Every other setting. */
  readonly settings: readonly WrittenSetting[];
}

export interface ServerPower {
  readonly name: string;
  /** Its command line or URL; empty where it has neither. */
  readonly target: string;
  /** Its other settings. */
  readonly settings: readonly WrittenSetting[];
}

export interface WrittenSetting {
  readonly key: string;
  readonly value: string;
}

/** Variables stay as they are written, and literal secrets are masked. Throws CONFIG_INVALID for what is no JSON. */
export function powersOf({ file, bytes }: ConfigText): ConfigPowers {
  const { value } = readJsonc(file ?? '', bytes);
  const { mcpServers, ...sections } = isObject(value) ? value : {};
  const entries = isObject(mcpServers) ? Object.entries(mcpServers) : [];
  return { servers: entries.map(([name, entry]) => serverPower(name, entry)), settings: leavesOf(sections, []) };
}

function serverPower(name: string, entry: unknown): ServerPower {
  const { command, args, url, ...others } = isObject(entry) ? entry : {};
  const words = [command ?? [], args ?? []].flat().map(asText);
  // A word that could be code is shown whole: it must not hide by looking like a secret.
  const shown = [
    ...[url ?? []].flat().map(asText).map(masked),
    ...words.map((word) => (harmless.test(word) ? masked(word) : word)),
  ];
  return { name, target: shown.map(quoted).join(' '), settings: leavesOf(others, []) };
}

function asText(word: unknown): string {
  return typeof word === 'string' ? word : JSON.stringify(word);
}

/** An address, or a name or an option. */
const harmless = /^(?:[a-z][a-z\d+.-]*:\/\/[^\s;|&$`'"()<>{}[\]\\]+|[^\s:;|&$`'"()<>{}[\]\\]+)$/i;

/** As a shell would have to be told it. */
function quoted(text: string): string {
  return /^[\w@%+=:,./${}?&#~*!-]+$/.test(text) ? text : JSON.stringify(text);
}

/** Recursion is safe: the depth was checked when the text was read. */
function leavesOf(value: unknown, path: KeyPath): WrittenSetting[] {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (members.length > 0 || path.length === 0) return members.flatMap(([key, item]) => leavesOf(item, [...path, key]));
  return [{ key: formatPath(path), value: shownValue(JSON.stringify(value), path) }];
}

function shownValue(text: string, path: KeyPath): string {
  const key = String(path.at(-1));
  const isVariable = path.at(-2) === 'env' && dangerousVariables([key]).length > 0;
  if (isVariable || path.includes('agentCommand')) return text;
  return isSecretKey(key) ? hidden(text) : masked(text);
}

/** A reference to a variable or a secret is what the owner has to see, and is none itself. */
const reference = '${';

function masked(text: string): string {
  return text.includes(reference) ? text : redactText(text);
}

function hidden(text: string): string {
  return text.includes(reference) ? text : '"***"';
}
