/** The settings of a server, as they are given on the command line. */

import type { SettingChanges } from '../../admin/admin.ts';
import { GatewayError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import type { FlagDeclarations } from './command.ts';
import { readNames } from './read-names.ts';

const longestMs = 2_147_483_647;
const choices = ['allow', 'ask', 'deny'] as const;

/** For `add` and `set`. */
export const toolsFlag = {
  value: 'A,B|all',
  summary: 'The only tools that agents see, separated by commas; * stands for any characters. all: every tool',
} as const;

export const settingFlags = {
  tools: toolsFlag,
  permission: {
    value: 'TOOL=allow|ask|deny',
    isRepeatable: true,
    summary: 'Allow a tool, ask before each call, or deny it; * in its name stands for any characters',
  },
  alias: { value: 'NAME=TOOL', isRepeatable: true, summary: 'One more name for a tool' },
  category: { value: 'NAME', summary: 'The category of its tools' },
  upgrades: {
    value: 'POLICY',
    choices: ['hold', 'mark', 'allow'],
    summary: 'Risky changes of its definitions wait, pass with a mark, or pass',
  },
  title: { value: 'TEXT', summary: 'A name for people' },
  description: { value: 'TEXT', summary: 'The purpose of the server' },
  'timeout-ms': { value: 'N', number: { least: 1, most: longestMs }, summary: 'Time for one call' },
  'cache-ttl-ms': {
    value: 'N',
    number: { least: 0, most: longestMs },
    summary: 'How long results of read-only tools are used again; 0: never',
  },
  'idle-ms': {
    value: 'N',
    number: { least: 0, most: longestMs },
    summary: 'Idle time before the connection is closed; 0: never',
  },
  'max-concurrent': { value: 'N', number: { least: 1, most: 1_024 }, summary: 'Calls that run at once' },
  unset: {
    value: 'KEY',
    isRepeatable: true,
    summary: 'A setting to put back to its default, or one entry of a table, such as permissions.TOOL or aliases.NAME',
  },
} as const satisfies FlagDeclarations;

interface SettingFlagValues {
  readonly tools: string | undefined;
  readonly permission: readonly string[];
  readonly alias: readonly string[];
  readonly category: string | undefined;
  readonly upgrades: string | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly 'timeout-ms': number | undefined;
  readonly 'cache-ttl-ms': number | undefined;
  readonly 'idle-ms': number | undefined;
  readonly 'max-concurrent': number | undefined;
  readonly unset: readonly string[];
}

/** Only what was given. Throws USAGE where that is nothing, or one thing twice. */
export function readSettings(flags: SettingFlagValues): SettingChanges {
  const given = new Map<string, unknown>();
  const tables = { permissions: new Map<string, unknown>(), aliases: new Map<string, unknown>() };
  const note = (table: Map<string, unknown>, key: string, value: unknown, what: string) => {
    if (table.has(key)) throw new GatewayError('USAGE', `${what} is given twice.`);
    table.set(key, value);
  };
  for (const [flag, key] of plainSettings) {
    const value = flag === 'tools' ? readTools(flags.tools) : flags[flag];
    if (value !== undefined) given.set(key, value);
  }
  for (const pair of flags.permission) {
    const [tool, permission] = splitAt(
      pair,
      pair.lastIndexOf('='),
      '--permission',
      'TOOL=allow, TOOL=ask or TOOL=deny',
    );
    const choice = choices.find((item) => item === permission);
    if (choice === undefined) throw notAChoice(permission);
    note(tables.permissions, tool, choice, `The permission of "${tool}"`);
  }
  for (const pair of flags.alias) {
    const [alias, tool] = splitAt(pair, pair.indexOf('='), '--alias', 'NAME=TOOL');
    note(tables.aliases, alias, tool, `The alias "${alias}"`);
  }
  for (const wanted of flags.unset) {
    const [first = '', ...rest] = wanted.split('.');
    const key = keyOf(first);
    const what = `"${wanted}"`;
    if (rest.length === 0) note(given, key, null, what);
    else if (key === 'permissions' || key === 'aliases') note(tables[key], rest.join('.'), null, what);
    else
      throw new GatewayError('USAGE', `--unset ${wanted}: "${key}" has no entries.`, { hint: `Try: --unset ${key}` });
  }
  for (const [key, table] of Object.entries(tables))
    if (table.size > 0) note(given, key, Object.fromEntries(table), `"${key}"`);
  if (given.size > 0) return Object.fromEntries(given);
  throw new GatewayError('USAGE', 'No setting to change was given.', { hint: 'See: toolcrib set --help' });
}

/** Undefined where the flag is left out; null: every tool. */
export function readTools(text: string | undefined): string[] | null | undefined {
  return text === 'all' ? null : readNames('tools', text);
}

/** Flags whose value is the setting, and the names that settings have in the config file. */
const plainSettings = [
  ['tools', 'tools'],
  ['category', 'category'],
  ['upgrades', 'upgrades'],
  ['title', 'title'],
  ['description', 'description'],
  ['timeout-ms', 'timeoutMs'],
  ['cache-ttl-ms', 'cacheTtlMs'],
  ['idle-ms', 'idleMs'],
  ['max-concurrent', 'maxConcurrent'],
] as const;

/** The setting that is meant by its flag or by its name in the config file. */
function keyOf(word: string): string {
  const keys = new Map<string, string>([
    ...plainSettings,
    ...plainSettings.map(([, key]) => [key, key] as const),
    ...['permission', 'permissions'].map((name) => [name, 'permissions'] as const),
    ...['alias', 'aliases'].map((name) => [name, 'aliases'] as const),
  ]);
  const key = keys.get(word);
  if (key !== undefined) return key;
  const [best] = nearest(word, keys.keys(), 1);
  throw new GatewayError('USAGE', `There is no setting "${word}" to unset.`, {
    hint: best === undefined ? `These exist: ${[...new Set(keys.values())].join(', ')}` : `Did you mean "${best}"?`,
  });
}

function splitAt(pair: string, at: number, flag: string, form: string): [string, string] {
  const [left, right] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
  if (at > 0 && left !== '' && right !== '') return [left, right];
  throw new GatewayError('USAGE', `${flag} must be written as ${form}, not "${pair}".`);
}

function notAChoice(permission: string): GatewayError {
  const [best] = nearest(permission, choices, 1);
  return new GatewayError('USAGE', `A permission must be one of ${choices.join(', ')}, not "${permission}".`, {
    hint: best === undefined ? undefined : `Did you mean "${best}"?`,
  });
}
