/** The questions to the audit. Each looks at a bounded part of it, so that a rare answer never holds up the event loop. */

import type { Kysely, Transaction } from 'kysely';
import { toText } from '../rows.ts';
import type { Schema } from '../schema.ts';
import type { AuditFilter, AuditPage, AuditQuery, AuditRemoval } from './audit.ts';
import { toAudit } from './audit-rows.ts';

/** Records that one look passes over: a few milliseconds. Where so many in a row are young, none behind them is looked for. */
export const recordsPerLook = 5_000;
/** Records that one step of the retention removes at most. */
export const recordsPerRemoval = 200;

export async function selectAudit(db: Kysely<Schema>, query: AuditQuery): Promise<AuditPage> {
  const isNewest = query.order === 'newest';
  let ids = db
    .selectFrom('audit')
    .select('id')
    .orderBy('id', isNewest ? 'desc' : 'asc')
    .limit(recordsPerLook);
  if (query.from !== undefined) ids = ids.where('id', isNewest ? '<' : '>', query.from);
  const looked = await ids.execute();
  const first = looked.at(0)?.id;
  const last = looked.at(-1)?.id;
  if (first === undefined || last === undefined) return { records: [], upto: query.from ?? 0, isMore: false };
  const [low, high] = isNewest ? [last, first] : [first, last];
  const rows = await matching(db, query.filter)
    .where('id', '>=', low)
    .where('id', '<=', high)
    .orderBy('id', isNewest ? 'desc' : 'asc')
    .limit(query.limit)
    .execute();
  const records = rows.map(toAudit);
  // One that fills the page may have others behind it.
  if (records.length === query.limit) return { records, upto: records.at(-1)?.id ?? last, isMore: true };
  return { records, upto: last, isMore: looked.length === recordsPerLook };
}

function matching(db: Kysely<Schema>, filter: AuditFilter) {
  let rows = db.selectFrom('audit').selectAll();
  for (const column of ['kind', 'project', 'server', 'tool', 'outcome'] as const) {
    const wanted = filter[column];
    if (wanted !== undefined) rows = rows.where(column, '=', toText(wanted));
  }
  if (filter.principal !== undefined) {
    const who = toText(filter.principal);
    rows = rows.where((row) => row.or([row('principal', '=', who), row('principal_name', '=', who)]));
  }
  if (filter.request !== undefined) {
    const which = toText(filter.request);
    rows = rows.where((row) => row.or([row('request', '=', which), row('trace', '=', which)]));
  }
  if (filter.since !== undefined) rows = rows.where('at', '>=', filter.since);
  if (filter.until !== undefined) rows = rows.where('at', '<', filter.until);
  const { action } = filter;
  // Not `like`: to it some characters of what is looked for would be wildcards.
  if (action !== undefined)
    rows = rows.where((row) => row(row.fn<number>('instr', ['action', row.val(toText(action))]), '>', 0));
  return rows;
}

/** The id of the record that was written last; 0 where there is none. */
export async function selectLastAudit(db: Kysely<Schema>): Promise<number> {
  const row = await db.selectFrom('audit').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return row?.id ?? 0;
}

/**
 * Removes records from before a time, a few of those behind the id `after`. The table lets go only of what lies before the
 * time that is noted in `audit_retention`, and never of its last record, so that no id is given twice.
 */
export async function deleteAuditBefore(db: Transaction<Schema>, before: number, after: number): Promise<AuditRemoval> {
  await db.updateTable('audit_retention').set({ expire_before: before }).execute();
  const last = await selectLastAudit(db);
  const expired = await db
    .selectFrom((from) =>
      from
        .selectFrom('audit')
        .select(['id', 'at'])
        .where('id', '>', after)
        .where('id', '<', last)
        .orderBy('id')
        .limit(recordsPerLook)
        .as('looked'),
    )
    .select('id')
    .where('at', '<', before)
    .orderBy('id')
    .limit(recordsPerRemoval)
    .execute();
  const ids = expired.map(({ id }) => id);
  if (ids.length > 0) await db.deleteFrom('audit').where('id', 'in', ids).execute();
  return { removed: ids.length, next: ids.at(-1) ?? null };
}

/** Removes some of the oldest records, where there are too many. The time before which records may go is moved for these alone. */
export async function deleteAuditUpto(db: Transaction<Schema>, upto: number): Promise<number> {
  const last = await selectLastAudit(db);
  const oldest = await db
    .selectFrom('audit')
    .select(['id', 'at'])
    .where('id', '<=', Math.min(upto, last - 1))
    .orderBy('id')
    .limit(recordsPerRemoval)
    .execute();
  if (oldest.length === 0) return 0;
  const { expire_before: before } = await db
    .selectFrom('audit_retention')
    .select('expire_before')
    .executeTakeFirstOrThrow();
  const beyond = Math.max(...oldest.map(({ at }) => at)) + 1;
  await db
    .updateTable('audit_retention')
    .set({ expire_before: Math.max(before, beyond) })
    .execute();
  const ids = oldest.map(({ id }) => id);
  await db.deleteFrom('audit').where('id', 'in', ids).execute();
  await db.updateTable('audit_retention').set({ expire_before: before }).execute();
  return ids.length;
}
