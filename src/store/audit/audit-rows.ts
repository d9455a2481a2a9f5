/** Rows of the audit to domain words and back. */

import { fromJson, fromText, toJson, toText } from '../rows.ts';
import type { Schema } from '../schema.ts';
import type { AuditKind, AuditRecord, StoredAuditRecord } from './audit.ts';

export type AuditRow = Omit<Schema['audit'], 'id'>;

export function fromAudit(record: AuditRecord): AuditRow {
  return {
    at: record.at,
    kind: record.kind,
    action: toText(record.action),
    principal: toText(record.principal),
    principal_name: toText(record.principalName),
    client: optional(record.client, toText),
    request: optional(record.requestId, toText),
    request_id: optional(record.rpcId, toText),
    trace: optional(record.trace, toText),
    project: optional(record.project, toText),
    session: optional(record.session, toText),
    server: optional(record.server, toText),
    tool: optional(record.tool, toText),
    outcome: toText(record.outcome),
    error_type: optional(record.errorType, toText),
    micros: record.ms === null ? null : Math.round(record.ms * 1_000),
    arguments_hash: record.argumentsHash,
    arguments: optional(record.arguments, toJson),
    detail: optional(record.detail, toJson),
  };
}

export function toAudit(row: AuditRow & { readonly id: number }): StoredAuditRecord {
  return {
    id: row.id,
    at: row.at,
    // Only an `AuditKind` is ever written.
    kind: row.kind as AuditKind,
    action: fromText(row.action),
    principal: fromText(row.principal),
    principalName: fromText(row.principal_name),
    client: optional(row.client, fromText),
    requestId: optional(row.request, fromText),
    rpcId: optional(row.request_id, fromText),
    trace: optional(row.trace, fromText),
    project: optional(row.project, fromText),
    session: optional(row.session, fromText),
    server: optional(row.server, fromText),
    tool: optional(row.tool, fromText),
    outcome: fromText(row.outcome),
    errorType: optional(row.error_type, fromText),
    ms: row.micros === null ? null : row.micros / 1_000,
    argumentsHash: row.arguments_hash,
    arguments: optional(row.arguments, fromJson),
    detail: optional(row.detail, fromJson),
  };
}

function optional<From, To>(value: From | null, change: (value: From) => To): To | null {
  return value === null ? null : change(value);
}
