/** The queries on tokens. */

import type { Kysely, Transaction } from 'kysely';
import { GatewayError } from '../../base/errors.ts';
import { fromText, toText } from '../rows.ts';
import type { Schema } from '../schema.ts';
import type { StoredToken } from './token.ts';

export async function selectTokens(db: Kysely<Schema>): Promise<StoredToken[]> {
  const rows = await db.selectFrom('token').selectAll().execute();
  return rows.map(toToken).sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

/** Throws NAME_TAKEN where another one that is not revoked has the name. */
export async function insertToken(db: Transaction<Schema>, token: StoredToken): Promise<void> {
  const name = toText(token.name);
  const taken = await db
    .selectFrom('token')
    .select('id')
    .where('name', '=', name)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (taken) throw new GatewayError('NAME_TAKEN', `There is already a token "${token.name}".`);
  await db.insertInto('token').values(fromToken(token)).execute();
}

/** False where there is none, or none that is not revoked yet. */
export async function markRevoked(db: Transaction<Schema>, id: string, at: number): Promise<boolean> {
  const revoked = await db
    .updateTable('token')
    .set({ revoked_at: at })
    .where('id', '=', toText(id))
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute();
  return revoked.length > 0;
}

/** Removes tokens that came to their end, by revocation or by time, before a moment. */
export async function deleteEndedTokens(db: Transaction<Schema>, before: number): Promise<number> {
  const removed = await db
    .deleteFrom('token')
    .where((row) => row.or([row('revoked_at', '<', before), row('expires_at', '<', before)]))
    .returning('id')
    .execute();
  return removed.length;
}

/** Keeps the later time where another one is known already. */
export async function updateTokenUses(db: Transaction<Schema>, uses: ReadonlyMap<string, number>): Promise<void> {
  for (const [id, at] of uses) {
    await db
      .updateTable('token')
      .set({ last_used_at: at })
      .where('id', '=', toText(id))
      .where((row) => row.or([row('last_used_at', 'is', null), row('last_used_at', '<', at)]))
      .execute();
  }
}

function toToken(row: Schema['token']): StoredToken {
  return {
    id: fromText(row.id),
    name: fromText(row.name),
    digest: row.digest,
    scopes: toTexts(row.scopes),
    servers: row.servers === null ? null : toTexts(row.servers),
    project: row.project === null ? null : fromText(row.project),
    surface: row.surface === null ? null : fromText(row.surface),
    createdBy: row.created_by === null ? null : fromText(row.created_by),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
  };
}

function fromToken(token: StoredToken): Schema['token'] {
  return {
    id: toText(token.id),
    name: toText(token.name),
    digest: token.digest,
    scopes: JSON.stringify(token.scopes),
    servers: token.servers === null ? null : JSON.stringify(token.servers),
    project: token.project === null ? null : toText(token.project),
    surface: token.surface === null ? null : toText(token.surface),
    created_by: token.createdBy === null ? null : toText(token.createdBy),
    created_at: token.createdAt,
    expires_at: token.expiresAt,
    revoked_at: token.revokedAt,
    last_used_at: token.lastUsedAt,
  };
}

/** What a damaged row says must never read as a wider right than the one that was written. */
function toTexts(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  } catch {
    // Told below, as everything that is no list.
  }
  throw new GatewayError('STORE_BROKEN', 'A token of the store does not hold the list that was written to it.', {
    hint: 'Restore a backup of the store.',
  });
}
