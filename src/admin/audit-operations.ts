/** Operations on the audit: what happened last, and everything in the order in which it happened. */

import { z } from 'zod';
import { auditOutcomes } from '../audit/audit.ts';
import type { JsonObject } from '../base/json.ts';
import { anyFailure, auditKinds, type StoredAuditRecord } from '../store/store.ts';
import { operation } from './operation.ts';

/** One record of the audit, as every surface shows it. */
export interface AuditLine {
  readonly id: number;
  /** ISO 8601, in UTC. */
  readonly time: string;
  readonly kind: StoredAuditRecord['kind'];
  readonly action: string;
  readonly principal: { readonly id: string; readonly name: string };
  readonly client: string | null;
  /** Our id of the request that caused it; an HTTP answer carries it as `x-request-id`. */
  readonly requestId: string | null;
  /** The id of the request as the agent gave it. */
  readonly rpcId: string | null;
  /** The `traceparent`, else the `x-request-id`, that came with the request. */
  readonly trace: string | null;
  readonly project: string | null;
  readonly session: string | null;
  readonly server: string | null;
  readonly tool: string | null;
  readonly outcome: string;
  readonly errorType: string | null;
  readonly durationMs: number | null;
  readonly argumentsHash: string | null;
  readonly arguments: JsonObject | null;
  readonly detail: JsonObject | null;
}

export interface AuditLines {
  readonly records: readonly AuditLine[];
  /** Where the next page begins; null: there is no more for now. */
  readonly next: number | null;
}

export interface AuditExport extends AuditLines {
  /** Everything up to this id has been looked at: what is written later has a greater one. */
  readonly upto: number;
}

const mostRecords = 1_000;
const text = z.string().min(1).max(1_000).optional();
const time = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-01-31T09:30:00Z' })
  .transform((value) => Date.parse(value))
  .optional();
const id = z.number().int().min(0);
const filter = {
  kind: z.enum(auditKinds).optional(),
  principal: text,
  project: text,
  server: text,
  tool: text,
  /** Our id of a request, or the trace that came with it. */
  request: text,
  outcome: z.enum([...auditOutcomes, anyFailure]).optional(),
  errorType: text,
  /** Part of it is enough. */
  action: text,
  since: time,
  until: time,
};

export const auditOperations = {
  'audit.list': operation({
    summary: 'Who did what, the newest first',
    audit: 'none',
    input: z.strictObject({
      ...filter,
      before: id.optional(),
      limit: z.number().int().min(1).max(mostRecords).default(50),
    }),
    async run({ context, input, signal }): Promise<AuditLines> {
      const { records, upto, isMore } = await context.audit.list(input, signal);
      return { records: records.map(lineOfRecord), next: isMore ? upto : null };
    },
  }),
  'audit.export': operation({
    summary: 'The same in the order in which it was written: to export it, or to follow what happens',
    audit: 'none',
    input: z.strictObject({
      ...filter,
      /** Only what came behind this id. Left out, what comes behind the last one, which is nothing yet. */
      after: id.optional(),
      limit: z.number().int().min(1).max(mostRecords).default(mostRecords),
    }),
    async run({ context: { audit }, input, signal }): Promise<AuditExport> {
      const after = input.after ?? (await audit.last());
      const { records, upto, isMore } = await audit.tail({ ...input, after }, signal);
      return { records: records.map(lineOfRecord), next: isMore ? upto : null, upto };
    },
  }),
};

export function lineOfRecord({ at, ms, principal, principalName, ...record }: StoredAuditRecord): AuditLine {
  return {
    id: record.id,
    time: new Date(at).toISOString(),
    kind: record.kind,
    action: record.action,
    principal: { id: principal, name: principalName },
    client: record.client,
    requestId: record.requestId,
    rpcId: record.rpcId,
    trace: record.trace,
    project: record.project,
    session: record.session,
    server: record.server,
    tool: record.tool,
    outcome: record.outcome,
    errorType: record.errorType,
    durationMs: ms,
    argumentsHash: record.argumentsHash,
    arguments: record.arguments,
    detail: record.detail,
  };
}
