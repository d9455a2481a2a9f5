/** Loads the configuration: finds the file, reads, expands and validates it, and reports every mistake at once. */

import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { isObject } from '../base/json.ts';
import { buildServer } from './build-server.ts';
import { checkedHeaders } from './build-transport.ts';
import {
  type BrokenReference,
  expandEnv,
  isHeaderOfCollector,
  type SecretLookup,
  secretsOfSections,
} from './expand-env.ts';
import { type ConfigLocation, type ConfigText, readConfigText } from './find-config.ts';
import { deepFreeze } from './freeze.ts';
import { warnMisspeltProjects, warnUnknownNames } from './idle-settings.ts';
import { checkIssuer } from './issuer-schema.ts';
import { type Fault, formatFault, IssueList, type Report } from './issues.ts';
import { formatPath, quoteKey, valueSource } from './locate.ts';
import { checkProject } from './project-schema.ts';
import { type Document, readJsonc } from './read-jsonc.ts';
import { fileSchema } from './schema.ts';
import { zodFaults } from './schema-parts.ts';
import { legalName } from './server-names.ts';
import type { ServerSpec } from './server-spec.ts';
import { finishSettings, type Settings } from './settings.ts';
import { TrustedConfigs } from './trusted-configs.ts';

/** The whole configuration, defaulted and frozen. `servers` holds those of the file, by legal name, broken ones too. */
export interface Config extends Settings {
  /** Names of the secrets that "telemetry.headers" refers to. */
  readonly telemetrySecrets: readonly string[];
  readonly servers: ReadonlyMap<string, ServerSpec>;
}

/** Where entries stand, by their names, as `file:line:column`. */
export interface ConfigPlaces {
  readonly servers: ReadonlyMap<string, string>;
  readonly projects: ReadonlyMap<string, string>;
}

export interface LoadedConfig {
  readonly config: Config;
  /** null: there is no config file, and the defaults apply. */
  readonly file: string | null;
  readonly places: ConfigPlaces;
  /** One sentence each, with its location: what was left out or will not work as it may seem. */
  readonly warnings: readonly string[];
  /** The same of names that are right where they were made at run time: for who cannot ask whether they were. */
  readonly doubts: readonly string[];
  /** Changes with the file that is used and with its content. */
  readonly fingerprint: string;
  /** Its source, parsed again when a secret changes. */
  readonly text: ConfigText;
}

/** Throws one `CONFIG_INVALID` whose `data.issues` are all the mistakes of the file, or CONFIG_UNTRUSTED. */
export async function loadConfig(location: ConfigLocation): Promise<LoadedConfig> {
  const text = await readConfigText(location);
  await new TrustedConfigs(resolve(location.cwd, location.dataDir)).mustCover(text);
  return parseConfig(text, location);
}

/** The same for looking at a config that nobody needs to trust: nothing may be done as it says. */
export async function inspectConfig(location: ConfigLocation): Promise<LoadedConfig> {
  return parseConfig(await readConfigText(location), location);
}

export function parseConfig(text: ConfigText, location: ConfigLocation): LoadedConfig {
  const document = text.file === null ? emptyDocument() : readJsonc(text.file, text.bytes);
  const warnings: string[] = [];
  const doubts: string[] = [];
  const reading: Reading = {
    document,
    env: location.env,
    secrets: location.secrets,
    baseDir: text.file === null ? resolve(location.cwd) : dirname(text.file),
    dataDir: resolve(location.cwd, location.dataDir),
    warn: (fault) => warnings.push(formatFault(document.source, fault)),
  };
  const sections = expandSections(document.value, reading);
  const settings = readSettings(reading, sections);
  const servers = readServers(reading);
  if (settings === null || !document.issues.isEmpty) throw document.issues.toError();
  warnUnknownNames(settings, servers, reading.warn);
  warnMisspeltProjects(settings, servers, (fault) => doubts.push(formatFault(document.source, fault)));
  const { file, fingerprint } = text;
  const places = {
    servers: placesOf(reading, 'mcpServers', legalName),
    projects: placesOf(reading, 'projects', (name) => name),
  };
  return {
    ...deepFreeze({
      config: { ...settings, servers, telemetrySecrets: sections.secrets },
      file,
      places,
      warnings,
      doubts,
      fingerprint,
    }),
    text,
  };
}

/** State that the steps of one load share. */
interface Reading {
  readonly document: Document;
  readonly env: NodeJS.ProcessEnv;
  readonly secrets: SecretLookup | undefined;
  readonly baseDir: string;
  readonly dataDir: string;
  readonly warn: Report;
}

function emptyDocument(): Document {
  const value = Object.create(null);
  const source = valueSource(value);
  return { value, source, issues: new IssueList(source) };
}

const settingsSchema = fileSchema(z.unknown());

/** null: mistakes were reported. */
function readSettings(reading: Reading, { expanded, broken }: ReturnType<typeof expandSections>): Settings | null {
  const { source, issues } = reading.document;
  for (const { path, text, message } of broken) if (message !== null) issues.add({ path, within: text, message });
  const parsed = settingsSchema.safeParse(expanded);
  if (parsed.success) {
    const { $schema, mcpServers, ...values } = parsed.data;
    for (const [name, input] of Object.entries(values.projects))
      checkProject(name, input, ['projects', name], issues.add);
    checkIssuer(values.access, issues.add, reading.warn);
    checkedHeaders(values.telemetry.headers, { path: ['telemetry'], report: issues.add });
    return finishSettings(values, reading);
  }
  // A value with a missing variable was reported already; that it is also malformed follows from that.
  const told = new Set(broken.map(({ path }) => formatPath(path)));
  for (const fault of zodFaults(parsed.error, [], source)) if (!told.has(formatPath(fault.path))) issues.add(fault);
  return null;
}

/** Servers are left as they are: each is expanded by itself, so that a missing variable of one does not fail the others. */
function expandSections(value: unknown, { env, secrets, warn }: Reading) {
  const broken: BrokenReference[] = [];
  const names: string[] = [];
  if (!isObject(value)) return { expanded: value, broken, secrets: names };
  const expanded: Record<string, unknown> = Object.create(null);
  for (const [key, section] of Object.entries(value)) {
    const isVerbatim = key === 'mcpServers' || key === '$schema';
    const result = isVerbatim
      ? { value: section, broken: [], secrets: [] }
      : expandEnv(section, [key], env, secretsOfSections(secrets));
    expanded[key] = key === 'telemetry' ? withoutUnset(result.value, result.broken, warn) : result.value;
    broken.push(...result.broken.filter((one) => !isUnset(one)));
    names.push(...result.secrets);
  }
  return { expanded, broken, secrets: names };
}

function isUnset({ path, text }: BrokenReference): boolean {
  return isHeaderOfCollector(path) && text.startsWith('${secret:');
}

/** A header without its secret is left out and told. The gateway must start all the same: the secret is set with its help. */
function withoutUnset(telemetry: unknown, broken: readonly BrokenReference[], warn: Report): unknown {
  if (!isObject(telemetry) || !isObject(telemetry.headers)) return telemetry;
  const headers: Record<string, unknown> = { ...telemetry.headers };
  for (const { path, text, message } of broken.filter(isUnset)) {
    delete headers[String(path[2])];
    if (message !== null) warn({ path, within: text, message });
  }
  return { ...telemetry, headers };
}

function readServers(reading: Reading): Map<string, ServerSpec> {
  const { source, value, issues } = reading.document;
  const members = isObject(value) && isObject(value.mcpServers) ? value.mcpServers : {};
  const servers = new Map<string, ServerSpec>();
  const keysByName = new Map<string, string>();
  for (const [key, raw] of Object.entries(members)) {
    const path = ['mcpServers', key];
    const name = legalName(key);
    const other = keysByName.get(name);
    if (other !== undefined) issues.add(sameName(reading, other, key, name));
    keysByName.set(name, other ?? key);
    const spec = buildServer(key, raw, 'file', { ...reading, source, path, report: issues.add });
    if (spec !== null && other === undefined) servers.set(name, spec);
  }
  return servers;
}

function placesOf(
  { document: { source, value } }: Reading,
  section: 'mcpServers' | 'projects',
  nameOf: (key: string) => string,
): Map<string, string> {
  const entries = isObject(value) ? value[section] : undefined;
  const keys = isObject(entries) ? Object.keys(entries) : [];
  return new Map(
    keys.flatMap((key) => {
      const at = source.position([section, key], 'key');
      return source.file === null || at === null ? [] : [[nameOf(key), `${source.file}:${at.line}:${at.column}`]];
    }),
  );
}

function sameName(reading: Reading, first: string, second: string, name: string): Fault {
  const at = reading.document.source.position(['mcpServers', first], 'key');
  const location = at === null ? '' : ` (line ${at.line}, column ${at.column})`;
  return {
    path: ['mcpServers', second],
    at: 'key',
    message: `the servers ${quoteKey(first)}${location} and ${quoteKey(second)} would both be named "${name}"; rename one of them.`,
  };
}
