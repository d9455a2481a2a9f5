/** The kinds of events on `/api/events`, and the state that they change. Each says how a thing is now, so that one that is read twice does no harm. */

import type { MinuteMetrics } from '../metrics/metrics.ts';
import type { ServerReport } from '../tools/tools.ts';
import type { AuditLine } from './audit-operations.ts';

/** A server without what changes by the second. */
export type LiveServer = Omit<ServerReport, 'callsInFlight' | 'installingSeconds'>;

/** A job of the optimizer as the list of jobs shows it, without its outcome. */
export interface LiveJob {
  readonly jobId: string;
  readonly state: string;
  readonly progress: Readonly<Record<string, unknown>>;
  readonly message: string;
  readonly estimate?: unknown;
}

/** Parts of the state that are too large to be sent: whoever shows them asks for them again. */
export const topics = [
  'tools',
  'definitions',
  'tokens',
  'projects',
  'approvals',
  'config',
  'secrets',
  'recording',
  'agents',
] as const;
export type Topic = (typeof topics)[number];

export interface EventData {
  /** Comes first for a reader whose last event is unknown: the reader then fetches the state and reads on. */
  readonly begin: object;
  readonly server: LiveServer;
  readonly 'server-removed': { readonly name: string };
  /** One record of the audit, committed. */
  readonly record: AuditLine;
  readonly job: LiveJob;
  /** One minute of the last hour, with all its calls so far. */
  readonly minute: MinuteMetrics;
  readonly changed: { readonly topic: Topic };
}
export type EventKind = keyof EventData;

export const eventKinds: readonly EventKind[] = [
  'begin',
  'server',
  'server-removed',
  'record',
  'job',
  'minute',
  'changed',
];

export type GatewayEvent = {
  readonly [K in EventKind]: { readonly id: string; readonly kind: K; readonly data: EventData[K] };
}[EventKind];

/** The whole live state. */
export interface LiveSnapshot {
  /** Of the last event that it knows: events after it bring it up to date. */
  readonly id: string;
  readonly servers: readonly LiveServer[];
  readonly jobs: readonly LiveJob[];
  /** The newest first. */
  readonly records: readonly AuditLine[];
  /** The minutes of the last hour in which tools were called, the oldest first. */
  readonly minutes: readonly MinuteMetrics[];
  /** The last event of each topic: another one means that it changed. */
  readonly revisions: Readonly<Partial<Record<Topic, string>>>;
}

/** Records and jobs that the live state holds. */
export const mostLiveRecords = 200;
export const mostLiveJobs = 200;
