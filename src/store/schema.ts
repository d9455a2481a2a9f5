/** The tables as Kysely sees them: the same on every SQL database. Booleans are 0 and 1, times are milliseconds, JSON is text, vectors are bytes. */

import type { Generated } from 'kysely';

export interface Schema {
  server: { name: string; spec: string; added_at: number };
  switch: { server: string; is_enabled: number };
  listing: {
    server: string;
    /** `ListingHead` as JSON. */
    head: string;
    listed_at: number;
    stale_since: number | null;
    stale_reason: string | null;
  };
  item: { server: string; kind: string; name: string; fingerprint: string; definition: string };
  change: {
    id: Generated<number>;
    server: string;
    kind: string;
    name: string;
    change: string;
    at: number;
    old_fingerprint: string | null;
    new_fingerprint: string | null;
    old_definition: string | null;
    new_definition: string | null;
  };
  verdict: { key: string; modern: number; legacy: number | null; discover: string | null; decided_at: number };
  token: {
    id: string;
    name: string;
    digest: string;
    /** A list as JSON. */
    scopes: string;
    servers: string | null;
    project: string | null;
    surface: string | null;
    created_by: string | null;
    created_at: number;
    expires_at: number | null;
    revoked_at: number | null;
    last_used_at: number | null;
  };
  secret: { name: string; sealed: string; at: number };
  /** `settings`: a JSON object. */
  project: { name: string; settings: string; created_at: number };
  /** Projects that the config file has, or had when it was last seen. */
  file_project: { name: string };
  /** `project`: empty for none, because a key holds no null. */
  approval: {
    id: string;
    principal: string;
    principal_name: string;
    project: string;
    tool_key: string;
    definition: string;
    at: number;
    approved_by: string;
  };
  /** Wordings that were approved or wait for it; `reasons` is a list as JSON. */
  pin: {
    server: string;
    kind: string;
    name: string;
    source: string;
    state: string;
    approved_fingerprint: string | null;
    approved_definition: string | null;
    pending_fingerprint: string | null;
    pending_definition: string | null;
    basis_fingerprint: string | null;
    basis_definition: string | null;
    faded: string | null;
    grade: string | null;
    reasons: string;
    since: number;
    times: number;
    passes: number;
    shown: string | null;
    shown_to: string | null;
    told: string | null;
    told_at: number | null;
    refused: string | null;
    decided_by: string | null;
    decided_at: number | null;
    /** The pin before the last decision, as JSON. */
    undo: string | null;
  };
  pin_event: {
    id: Generated<number>;
    server: string;
    kind: string;
    name: string;
    act: string;
    at: number;
    before: string | null;
    after: string | null;
    grade: string | null;
    reasons: string;
    decided_by: string | null;
  };
  vector: { fingerprint: string; model: string; scale: number; values: Uint8Array };
  tool_use: { query: string; tool_key: string; good: number; bad: number; at: number };
  /** `day`: days since 1970, in UTC; `project`: empty for none, because a key holds no null. */
  disclosure_day: {
    day: number;
    project: string;
    surface: string;
    kind: string;
    count: number;
    tokens: number;
    calls: number;
    direct_tokens: number;
  };
  call: {
    /** Grows with every call and is never given twice: says the order, which times do not when a clock is set. */
    id: number;
    at: number;
    server: string;
    tool: string;
    outcome: string;
    error_type: string | null;
    error: string | null;
    micros: number;
    request_bytes: number;
    result_bytes: number;
    way: string;
    is_cached: number;
    principal: string;
    session: string;
    previous: string | null;
    query: string | null;
    suggested_for: string | null;
  };
  audit: {
    id: Generated<number>;
    at: number;
    kind: string;
    action: string;
    principal: string;
    principal_name: string;
    client: string | null;
    /** As the agent gave it; `request` is our own. */
    request_id: string | null;
    request: string | null;
    trace: string | null;
    project: string | null;
    session: string | null;
    server: string | null;
    tool: string | null;
    outcome: string;
    error_type: string | null;
    micros: number | null;
    arguments_hash: string | null;
    arguments: string | null;
    detail: string | null;
  };
  /** One row. Of the audit only records from before this time can be removed. */
  audit_retention: { id: number; expire_before: number };
  call_total: TallyColumns;
  /** `day`: days since 1970, in UTC. */
  call_day: TallyColumns & { day: number };
  call_pair: { kind: string; first: string; server: string; tool: string; count: number; ok: number; upto: number };
  /** Calls that were forgotten: their rows up to the id `upto` are still to be removed. null: of every server, or tool. */
  call_reset: { id: Generated<number>; server: string | null; tool: string | null; upto: number };
  /**
   * One row. Every call up to the id `watermark` is in the sums; `generation` moves when sums are forgotten. Every id up
   * to `given` was given once, though its row may be gone.
   */
  roll_up: { id: number; watermark: number; generation: number; given: number };
}

/** The sum of the calls of one tool: `upto` is the id of the last one in it; those up to the watermark are in any case. */
interface TallyColumns {
  server: string;
  tool: string;
  ok_count: number;
  arguments_count: number;
  tool_count: number;
  server_count: number;
  timeout_count: number;
  cancelled_count: number;
  refused_count: number;
  cached_count: number;
  sum_micros: number;
  /** A `Histogram`. */
  latency: Uint8Array;
  called_at: number | null;
  ok_at: number | null;
  error_at: number | null;
  error_type: string | null;
  error: string | null;
  failures_in_a_row: number;
  upto: number;
}
