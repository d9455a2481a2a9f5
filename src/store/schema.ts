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
  vector: { fingerprint: string; model: string; scale: number; values: Uint8Array };
  tool_use: { query: string; tool_key: string; good: number; bad: number; at: number };
}
