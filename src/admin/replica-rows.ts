/** The gateways on one store, as its owner sees them, each compared with the one that answers. */

import type { AdminContext } from './operation.ts';

export interface ReplicaRow {
  readonly id: string;
  readonly url: string | null;
  readonly version: string;
  readonly startedAt: string;
  /** Since it was last seen, by the clock of the database. */
  readonly seenMsAgo: number;
  /** How far its clock was ahead of the database's then; negative: behind; null: unknown. */
  readonly clockAheadMs: number | null;
  /** True if its clock agrees with the database's within the usual drift. */
  readonly hasSameClock: boolean;
  /** True for the one that answers. */
  readonly isThis: boolean;
  /** Its secrets are sealed with the same key. */
  readonly hasSameKey: boolean;
  /** Its settings are the same, but for "listen" and "store", and so are the flags that it was started with. */
  readonly hasSameConfig: boolean;
  readonly hasSameVersion: boolean;
}

/** NTP keeps clocks closer than this. */
const clockToleranceMs = 2_000;

/** The oldest first. Without a running gateway there are those of other machines alone. */
export async function listReplicas({ replicas }: AdminContext): Promise<ReplicaRow[]> {
  const { replicas: found, now } = await replicas.list();
  const own = replicas.facts;
  return found.map(({ id, url, version, startedAt, seenAt, clockAheadMs, keyMark, configMark }) => ({
    id,
    url,
    version,
    startedAt: new Date(startedAt).toISOString(),
    seenMsAgo: Math.max(0, now - seenAt),
    clockAheadMs,
    hasSameClock: Math.abs(clockAheadMs ?? 0) <= clockToleranceMs,
    isThis: id === own.id,
    hasSameKey: keyMark === own.keyMark,
    // Marks by another key are others, whatever they mark.
    hasSameConfig: configMark === own.configMark,
    hasSameVersion: version === own.version,
  }));
}
