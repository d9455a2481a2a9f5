/** Finds the gateway of a data folder, or starts one in the background. */

import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ErrorCode, errorCodes, GatewayError, messageOf } from '../../base/errors.ts';
import { isObject, parseJson } from '../../base/json.ts';
import { type DetachedProcess, startDetached } from '../../base/spawn.ts';
import { exitCodes } from './exit-code.ts';
import { isReachable } from './lock-state.ts';
import { readToken } from './read-token.ts';
import { logFileName, startFailed } from './start-log.ts';

export interface EnsureOptions {
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly configPath?: string | undefined;
  /** How long a gateway that is started stays after its last agent; the usual time unless given. */
  readonly idleExitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface GatewayAddress {
  /** Without a path. */
  readonly url: string;
  /** `TOOLCRIB_TOKEN`, else the agent token of the data folder. */
  readonly token: string;
}

/** A busy machine takes its time over a start; one that fails is noticed at once. */
const patienceMs = 60_000;
const lookAgainMs = 25;
/** Another process may have taken the folder just before ours and left it again; then ours is started once more. */
const maxStarts = 3;

/** Of several who start one at once, one gateway wins the folder and all get that one. */
export async function ensureGateway(options: EnsureOptions): Promise<GatewayAddress> {
  const { readLock } = await import('../../store/lock/lock.ts');
  const until = performance.now() + patienceMs;
  const starts: Start[] = [];
  for (;;) {
    const holder = await readLock(options.dataDir);
    if (holder !== null && isReachable(holder)) {
      return { url: holder.url, token: await readToken('agent', options.dataDir, options.env) };
    }
    if (performance.now() > until) throw tooSlow(options.dataDir, holder?.pid);
    const last = starts.at(-1);
    if (holder === null && (last === undefined || last.exitCode !== undefined)) {
      if (last !== undefined && !isWorthRetry(last, starts.length)) throw await failure(options.dataDir, last);
      starts.push(startInBackground(options));
    }
    await pause(lookAgainMs, undefined, options.signal ? { signal: options.signal } : {});
  }
}

interface Start {
  readonly at: number;
  /** Undefined while it runs; null when it was killed or never started. */
  exitCode: number | null | undefined;
  cause?: unknown;
}

function startInBackground(options: EnsureOptions): Start {
  const program = fileURLToPath(new URL('../../../bin/toolcrib.js', import.meta.url));
  const args = [program, 'start', '--background', '--data', options.dataDir];
  if (options.configPath !== undefined) args.push('--config', resolve(options.configPath));
  if (options.idleExitMs !== undefined) args.push('--idle-exit-ms', String(options.idleExitMs));
  // The token says who the agent is; the gateway and its servers have no business with it.
  const { TOOLCRIB_TOKEN: _token, ...env } = options.env;
  const start: Start = { at: Date.now(), exitCode: undefined };
  // Not in the agent's folder: a config file there would decide which programs run.
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 });
  const child: DetachedProcess = startDetached(process.execPath, args, { cwd: options.dataDir, env });
  child.exited.then(
    (code) => {
      start.exitCode = code;
    },
    (error) => {
      start.exitCode = null;
      start.cause = error;
    },
  );
  return start;
}

/** A mistake in the config does not go away by itself; a folder that was just taken may be free now. */
function isWorthRetry(start: Start, count: number): boolean {
  return count < maxStarts && start.exitCode === exitCodes.failed;
}

async function failure(dataDir: string, start: Start): Promise<GatewayError> {
  const log = join(dataDir, logFileName);
  const told = await readReason(log, start.at);
  if (told !== undefined) {
    const code: ErrorCode = errorCodes.find((item) => item === told.code) ?? 'UNREACHABLE';
    return new GatewayError(code, `The gateway could not be started in the background: ${told.reason}`, {
      hint: told.hint ?? `More in ${log}`,
    });
  }
  const how = start.cause === undefined ? `it ended with ${start.exitCode}` : messageOf(start.cause);
  return new GatewayError('UNREACHABLE', `The gateway could not be started in the background: ${how}.`, {
    hint: `Start it by hand to see why: toolcrib start --data ${dataDir}`,
    cause: start.cause,
  });
}

function tooSlow(dataDir: string, pid: number | undefined): GatewayError {
  const who = pid === undefined ? 'The gateway' : `Process ${pid}, which holds the data folder ${dataDir},`;
  return new GatewayError('UNREACHABLE', `${who} does not say where it listens after ${patienceMs / 1_000} s.`, {
    hint: `More in ${join(dataDir, logFileName)}`,
  });
}

interface Reason {
  readonly code: string;
  readonly reason: string;
  readonly hint: string | undefined;
}

/** The last error in the log of the background process. */
async function readReason(log: string, since: number): Promise<Reason | undefined> {
  const text = await readFile(log, 'utf8').catch(() => '');
  for (const line of text.trimEnd().split('\n').toReversed()) {
    const entry = parseLine(line);
    if (entry === undefined || Date.parse(String(entry.time)) < since) return undefined;
    if (entry.event !== startFailed) continue;
    const hint = typeof entry.hint === 'string' ? entry.hint : undefined;
    return { code: String(entry.code), reason: String(entry.reason), hint };
  }
  return undefined;
}

function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    const value = parseJson(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
