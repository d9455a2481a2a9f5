/** Looks whether a gateway runs on the data folder, and which. */

import type { Finding, GatewayFacts } from '../../../admin/admin.ts';
import { GatewayError } from '../../../base/errors.ts';
import { version } from '../../../base/version.ts';
import type { LockHolder } from '../../../store/store.ts';
import { type ReachableHolder, settledHolder } from '../lock-state.ts';

const subject = 'gateway';

export interface GatewayCheck {
  readonly findings: readonly Finding[];
  readonly holder: ReachableHolder | null;
  /** Somebody holds the folder and cannot be asked. */
  readonly isStuck: boolean;
}

export async function checkGateway(dataDir: string, signal: AbortSignal): Promise<GatewayCheck> {
  try {
    const holder = await settledHolder(dataDir, signal);
    if (holder !== null) return { findings: describeHolder(holder), holder, isStuck: false };
    const message = 'No gateway is running; commands work on the data folder themselves.';
    return { findings: [{ severity: 'ok', subject, message }], holder, isStuck: false };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const finding: Finding = { severity: 'problem', subject, message: error.message, hint: error.hint };
    return { findings: [finding], holder: null, isStuck: true };
  }
}

/** Which config a gateway that runs has read; it may have been started elsewhere. `own`: where this command looks for one. */
export function describeUsedConfig({ configFile }: Pick<GatewayFacts, 'configFile'>, own: readonly string[]): Finding {
  if (configFile === null) return { severity: 'ok', subject, message: 'The running gateway uses no config file.' };
  const message = `The running gateway uses the config ${configFile}.`;
  if (own.includes(configFile)) return { severity: 'ok', subject, message };
  return { severity: 'note', subject, message, hint: `It does not see changes in ${own.join(' or ')}.` };
}

export function describeHolder(holder: LockHolder, ownVersion = version): Finding[] {
  const message = `A gateway is running at ${holder.url} (process ${holder.pid}, version ${holder.version}).`;
  const running: Finding = { severity: 'ok', subject, message };
  if (holder.version === ownVersion) return [running];
  const other: Finding = {
    severity: 'note',
    subject,
    message: `The gateway has version ${holder.version}, this command ${ownVersion}.`,
    hint: 'End the gateway and start it again.',
  };
  return [running, other];
}
