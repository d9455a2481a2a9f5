/** The work of `toolcrib install` and `uninstall`, one agent after the other, also after one has failed. */

import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Admin, OutputOf } from '../../../admin/admin.ts';
import {
  type AgentId,
  type AgentMachine,
  agentIds,
  agents,
  type FoundAt,
  type Installation,
  Installations,
  installedText,
  ownEntry,
  serversInText,
} from '../../../agent-files/agent-files.ts';
import { GatewayError } from '../../../base/errors.ts';
import { defaultDataDir } from '../../../base/folders.ts';
import { localUrlOf } from '../../../base/local-url.ts';
import { programWords } from '../../../base/own-program.ts';
import { parseServer, secretsOf } from '../../../config/config.ts';
import { tryLockFile } from '../../../store/lock/lock.ts';
import type { CommandOutcome } from '../command.ts';
import { askPerson, canAsk } from '../confirm.ts';
import type { CommandContext } from '../context.ts';
import { usualUrl } from '../listen-flags.ts';
import { type AdminAccess, withAdmin } from '../with-admin.ts';
import {
  findUnrecorded,
  type GatewayWays,
  type InstallPlan,
  installAgent,
  planInstall,
  restoredFile,
  uninstallAgent,
} from './install-agent.ts';
import { planImport } from './plan-import.ts';
import {
  changedLines,
  type InstallRow,
  renderInstalls,
  renderUninstalls,
  type UninstallRow,
} from './render-install.ts';
import { machineHere, readAgents } from './run-import.ts';

interface InstallFlags {
  readonly scope: string | undefined;
  readonly transport: string | undefined;
  /** For an agent without Toolcrib, where `transport` is left out. */
  readonly firstTransport?: 'stdio';
  readonly move: boolean;
  readonly 'dry-run': boolean;
  readonly yes: boolean;
}

export function runInstall(
  names: readonly string[],
  flags: InstallFlags,
  context: CommandContext,
): Promise<CommandOutcome & { readonly data: readonly InstallRow[] }> {
  const ids = readAgents(names.join(','));
  return withAdmin(context, async ({ admin, holder }) => {
    using _turn = await takeTurn(context);
    const { rows, trouble } = await eachOf(ids, (id) => installOne(id, flags, context, { admin, holder }));
    return { data: rows, text: renderInstalls(rows, holder !== null, context), trouble };
  });
}

async function installOne(
  agent: AgentId,
  flags: InstallFlags,
  context: CommandContext,
  { admin, holder }: Pick<AdminAccess, 'admin' | 'holder'>,
): Promise<InstallRow> {
  const machine = machineHere(context);
  const installations = new Installations(context.dataDir);
  const entries = flags.move ? await entriesToMove(agent, admin, machine) : [];
  const options = {
    scope: flags.scope === 'project' ? 'project' : 'user',
    transport: flags.transport === 'http' || flags.transport === 'stdio' ? flags.transport : undefined,
    firstTransport: flags.firstTransport,
    moved: entries.filter(({ reason }) => reason === null),
    ways: await waysOf(context, holder && (await admin.run('gateway.status', {}))),
    machine,
  } as const;
  const plan = await planInstall(agent, options, installations);
  if (flags['dry-run']) {
    const text = installedText(plan.base, plan.place, plan.entry('***'), plan.replaced);
    return { ...factsOf(plan, entries), state: 'planned', change: await changeOf(plan, plan.seen.text, text, machine) };
  }
  if (plan.isNameTaken && !flags.yes) await askToReplace(plan, context);
  const isChanged = await installAgent(plan, admin, installations);
  return { ...factsOf(plan, entries), state: isChanged ? 'installed' : 'unchanged', change: null };
}

function factsOf(
  { agent, scope, place, transport, surface, note, replaced }: InstallPlan,
  entries: readonly AgentEntry[],
) {
  const left = entries
    .filter((entry) => entry.file === place.file && entry.scope === scope)
    .flatMap(({ name, reason }) => (reason === null ? [] : [{ name, reason }]));
  const moved = replaced.filter((name) => name !== ownEntry);
  return { agent, scope, file: place.file, transport, surface, note, moved, left };
}

interface AgentEntry extends FoundAt {
  /** Why it is not moved; null: it is. */
  readonly reason: string | null;
}

/** Entries that are servers of ours as well are moved. One that never worked here stays where it works. */
async function entriesToMove(agent: AgentId, admin: Admin, machine: AgentMachine): Promise<readonly AgentEntry[]> {
  const { rows } = await planImport(admin, [agent], machine);
  const listed = (await admin.run('servers.list', {})).filter(({ listedAt }) => listedAt !== null);
  const working = new Set(listed.map(({ name }) => name));
  return rows.flatMap(({ state, name, from, reason: fault }) => {
    const stays = state === 'equal' ? 'its tools were never listed' : (fault ?? 'Toolcrib does not have it');
    const reason = state === 'equal' && working.has(name) ? null : stays;
    return from.map((at) => ({ ...at, reason }));
  });
}

/** `running`: null where no gateway is. */
async function waysOf(
  context: CommandContext,
  running: Pick<OutputOf<'gateway.status'>, 'url' | 'hasFixedPort'> | null,
): Promise<GatewayWays> {
  const { dataDir, configPath, host } = context;
  // The agent does not have this command's environment.
  const data = dataDir === defaultDataDir(host.env) ? [] : ['--data', dataDir];
  const config = configPath === undefined ? [] : ['--config', resolve(host.cwd, configPath)];
  const url = running ? running.url : await usualUrl(context);
  // A gateway of an older version does not say how it got its port.
  const isLasting = running ? running.hasFixedPort !== false : url !== null;
  return { url: url && `${localUrlOf(url)}/mcp`, isLasting, bridge: [...programWords(), 'stdio', ...data, ...config] };
}

async function askToReplace({ place }: InstallPlan, context: CommandContext): Promise<void> {
  const fact = `${place.file} has an entry "${ownEntry}" that this command did not write.`;
  const answer = canAsk(context) ? await askPerson(context, `${fact} Replace it? [y/N] `) : 'n';
  if (/^y(es)?$/i.test(answer)) return;
  throw new GatewayError('NAME_TAKEN', `${fact} Nothing was changed.`, {
    hint: 'Replace it with --yes; "toolcrib uninstall" puts it back.',
  });
}

/** The lines of a file that go and come, without the secrets of the servers in either text. */
async function changeOf(
  where: Pick<Installation, 'agent' | 'scope' | 'place'>,
  before: string | null,
  after: string | null,
  machine: AgentMachine,
): Promise<string[]> {
  const texts = [before ?? '', after ?? ''];
  const servers = (await Promise.all(texts.map((text) => serversInText(text, where, machine)))).flat();
  const secrets = servers.flatMap(({ name, settings, entry }) =>
    settings === null ? textsIn(entry) : secretsOf(parseServer(name, settings, machine.env, 'store').transport),
  );
  return changedLines(before, after, secrets);
}

/** Of an entry that cannot be read as a server, any text may be a secret. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

export function runUninstall(
  names: readonly string[],
  flags: { readonly all: boolean; readonly 'dry-run': boolean },
  context: CommandContext,
): Promise<CommandOutcome> {
  if (flags.all === names.length > 0) throw new GatewayError('USAGE', 'Name one or more agents, or use --all.');
  const ids = flags.all ? agentIds : readAgents(names.join(','));
  const installations = new Installations(context.dataDir);
  return withAdmin(context, async ({ admin }) => {
    using _turn = await takeTurn(context);
    const recorded = (await installations.all()).filter(({ agent }) => ids.includes(agent));
    const found = await eachOf(ids, async (id) => {
      const others = await findUnrecorded(id, machineHere(context), installations);
      return { id, all: [...recorded.filter(({ agent }) => agent === id), ...others] };
    });
    const all = new Set([...recorded, ...found.rows.flatMap((row) => row.all)]);
    const { rows, trouble } = await eachOf([...all], async (one): Promise<UninstallRow> => {
      const { agent, scope, place } = one;
      const file = await restoredFile(one, installations, context.host.signal);
      const { text, putBack, left } = file;
      const row = { agent, scope, file: place.file, isFileGone: text === null, putBack, left };
      if (flags['dry-run'])
        return { ...row, backup: null, change: await changeOf(one, file.seen.text, text, machineHere(context)) };
      return { ...row, backup: await uninstallAgent(one, file, admin, installations), change: null };
    });
    const absent = found.rows.filter((row) => row.all.length === 0).map(({ id }) => agents[id].title);
    const everyOne = absent.length === ids.length ? ['any agent'] : [];
    const text = renderUninstalls(rows, flags.all ? everyOne : absent, context);
    return { data: rows, text, trouble: trouble ?? found.trouble };
  });
}

/** How long another install or uninstall is waited for. It may be waiting for its user. */
const patienceMs = 20_000;
const lookAgainMs = 50;

/** One install or uninstall at a time: one that fails takes back the record and the backup of the file, which must be its own. */
async function takeTurn({ dataDir, host }: CommandContext): Promise<Disposable> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const release = tryLockFile(join(dataDir, 'agents.lock'));
    if (release !== undefined) return { [Symbol.dispose]: release };
    if (performance.now() > until) {
      throw new GatewayError('DATA_LOCKED', 'Another install or uninstall is at work.', {
        hint: 'Wait until it has finished, then try again.',
      });
    }
    await pause(lookAgainMs, undefined, { signal: host.signal });
  }
}

/** Works on every item, also after one has failed; returns the first trouble. */
async function eachOf<I, R>(
  items: readonly I[],
  work: (item: I) => Promise<R>,
): Promise<{ readonly rows: R[]; readonly trouble: GatewayError | undefined }> {
  const rows: R[] = [];
  let trouble: GatewayError | undefined;
  for (const item of items) {
    try {
      rows.push(await work(item));
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      trouble ??= error;
    }
  }
  return { rows, trouble };
}
