/** The doctor's checks of this machine: Node, data folder, port and running gateway. */

import { access, constants, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import type { GatewayFacts, HealthFinding } from '../../../admin/admin.ts';
import { GatewayError, messageOf, systemCodeOf } from '../../../base/errors.ts';
import { version } from '../../../base/own-program.ts';
import { outputOf } from '../../../base/spawn.ts';
import { printable } from '../../../base/text.ts';
import type { LockHolder } from '../../../store/store.ts';
import { type ReachableHolder, settledHolder } from '../lock-state.ts';
import { portHint, portUser } from './port-user.ts';

const nodeAnswerMs = 5_000;
/** Most servers that are published today need at least this. */
const leastForServers = 20;

export async function checkNode(env: NodeJS.ProcessEnv): Promise<HealthFinding[]> {
  const own: HealthFinding = {
    severity: 'ok',
    subject: 'node',
    message: `Toolcrib runs on Node ${process.versions.node}.`,
  };
  const answer = await outputOf('node', ['--version'], { env, timeoutMs: nodeAnswerMs });
  return [own, onPath(answer)];
}

/** `answer`: what `node --version` prints; null when there is none. */
export function onPath(answer: string | null): HealthFinding {
  if (answer === null) {
    return {
      severity: 'note',
      subject: 'node',
      message: 'There is no "node" on the PATH. Servers started with node or npx will not start.',
      hint: 'Install Node, or give the full path of the command.',
    };
  }
  const version = printable(answer).trim().replace(/^v/, '');
  if (Number.parseInt(version, 10) >= leastForServers) {
    return {
      severity: 'ok',
      subject: 'node',
      message: `Servers that are started with node or npx get Node ${version}.`,
    };
  }
  return {
    severity: 'note',
    subject: 'node',
    message: `Servers that are started with node or npx get Node ${version}, which is too old for many.`,
    hint: `Put Node ${leastForServers} or newer first on the PATH of the gateway.`,
  };
}

export async function checkDataFolder(dataDir: string): Promise<HealthFinding> {
  try {
    if (!(await stat(dataDir)).isDirectory()) return problem(`The data folder ${dataDir} is not a folder.`);
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return { severity: 'ok', subject: 'data', message: `The data folder ${dataDir} is usable.` };
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return checkParent(dataDir);
    return problem(`The data folder ${dataDir} cannot be used (${systemCodeOf(error) ?? messageOf(error)}).`);
  }
}

/** The folder is made at the first start, which needs the nearest folder above it that exists. */
async function checkParent(dataDir: string): Promise<HealthFinding> {
  for (let folder = dirname(dataDir); ; folder = dirname(folder)) {
    const code = await access(folder, constants.W_OK | constants.X_OK).then(
      () => 'OK',
      (error) => systemCodeOf(error) ?? messageOf(error),
    );
    if (code === 'OK') {
      return {
        severity: 'ok',
        subject: 'data',
        message: `Toolcrib will create the data folder ${dataDir} at the first start.`,
      };
    }
    if (code !== 'ENOENT' || folder === dirname(folder)) {
      return problem(`Can't create the data folder ${dataDir} in ${folder} (${code}).`);
    }
  }
}

function problem(message: string): HealthFinding {
  return {
    severity: 'problem',
    subject: 'data',
    message,
    hint: 'Choose another folder with --data, or change who owns it.',
  };
}

export async function checkPort(host: string, port: number, env: NodeJS.ProcessEnv): Promise<HealthFinding> {
  const code = await tryToListen(host, port);
  if (code === null) return { severity: 'ok', subject: 'port', message: `Port ${port} is free.` };
  if (code !== 'EADDRINUSE') {
    return {
      severity: 'note',
      subject: 'port',
      message: `Port ${port} cannot be used (${code}).`,
      hint: portHint,
    };
  }
  const message = `Port ${port} is in use by ${await portUser(host, port, env)}.`;
  return { severity: 'note', subject: 'port', message, hint: portHint };
}

/** null: it worked. */
function tryToListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(systemCodeOf(error) ?? error.message));
    server.listen(port, host.replace(/^\[|\]$/g, ''), () => server.close(() => resolve(null)));
  });
}

export interface GatewayCheck {
  readonly findings: readonly HealthFinding[];
  readonly holder: ReachableHolder | null;
  /** Somebody holds the folder and cannot be asked. */
  readonly isStuck: boolean;
}

export async function checkGateway(dataDir: string, signal: AbortSignal): Promise<GatewayCheck> {
  try {
    const holder = await settledHolder(dataDir, signal);
    if (holder !== null) return { findings: describeHolder(holder), holder, isStuck: false };
    const message = 'No gateway is running; commands work on the data folder themselves.';
    return { findings: [{ severity: 'ok', subject: 'gateway', message }], holder, isStuck: false };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const finding: HealthFinding = {
      severity: 'problem',
      subject: 'gateway',
      message: error.message,
      hint: error.hint,
    };
    return { findings: [finding], holder: null, isStuck: true };
  }
}

/** Which config a gateway that runs has read; it may have been started elsewhere. `own`: where this command looks for one. */
export function describeUsedConfig(
  { configFile }: Pick<GatewayFacts, 'configFile'>,
  own: readonly string[],
): HealthFinding {
  if (configFile === null)
    return { severity: 'ok', subject: 'gateway', message: 'The running gateway uses no config file.' };
  const message = `The running gateway uses the config ${configFile}.`;
  if (own.includes(configFile)) return { severity: 'ok', subject: 'gateway', message };
  return { severity: 'note', subject: 'gateway', message, hint: `It does not see changes in ${own.join(' or ')}.` };
}

export function describeHolder(holder: LockHolder, ownVersion = version): HealthFinding[] {
  const message = `A gateway is running at ${holder.url} (process ${holder.pid}, version ${holder.version}).`;
  const running: HealthFinding = { severity: 'ok', subject: 'gateway', message };
  if (holder.version === ownVersion) return [running];
  const other: HealthFinding = {
    severity: 'note',
    subject: 'gateway',
    message: `The gateway has version ${holder.version}, this command ${ownVersion}.`,
    hint: 'End the gateway and start it again.',
  };
  return [running, other];
}
