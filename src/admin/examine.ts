/** Looks at every server and says what is wrong with it, in words and with what to do. */

import { join } from 'node:path';
import { duration } from '../base/amounts.ts';
import { GatewayError, messageOf, systemCodeOf } from '../base/errors.ts';
import { lastWords } from '../base/last-words.ts';
import { isEveryAddress } from '../base/local-url.ts';
import { nearest } from '../base/nearest.ts';
import { noServersHint } from '../base/own-program.ts';
import type { ServerSpec } from '../config/config.ts';
import { trustsThisMachine } from '../door/door.ts';
import type { ServerStatus } from '../downstream/downstream.ts';
import type { AdminContext } from './operation.ts';
import { listReplicas, type ReplicaRow } from './replica-rows.ts';

/** How long another replica has to answer. */
const replicaAnswerMs = 2_000;

export type Severity = 'ok' | 'note' | 'problem';

export interface HealthFinding {
  readonly severity: Severity;
  /** Its subject: a server's name, or a part of the gateway. */
  readonly subject: string;
  readonly message: string;
  readonly hint?: string | undefined;
  /** Lines that the server printed, where they help. */
  readonly output?: readonly string[] | undefined;
}

/** `isConnecting`: servers that are not connected are tried, which is the only way to know. */
export async function examine(context: AdminContext, isConnecting: boolean): Promise<HealthFinding[]> {
  const facts = context.about();
  const findings: HealthFinding[] = [];
  const hint = 'The config from before the edit is still in use.';
  // Every mistake is a line of its own.
  for (const message of facts.configProblem?.split('\n') ?? [])
    findings.push({ severity: 'problem', subject: 'config', message, hint });
  if (facts.diskProblem) findings.push({ severity: 'problem', subject: 'data', ...facts.diskProblem });
  if (facts.recordsProblem) findings.push({ severity: 'problem', subject: 'store', ...facts.recordsProblem });
  for (const warning of facts.configWarnings) findings.push({ severity: 'note', subject: 'config', message: warning });
  if (context.registry.specs.length === 0)
    findings.push({
      severity: 'note',
      subject: 'servers',
      message: 'No server is configured.',
      hint: noServersHint,
    });
  for (const name of context.registry.hidden)
    findings.push({
      severity: 'problem',
      subject: name,
      message: `The config file or the demo has a server "${name}", so the one that you added, with its permissions, does not count.`,
      hint: 'Rename the entry in the config file, or copy the permissions into it.',
    });
  findings.push(...examineProjects(context), ...examineSearch(context), ...examineFrontEnds(context));
  findings.push(...(await examineSecrets(context)), ...(await examineReplicas(context)));
  const perServer = await Promise.all(context.registry.specs.map((spec) => examineServer(context, spec, isConnecting)));
  const approvals = context.registry.specs.flatMap(({ name }) => examineApprovals(context, name));
  return [...findings, ...perServer.flat(), ...approvals];
}

/** A surface for a project that there is not, neither in the file nor made at run time, is without effect. */
function examineProjects({ config, projects }: AdminContext): HealthFinding[] {
  const unknown = [...config().surfaces.projects.keys()].filter((name) => projects.find(name) === undefined);
  return unknown.map((name) => {
    const known = projects.list().map((project) => project.name);
    const [best] = nearest(name, known, 1);
    return {
      severity: 'note',
      subject: 'config',
      message: `"surfaces.projects" names a project "${name}", and there is none.`,
      hint:
        best === undefined
          ? `Make it under "projects" of the config, or with: toolcrib project create ${name} --servers A,B`
          : `Did you mean "${best}"?`,
    };
  });
}

function examineSearch({ search }: AdminContext): HealthFinding[] {
  const hint = 'Tools are found without it meanwhile; see "search" in the config.';
  return search.status.problems.map((message) => ({ severity: 'problem', subject: 'search', message, hint }));
}

function examineFrontEnds({ config }: AdminContext): HealthFinding[] {
  if (!trustsThisMachine(config().access.trustedFrontEnds)) return [];
  return [
    {
      severity: 'note',
      subject: 'access',
      message:
        '"access.trustedFrontEnds" names this machine: every program on it can say which address a request comes from, and is not slowed down by failed sign-ins.',
      hint: 'Where not everybody on this machine is trusted, let the front end come from an address of its own.',
    },
  ];
}

/** Reads every secret: only its key can tell if that is the right one. Where the store fails, that is a finding of its own. */
async function examineSecrets({ vault, store, about }: AdminContext): Promise<HealthFinding[]> {
  const subject = 'secrets';
  const stored = await store.listSecrets('').catch(() => null);
  if (stored === null) return [];
  try {
    const location = await vault.location();
    for (const { name, sealed } of stored) await vault.unseal(sealed, name);
    return [{ severity: 'ok', subject, message: keyMessages[location ?? 'none'](about().dataDir) }];
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return [{ severity: 'problem', subject, message: error.message, hint: error.hint }];
  }
}

const keyMessages = {
  environment: () => 'Secrets in the database are sealed with the key in TOOLCRIB_SECRET_KEY.',
  keyring: () => 'Secrets in the database are sealed with a key in the keyring of this system.',
  file: (dataDir: string) =>
    `Secrets in the database are sealed with the key in ${join(dataDir, 'secret-key')}; keep it when you make a backup.`,
  none: () => 'There are no secrets yet; Toolcrib creates a key with the first one.',
} as const;

/** Where the store fails, that is a finding of its own. */
async function examineReplicas(context: AdminContext): Promise<HealthFinding[]> {
  const rows = await listReplicas(context).catch(() => null);
  if (rows === null) return [];
  const found = (await Promise.all(rows.map((row) => examineReplica(row, rows)))).flat();
  const isTroubled = context.about().recordsProblem || found.some(({ severity }) => severity === 'problem');
  if (!context.replicas.isShared || isTroubled) return found;
  const others = rows.length < 2 ? '' : ` All ${rows.length} gateways answer too, with the same key and config.`;
  return [{ severity: 'ok', subject: 'replicas', message: `PostgreSQL answers.${others}` }, ...found];
}

async function examineReplica(row: ReplicaRow, rows: readonly ReplicaRow[]): Promise<HealthFinding[]> {
  const { url, version, hasSameKey, hasSameConfig, hasSameVersion } = row;
  const subject = 'replicas';
  const findings = [...(await examineAddress(row, rows)), ...examineClock(row)];
  if (!hasSameKey)
    findings.push({
      severity: 'problem',
      subject,
      message: `The replica ${url} has another key for secrets: neither can read the other's secrets.`,
      hint: 'Set TOOLCRIB_SECRET_KEY to the same key for every replica, and restart them.',
    });
  else if (!hasSameConfig)
    findings.push({
      severity: 'problem',
      subject,
      message: `The replica ${url} has another config or other flags: agents see different things at each.`,
      hint: 'Start every replica with the same flags (--no-auth, --demo, --enable-optimization) and the same config file. Only "listen" and "store" may differ.',
    });
  else if (!hasSameVersion)
    findings.push({ severity: 'note', subject, message: `The replica ${url} runs version ${version}.` });
  return findings;
}

/** Each replica's clock decides when tokens expire and dates the records; the database has one clock for all. */
function examineClock({ url, clockAheadMs, hasSameClock }: ReplicaRow): HealthFinding[] {
  if (clockAheadMs === null || hasSameClock) return [];
  const isBehind = clockAheadMs < 0;
  const message = `The clock of the replica ${url} is ${duration(Math.abs(clockAheadMs))} ${isBehind ? 'behind' : 'ahead of'} the database: its tokens expire ${isBehind ? 'late' : 'early'} and its records have wrong times.`;
  const hint =
    'Synchronize the clocks of the machines with NTP (timedatectl set-ntp true). If all replicas differ by the same amount, the clock of the database is wrong.';
  return [{ severity: 'problem', subject: 'replicas', message, hint }];
}

/** Whether the others reach a replica. */
async function examineAddress(row: ReplicaRow, rows: readonly ReplicaRow[]): Promise<HealthFinding[]> {
  const url = `${row.url}`;
  const hint = 'Set its "listen.advertise" to an address that the other replicas reach.';
  const problem = { severity: 'problem', subject: 'replicas', hint } as const;
  if (isEveryAddress(url)) {
    const message = `The replica ${url} does not say where the others reach it: its sessions are unknown to them.`;
    // One alone needs no address.
    return [{ ...problem, ...(rows.length < 2 ? { severity: 'note' } : {}), message }];
  }
  const atSame = rows.filter((other) => new URL(`${other.url}`).href === new URL(url).href);
  if (atSame.length > 1) {
    const message = `${atSame.length} replicas advertise the same address ${url}, so requests for one may reach another.`;
    const more = 'A replica that was killed stays in the list for six seconds.';
    return atSame[0] === row ? [{ ...problem, message, hint: `${hint} ${more}` }] : [];
  }
  const silence = row.isThis ? null : await silenceOf(url);
  if (silence === null) return [];
  const message = `The replica ${url} cannot be reached from this gateway (${silence}): requests for its sessions fail here.`;
  const way = 'Check the network and firewall between the two gateways';
  return [{ ...problem, message, hint: `${way}, or set its "listen.advertise" to an address that this one reaches.` }];
}

/** Why no gateway answers at an address; null: one does. */
async function silenceOf(url: string): Promise<string | null> {
  try {
    const address = `${url.replace(/\/$/, '')}/healthz`;
    const { ok, status } = await fetch(address, { signal: AbortSignal.timeout(replicaAnswerMs), redirect: 'manual' });
    return ok ? null : `HTTP ${status}`;
  } catch (error) {
    const { cause = error } = error as Error;
    return systemCodeOf(cause) ?? messageOf(cause);
  }
}

async function examineServer(context: AdminContext, spec: ServerSpec, isConnecting: boolean): Promise<HealthFinding[]> {
  const { name } = spec;
  if (!spec.isEnabled)
    return [
      {
        severity: 'note',
        subject: name,
        message: `Server "${name}" is disabled.`,
        hint: `Switch it on: toolcrib enable ${name}`,
      },
    ];
  if (spec.problem)
    return [{ severity: 'problem', subject: name, message: spec.problem, hint: hintForProblem(spec.problem) }];
  const isInstalling = () => context.downstream.status(name)?.state === 'installing';
  if (isConnecting && !isInstalling() && context.downstream.status(name)?.state !== 'connected') {
    // A failed server is tried again: its problem of a minute ago may be gone.
    if (context.downstream.status(name)?.state === 'failed') await context.downstream.reset(name);
    await context.catalog.refresh(name).catch(() => {});
  }
  // Its listing may still be on its way, or being judged.
  if (isConnecting && !isInstalling() && context.catalog.snapshot.servers.get(name)?.listedAt === null)
    await context.catalog.refresh(name).catch(() => {});
  const status = context.downstream.status(name);
  if (!status) return [];
  if (!isConnecting && status.lastError === null && status.state !== 'connected' && status.state !== 'failed')
    return [{ severity: 'ok', subject: name, message: `Server "${name}" is not connected and was not tried.` }];
  if (status.state === 'installing') return [installationOf(status)];
  return status.state === 'connected' ? examineLive(context, status) : [failureOf(status)];
}

function installationOf(status: ServerStatus): HealthFinding {
  return {
    severity: 'note',
    subject: status.name,
    message: `Server "${status.name}" is being installed (${Math.floor((status.installingMs ?? 0) / 1000)} s so far).`,
    hint: 'Its package runner downloads it before the first start. Wait until that is done: toolcrib list',
    output: lastWords(status.stderr, 3),
  };
}

function hintForProblem(problem: string): string {
  if (/toolcrib secret set/.test(problem)) return 'Set the secret; the server then connects without a restart.';
  return /environment variable|\$\{/i.test(problem)
    ? 'Set the variable in the environment of the gateway, or give a default after ":-" in the reference.'
    : 'Correct it in the config file.';
}

function examineLive(context: AdminContext, status: ServerStatus): HealthFinding[] {
  const entry = context.catalog.snapshot.servers.get(status.name);
  const findings: HealthFinding[] = [];
  const trouble = entry?.staleReason ?? context.catalog.trouble(status.name);
  if (trouble !== undefined) {
    findings.push({
      severity: 'problem',
      subject: status.name,
      message: `Server "${status.name}" is connected but could not be listed: ${trouble}`,
      hint: 'Its tools are shown as they were last known; it is asked again by itself.',
    });
  } else {
    findings.push({
      severity: 'ok',
      subject: status.name,
      message: `Server "${status.name}" is connected (${status.era}, ${status.transport}) with ${countTools(entry?.tools.length ?? 0)}.`,
    });
  }
  if (status.junkLines > 0) {
    findings.push({
      severity: 'note',
      subject: status.name,
      message: `Server "${status.name}" prints lines on stdout that are not messages (${status.junkLines} so far). Toolcrib skips them.`,
      hint: 'A server should print such lines on stderr; look for a setting that makes it quiet.',
      output: [status.junkSample],
    });
  }
  for (const warning of context.catalog.warnings(status.name))
    findings.push({ severity: 'note', subject: status.name, message: warning });
  return findings;
}

/** Definitions that wait for the owner, whether or not the server works. */
function examineApprovals({ catalog }: AdminContext, server: string): HealthFinding[] {
  const { heldCount, changedCount } = catalog.pins.countWaiting(server);
  if (heldCount + changedCount === 0) return [];
  const parts = [
    ...(changedCount > 0 ? [`${changedCount} changed since approved`] : []),
    ...(heldCount > 0 ? [`${heldCount} withheld until approved`] : []),
  ];
  const message = `Definitions of server "${server}" wait for you: ${parts.join(', ')}.`;
  return [{ severity: 'problem', subject: server, message, hint: `See what and why: toolcrib review ${server}` }];
}

function countTools(count: number): string {
  return `${count} ${count === 1 ? 'tool' : 'tools'}`;
}

function failureOf(status: ServerStatus): HealthFinding {
  const isOldNode =
    status.reason === 'exited' &&
    /SyntaxError|ERR_UNKNOWN_FILE_EXTENSION|requires? (a )?node|unsupported engine|is not a function or its return value is not iterable/i.test(
      status.stderr,
    );
  const hint = isOldNode
    ? 'It seems to need another version of Node than the one it was started with: check "node --version" and the command.'
    : // Its output is shown here; a hint that sends the reader here says nothing.
      status.hint?.includes('toolcrib doctor')
      ? null
      : status.hint;
  const lines = lastWords(`${status.junkSample}\n${status.stderr}`, 5);
  return {
    severity: 'problem',
    subject: status.name,
    message: status.lastError ?? `Server "${status.name}" is ${status.state}.`,
    ...(hint ? { hint } : {}),
    ...(lines.length > 0 ? { output: lines } : {}),
  };
}
