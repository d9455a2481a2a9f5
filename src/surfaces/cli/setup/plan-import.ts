/** Plans what `import` does with each server that other agents have. Changes nothing. */

import type { Admin } from '../../../admin/admin.ts';
import {
  type AgentId,
  type AgentMachine,
  type FileTrouble,
  type FoundAt,
  findServers,
  type MergedServer,
  mergeFound,
  type TakenSecret,
  takeSecrets,
  withoutVariables,
} from '../../../agent-files/agent-files.ts';
import { messageOf } from '../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../base/json.ts';
import { isSecretKey, mask, redactedBeginning, redactText } from '../../../base/redact.ts';
import { dangerousVariables, inheritedVariables, legalName, refuseDangerousVariables } from '../../../config/config.ts';

/** `equal`: a server of ours already. `conflict`: another server has its name, so it comes under a new one. */
export type ImportState = 'new' | 'conflict' | 'equal' | 'impossible';

export interface ImportRow {
  readonly state: ImportState;
  /** Its name here. */
  readonly name: string;
  readonly from: readonly FoundAt[];
  /** False: it is only in files that came with a project, so its owner has to say that it is trusted. */
  readonly isOwn: boolean;
  /** Its command line or URL, without secrets. */
  readonly target: string;
  /** Why it is impossible. */
  readonly reason: string | null;
  readonly isEnabled: boolean;
  /** Variables that decide which code runs, in a file of the owner: a person has to allow them. Without secrets. */
  readonly variables: readonly { readonly name: string; readonly value: string }[];
  /** Names of literal secrets that go to the vault. */
  readonly secrets: readonly string[];
  /** Names of secrets that a person has to set. */
  readonly secretsToSet: readonly string[];
  readonly notes: readonly string[];
}

/** A row with what is needed to add it; never printed. */
export interface Importable extends ImportRow {
  readonly spec: JsonObject;
  readonly values: readonly TakenSecret[];
}

export interface ImportPlan {
  readonly rows: readonly ImportRow[];
  /** Those that are new. */
  readonly importable: readonly Importable[];
  readonly troubles: readonly FileTrouble[];
}

export async function planImport(admin: Admin, ids: readonly AgentId[], machine: AgentMachine): Promise<ImportPlan> {
  const { servers, troubles } = await findServers(ids, machine);
  const known = await admin.run('secrets.list', {});
  const secrets = new Set(known.filter(({ state }) => state !== 'missing').map(({ name }) => name));
  const rows: ImportRow[] = [];
  const importable: Importable[] = [];
  for (const server of mergeFound(servers, machine)) {
    const planned = await planServer(admin, server, secrets, new Set(importable.map(({ name }) => name)));
    if ('spec' in planned) importable.push(planned);
    rows.push(shown(planned));
  }
  for (const { reason, settings: _settings, notes, ...at } of servers.filter(({ settings }) => settings === null))
    rows.push({
      ...nothing,
      state: 'impossible',
      name: legalName(at.name),
      from: [at],
      isOwn: isOwnFile(at),
      target: '',
      reason,
      notes,
    });
  return { rows, importable, troubles };
}

const nothing = { reason: null, isEnabled: true, variables: [], secrets: [], secretsToSet: [], notes: [] };

/** The row alone, without values and settings. */
function shown(row: ImportRow): ImportRow {
  const { state, name, from, isOwn, target, reason, isEnabled, variables, secrets, secretsToSet, notes } = row;
  return { state, name, from, isOwn, target, reason, isEnabled, variables, secrets, secretsToSet, notes };
}

/** `given`: names that other servers of this plan have. */
async function planServer(
  admin: Admin,
  { settings: written, from, names, notes }: MergedServer,
  known: ReadonlySet<string>,
  given: ReadonlySet<string>,
): Promise<ImportRow | Importable> {
  const isOwn = from.some(isOwnFile);
  const settings = isOwn ? written : withoutOwnersVariables(written);
  const row = { ...nothing, from, isOwn, notes, isEnabled: settings.enabled !== false };
  const refusal = isOwn ? null : dangerIn(names[0], settings);
  if (refusal !== null)
    return { ...row, state: 'impossible', name: names[0], target: targetOf(settings, []), reason: refusal };
  for (const name of namesToTry(names)) {
    const taken = takeSecrets(name, settings, (secret) => known.has(secret));
    const spec = { ...(names[0] !== from[0].name && { title: from[0].name }), ...taken.settings };
    const literals = taken.secrets.map(({ value }) => value);
    const target = targetOf(settings, literals);
    const values = Object.fromEntries(taken.secrets.map((secret) => [secret.name, secret.value]));
    const { equalTo, isFree } = await admin.run('servers.compare', { name, spec, secrets: values });
    if (equalTo !== null) return { ...row, state: 'equal', name: equalTo, target };
    if (!isFree || given.has(name)) continue;
    const readable = isOwn ? [] : taken.wanted.filter((secret) => known.has(secret));
    return {
      ...row,
      state: name === names[0] ? 'new' : 'conflict',
      name,
      target,
      variables: variablesOf(settings, literals),
      secrets: Object.keys(values),
      secretsToSet: taken.wanted.filter((secret) => !known.has(secret)),
      notes: [...notes, ...readable.map((secret) => `It reads your secret ${secret}.`)],
      spec,
      values: taken.secrets,
    };
  }
  // The names never end.
  throw new Error(`There is no name for ${names[0]}.`);
}

function* namesToTry([first, second]: readonly [string, string]): Generator<string> {
  yield first;
  yield second;
  for (let number = 2; ; number += 1) yield legalName(`${second}-${number}`);
}

function isOwnFile({ scope }: FoundAt): boolean {
  return scope !== 'project';
}

/** A file that came with a project may read only the variables that every program gets, and send none elsewhere. */
function withoutOwnersVariables(settings: JsonObject): JsonObject {
  const allowed = new Set(settings.url === undefined ? inheritedVariables : []);
  // The same JSON with other texts.
  return withoutVariables(settings, (name) => allowed.has(name)) as JsonObject;
}

/** Variables that make a command run other programs are refused in a file that came with a project, even to those who trust it. */
function dangerIn(name: string, { env }: JsonObject): string | null {
  try {
    refuseDangerousVariables(name, Object.keys(isObject(env) ? env : {}));
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function targetOf({ command, args, url }: JsonObject, secrets: readonly string[]): string {
  const words = url === undefined ? [command, ...(Array.isArray(args) ? args : [])] : [url];
  // The default of a variable may be a secret.
  const withoutDefaults = words.join(' ').replace(/(\$\{[^{}:]+):-[^{}]*\}/g, '$1}');
  return redactText(withoutDefaults, secrets);
}

/** As much of a value as a person reads in a plan. */
const mostShownChars = 200;

function variablesOf({ env }: JsonObject, secrets: readonly string[]): ImportRow['variables'] {
  const given = isObject(env) ? env : {};
  const found = dangerousVariables(Object.keys(given)).map((name) => ({ name, value: String(given[name]) }));
  // Any odd value counts as a secret as a whole; a person has to read these, with their defaults, to decide about them.
  const others = secrets.filter((secret) => found.every(({ value }) => value !== secret));
  return found.map(({ name, value }) => ({
    name,
    value: isSecretKey(name) ? mask : redactedBeginning(value, mostShownChars, others),
  }));
}
