/** Puts Toolcrib into a config file of an agent, and takes it out again: in steps that can be cut off anywhere and repeated. */

import type { Admin, OutputOf } from '../../../admin/admin.ts';
import {
  type AgentId,
  type AgentMachine,
  agents,
  type ChosenFile,
  chooseFile,
  entriesOf,
  type FoundAt,
  filesOf,
  hashOfText,
  type Installation,
  type Installations,
  installedText,
  leadsTo,
  ownEntry,
  ownersAlone,
  ownTransport,
  type RestoredText,
  readToEdit,
  restoredText,
  type SeenFile,
  type WayIn,
  writeEdited,
} from '../../../agent-files/agent-files.ts';
import { GatewayError } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';

/** The ways in which agents reach the gateway. */
export interface GatewayWays {
  /** The address of the agent door; null: nobody knows it yet. */
  readonly url: string | null;
  /** False: it is another one after the next start. */
  readonly isLasting: boolean;
  /** The words that start the bridge. */
  readonly bridge: readonly [string, ...string[]];
}

export interface InstallOptions {
  readonly scope: 'user' | 'project';
  /** Left out: the one that is there, else HTTP where the agent and the file allow it. */
  readonly transport: 'http' | 'stdio' | undefined;
  /** Instead of HTTP where Toolcrib is not in the file yet. */
  readonly firstTransport: 'stdio' | undefined;
  readonly machine: AgentMachine;
  readonly ways: GatewayWays;
  /** Entries to take out, if they are in the file. */
  readonly moved: readonly FoundAt[];
}

export interface InstallPlan extends ChosenFile {
  readonly agent: AgentId;
  readonly scope: 'user' | 'project';
  readonly transport: 'http' | 'stdio';
  readonly surface: 'direct' | 'search';
  /** A file that people share holds no token. */
  readonly hasToken: boolean;
  /** A caution about the way; null: none is needed. */
  readonly note: string | null;
  readonly before: Installation | undefined;
  /** The text without Toolcrib; null: there is no file. */
  readonly base: string | null;
  readonly replaced: readonly string[];
  /** Names under which somebody wrote another entry since the last install. */
  readonly left: readonly string[];
  /** The file has an entry of our name that we did not write. */
  readonly isNameTaken: boolean;
  entry(token: string): JsonObject;
}

export async function planInstall(
  agent: AgentId,
  options: InstallOptions,
  installations: Installations,
): Promise<InstallPlan> {
  const { scope, machine } = options;
  const chosen = await chooseFile(agent, scope, machine);
  const { place, seen } = chosen;
  const before = await installations.find(place);
  const present = before ?? unrecorded(agent, scope, chosen);
  const asFound: RestoredText = { text: seen.text, putBack: [], left: [] };
  const { text: base, left } = present
    ? restoredText(seen.text, present, await installations.backupOf(present))
    : asFound;
  const isNameTaken = entriesOf(base ?? '', place).has(ownEntry);
  const moved = options.moved.filter((at) => at.file === place.file && at.scope === scope).map(({ name }) => name);
  const still = (before?.replaced ?? []).filter((name) => !left.includes(name));
  const replaced = new Set([...still, ...moved, ...(isNameTaken ? [ownEntry] : [])]);
  return {
    ...chosen,
    ...wayFor(agent, { ...options, transport: options.transport ?? usualTransport(agent, chosen, options) }),
    agent,
    scope,
    before,
    base,
    replaced: [...replaced],
    left,
    isNameTaken: isNameTaken && !still.includes(ownEntry),
  };
}

/** Undefined: HTTP if possible, which then is no order. */
function usualTransport(agent: AgentId, { place, seen }: ChosenFile, { firstTransport }: InstallOptions) {
  const present = ownTransport(agent, seen.text ?? '', place);
  if (present === undefined) return firstTransport;
  return present === 'stdio' ? present : undefined;
}

/** Our entry in a file that no record tells of, as after the data folder was deleted. Only the entry itself can be undone. */
function unrecorded(agent: AgentId, scope: Installation['scope'], { place, seen }: ChosenFile) {
  const text = seen.text ?? '';
  if (ownTransport(agent, text, place) === undefined) return undefined;
  const entries = [{ token: null, leadsTo: leadsTo(agent, entriesOf(text, place).get(ownEntry)) }];
  return { agent, scope, place, entries, wrote: null, isNew: false, replaced: [] };
}

/** Of the user alone: an entry of project scope holds no token, so it works with any data folder. */
export async function findUnrecorded(
  agent: AgentId,
  machine: AgentMachine,
  installations: Installations,
): Promise<Installation[]> {
  const found = (await filesOf(agent, 'user', machine)).flatMap((file) => unrecorded(agent, 'user', file) ?? []);
  const isRecorded = await Promise.all(found.map(({ place }) => installations.find(place)));
  return found.filter((_one, at) => isRecorded[at] === undefined);
}

type Way = Pick<InstallPlan, 'transport' | 'surface' | 'hasToken' | 'note' | 'entry'>;

/** The surface goes with the token, or else with the bridge. */
function wayFor(agent: AgentId, options: InstallOptions): Way {
  const { scope, transport, ways } = options;
  const { entry: shape, defersTools } = agents[agent];
  const surface = defersTools ? 'direct' : 'search';
  const write = (way: WayIn) => shape.write(way, ownEntry);
  const hasToken = scope === 'user';
  const [command, ...args] = ways.bridge;
  const overHttp = (token: string): WayIn => ({
    kind: 'http',
    url: ways.url ?? '',
    headers: { Authorization: `Bearer ${token}` },
  });
  const overStdio = (token: string): WayIn => ({
    kind: 'stdio',
    command,
    args,
    env: hasToken ? { TOOLCRIB_TOKEN: token } : { TOOLCRIB_SURFACE: surface },
  });
  const canHttp = hasToken && transport !== 'stdio' && write(overHttp('')) !== null;
  // An address that is gone tomorrow is written by order alone.
  const isHttp = canHttp && ways.url !== null && (ways.isLasting || transport === 'http');
  if (transport === 'http' && !isHttp) throw noHttp(agent, options);
  const way = isHttp ? overHttp : overStdio;
  const note = canHttp && !ways.isLasting ? passingNotes[isHttp ? 'http' : 'stdio'] : null;
  // Every agent can start a program.
  return { transport: isHttp ? 'http' : 'stdio', surface, hasToken, note, entry: (token) => write(way(token)) ?? {} };
}

/** For a gateway that takes any free port. */
const passingNotes = {
  http: 'The gateway takes another port at its next start. Install again then, or leave --transport out.',
  stdio: 'The port of the gateway changes with each start, so the agent connects over stdio, which finds it.',
} as const;

function noHttp(agent: AgentId, { scope, ways }: InstallOptions): GatewayError {
  const { title } = agents[agent];
  const reason =
    scope === 'project'
      ? 'a file of project scope holds no token'
      : ways.url === null
        ? 'the gateway takes any free port'
        : 'it sends no token to a URL';
  return new GatewayError('USAGE', `${title} can't connect over HTTP: ${reason}.`, { hint: 'Leave --transport out.' });
}

type TokenRow = OutputOf<'tokens.list'>[number];

/** False: Toolcrib was there already, in this very way. The agent keeps its old token until the file has the new one. */
export async function installAgent(plan: InstallPlan, admin: Admin, installations: Installations): Promise<boolean> {
  const { agent, scope, place, seen, before, base, replaced } = plan;
  const tokens = await admin.run('tokens.list', { ended: true });
  if (isInstalled(plan, tokens)) return false;
  const token = plan.hasToken ? freeName(agent, tokens) : null;
  const entry = { token, leadsTo: leadsTo(agent, plan.entry('')) };
  const earlier = before?.entries ?? [];
  const entries = [...earlier, entry];
  const begun: Installation = { agent, scope, place, entries, wrote: null, isNew: base === null, replaced };
  if (before !== undefined) await keepOlder(before, plan.left, installations);
  await installations.saveBackup(begun, base);
  await installations.save(begun);
  let made: OutputOf<'tokens.create'> | undefined;
  let written = begun;
  try {
    if (token !== null) made = await admin.run('tokens.create', { name: token, surface: plan.surface });
    const text = installedText(base, place, plan.entry(made?.token ?? ''), replaced);
    written = { ...begun, wrote: hashOfText(text) };
    await installations.save(written);
    await writeEdited(plan.hasToken ? ownersAlone(seen) : seen, text);
  } catch (error) {
    // Where this fails, too, the record stays, and another try or `uninstall` goes on from it.
    await takeBack(begun, before, made?.id, admin, installations).catch(() => {});
    throw error;
  }
  if (earlier.length === 0) return true;
  await revokeTokens(
    earlier.filter((old) => old.token !== token),
    admin,
  );
  await installations.save({ ...written, entries: [entry] });
  return true;
}

/** `tokenId`: of the token that was made. */
async function takeBack(
  begun: Installation,
  before: Installation | undefined,
  tokenId: string | undefined,
  admin: Admin,
  installations: Installations,
): Promise<void> {
  if (tokenId !== undefined) await admin.run('tokens.revoke', { name: tokenId });
  if (before === undefined) await installations.remove(begun);
  else await installations.save(before);
}

/** The backup, where it has entries that do not come back since others have their names. Resolves with the path of the copy. */
async function keepOlder(
  installation: Installation,
  left: readonly string[],
  installations: Installations,
): Promise<string | null> {
  const isNeeded = left.some((name) => installation.replaced.includes(name));
  return isNeeded ? installations.keepBackup(installation) : null;
}

/** The token of a file is known from the file alone. */
function isInstalled(
  { before, base, place, seen, replaced, hasToken, entry }: InstallPlan,
  tokens: readonly TokenRow[],
) {
  const [written, ...others] = before?.entries ?? [];
  if (written === undefined || others.length > 0 || seen.text === null) return false;
  if (hasToken && !tokens.some(({ name, state }) => name === written.token && state === 'active')) return false;
  const own = JSON.stringify(entriesOf(seen.text, place).get(ownEntry) ?? null);
  const token = /tc_[\w-]+/.exec(own)?.[0] ?? '';
  return installedText(base, place, entry(token), replaced) === seen.text;
}

function isLiving(name: string, tokens: readonly TokenRow[]): boolean {
  return tokens.some((token) => token.state !== 'revoked' && token.name.toLowerCase() === name.toLowerCase());
}

function freeName(agent: AgentId, tokens: readonly TokenRow[]): string {
  let name: string = agent;
  for (let number = 2; isLiving(name, tokens); number += 1) name = `${agent}-${number}`;
  return name;
}

interface RestoredFile extends RestoredText {
  readonly seen: SeenFile;
}

/** The file as it is, and its text without Toolcrib. */
export async function restoredFile(
  installation: Installation,
  installations: Installations,
  signal: AbortSignal,
): Promise<RestoredFile> {
  const { file, format } = installation.place;
  const seen = await readToEdit(file, format, signal);
  return { seen, ...restoredText(seen.text, installation, await installations.backupOf(installation)) };
}

/**
 * The file first: as long as the record is there, this can be repeated. Resolves with the path of a copy of the backup, if that
 * has entries that did not come back.
 */
export async function uninstallAgent(
  installation: Installation,
  { seen, text, left }: RestoredFile,
  admin: Admin,
  installations: Installations,
): Promise<string | null> {
  const kept = await keepOlder(installation, left, installations);
  if (text !== seen.text) await writeEdited(seen, text);
  await revokeTokens(installation.entries, admin);
  await installations.remove(installation);
  return kept;
}

async function revokeTokens(entries: Installation['entries'], admin: Admin): Promise<void> {
  const tokens = await admin.run('tokens.list', { ended: true });
  for (const name of new Set(entries.map(({ token }) => token)))
    if (name !== null && isLiving(name, tokens)) await admin.run('tokens.revoke', { name });
}
