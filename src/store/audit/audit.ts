/** Events of the audit, which is only ever added to. Each query looks at a bounded part of it, so that a rare answer never holds up the event loop. */

import type { Generated, Kysely, Transaction } from 'kysely';
import type { JsonObject } from '../../base/json.ts';
import {
  asJson,
  asNumber,
  asText,
  asWord,
  named,
  orNull,
  type RowIn,
  rowsOf,
  type StoredColumn,
  since,
  toText,
} from '../columns.ts';
import { addColumns, createTable, isPostgres, runSql, type StoreRecord } from '../record.ts';

export const auditKinds = ['discovery', 'execution', 'administration', 'access'] as const;
export type AuditKind = (typeof auditKinds)[number];

export interface AuditRecord {
  /** Wall clock, when it ended. */
  readonly at: number;
  readonly kind: AuditKind;
  readonly action: string;
  /** The id of who did it, and the name that it had then. */
  readonly principal: string;
  readonly principalName: string;
  readonly client: string | null;
  /** Our id of the request: every record that it caused has the same. */
  readonly requestId: string | null;
  /** The id of the request as the agent gave it, and the trace that came with it. */
  readonly rpcId: string | null;
  readonly trace: string | null;
  /** The project in which it was done. */
  readonly project: string | null;
  readonly session: string | null;
  readonly server: string | null;
  readonly tool: string | null;
  readonly outcome: string;
  readonly errorType: string | null;
  /** Fractions are kept to the microsecond. */
  readonly ms: number | null;
  /** SHA-256 over the canonical JSON of what it was called with. */
  readonly argumentsHash: string | null;
  /** The same in full, where the owner wants it kept: masked and short. */
  readonly arguments: JsonObject | null;
  readonly detail: JsonObject | null;
}

export interface StoredAuditRecord extends AuditRecord {
  /** Grows with every record and is never given twice. */
  readonly id: number;
}

/** Stands for every outcome but `ok` where records are looked for. */
export const anyFailure = 'not-ok';

/** Everything that is named has to hold. */
export interface AuditFilter {
  readonly kind?: AuditKind | undefined;
  /** Its id or its name. */
  readonly principal?: string | undefined;
  readonly project?: string | undefined;
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  /** Our id of a request, or the trace that came with it. */
  readonly request?: string | undefined;
  /** One of them, or `anyFailure`. */
  readonly outcome?: string | undefined;
  readonly errorType?: string | undefined;
  /** Part of the action. */
  readonly action?: string | undefined;
  /** From this time on. */
  readonly since?: number | undefined;
  /** Before this time. */
  readonly until?: number | undefined;
}

export interface AuditQuery {
  readonly filter: AuditFilter;
  /** `newest`: backwards from `from`, which is left out; `oldest`: forwards from behind it. */
  readonly order: 'newest' | 'oldest';
  readonly from?: number | undefined;
  readonly limit: number;
}

/** The result of one look: there is a limit on how many records are looked at, so that it may be less than there is. */
export interface AuditPage {
  readonly records: readonly StoredAuditRecord[];
  /** Everything up to this id was looked at: the next look goes on from here. */
  readonly upto: number;
  /** Something is left in this direction. */
  readonly isMore: boolean;
}

export interface AuditRemoval {
  readonly removed: number;
  /** Behind which id the next step begins; null: nothing is left to be removed. */
  readonly next: number | null;
}

export interface AuditStore {
  /** One look at the audit; the next one goes on where it ended. Events are never changed, and removed only by age or number. */
  listAudit(query: AuditQuery): Promise<AuditPage>;
  /** The id of the event that was written last; 0 where there is none. */
  lastAudit(): Promise<number>;
  /** One step: removes some of the events from before a time that lie behind the id `after`. The last one always stays. */
  removeAudit(before: number, after: number): Promise<AuditRemoval>;
  /** One step: removes some of the events up to an id, whatever their time, and says how many. The last one always stays. */
  removeAuditUpto(id: number): Promise<number>;
}

/** Records that one look reads, in milliseconds. After this many young ones in a row, the look for old ones ends. */
export const recordsPerLook = 5_000;
/** Records that one step of the retention removes at most. */
const recordsPerRemoval = 200;

const asMicros: StoredColumn<number, number> = {
  sql: 'bigint not null',
  write: (ms) => Math.round(ms * 1_000),
  read: (kept) => kept / 1_000,
};

export const auditRows = rowsOf<AuditRecord>()({
  at: asNumber,
  kind: asWord<AuditKind>(),
  action: asText,
  principal: asText,
  principalName: asText,
  client: orNull(asText),
  requestId: since('0012-requests', named('request', orNull(asText))),
  rpcId: named('request_id', orNull(asText)),
  trace: since('0012-requests', orNull(asText)),
  project: since('0012-requests', orNull(asText)),
  session: orNull(asText),
  server: orNull(asText),
  tool: orNull(asText),
  outcome: asText,
  errorType: orNull(asText),
  ms: named('micros', orNull(asMicros)),
  argumentsHash: orNull(asWord()),
  arguments: orNull(asJson),
  detail: orNull(asJson),
});

interface AuditTables {
  audit: RowIn<typeof auditRows> & { id: Generated<number> };
  /** One row. Of the audit only records from before this time can be removed. */
  audit_retention: { id: number; expire_before: number };
}

export const auditRecord: StoreRecord<AuditTables, AuditStore> = {
  migrations: {
    async '0008-audit'(db) {
      // Without `autoincrement`, which writes to a second page with every commit: the last record never goes.
      await createTable(db, 'audit', '"id" integer primary key', auditRows);
      await createTable(db, 'audit_retention', '"id" integer primary key, "expire_before" bigint not null');
      await runSql(db, 'insert into audit_retention (id, expire_before) values (1, 0)');
      await runSql(db, ...((await isPostgres(db)) ? postgresTriggers : triggers));
    },
    /** Rows from before have none of these: `request_id` is the id that the agent gave. */
    '0012-requests': (db) => addColumns(db, 'audit', auditRows, '0012-requests'),
  },
  open: ({ read, write }) => ({
    listAudit: (query) => read((db) => selectAudit(db, query)),
    lastAudit: () => read(selectLastAudit),
    removeAudit: (before, after) => write((db) => deleteAuditBefore(db, before, after)),
    removeAuditUpto: (id) => write((db) => deleteAuditUpto(db, id)),
  }),
};

/** Against mistakes of ours and careless hands. The owner of the file can still replace all of it. */
const triggers: readonly string[] = [
  `create trigger audit_no_update before update on audit
    begin select raise(abort, 'The audit is only added to.'); end`,
  // An insert that replaces a row would not be seen by the other triggers; -1 stands for an id that is still to be given.
  `create trigger audit_no_replace before insert on audit
    when new.id <> -1 and new.id <= (select max(id) from audit)
    begin select raise(abort, 'The audit is only added to.'); end`,
  `create trigger audit_no_delete before delete on audit
    when old.at >= (select expire_before from audit_retention) or old.id = (select max(id) from audit)
    begin select raise(abort, 'The audit lets go only of what is older than its retention.'); end`,
];

/** Ids come from a sequence there, and an insert never replaces a row. */
const postgresTriggers: readonly string[] = [
  `create function audit_stays() returns trigger language plpgsql as $$ begin
    if tg_op = 'UPDATE' then raise exception 'The audit is only added to.'; end if;
    if old.at >= (select expire_before from audit_retention) or old.id = (select max(id) from audit)
      then raise exception 'The audit lets go only of what is older than its retention.'; end if;
    return old;
  end $$`,
  'create trigger audit_stays before update or delete on audit for each row execute function audit_stays()',
];

async function selectAudit(db: Kysely<AuditTables>, query: AuditQuery): Promise<AuditPage> {
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
  const records = rows.map((row) => ({ ...auditRows.toRecord(row), id: row.id }));
  // One that fills the page may have others behind it.
  if (records.length === query.limit) return { records, upto: records.at(-1)?.id ?? last, isMore: true };
  return { records, upto: last, isMore: looked.length === recordsPerLook };
}

function matching(db: Kysely<AuditTables>, filter: AuditFilter) {
  let rows = db.selectFrom('audit').selectAll();
  for (const column of ['kind', 'project', 'server', 'tool'] as const) {
    const wanted = filter[column];
    if (wanted !== undefined) rows = rows.where(column, '=', toText(wanted));
  }
  if (filter.outcome === anyFailure) rows = rows.where('outcome', '<>', 'ok');
  else if (filter.outcome !== undefined) rows = rows.where('outcome', '=', toText(filter.outcome));
  if (filter.errorType !== undefined) rows = rows.where('error_type', '=', toText(filter.errorType));
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
async function selectLastAudit(db: Kysely<AuditTables>): Promise<number> {
  const row = await db.selectFrom('audit').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return row?.id ?? 0;
}

/**
 * Removes records from before a time, a few of those behind the id `after`. The table lets go only of what lies before the
 * time that is noted in `audit_retention`, and never of its last record, so that no id is given twice.
 */
async function deleteAuditBefore(db: Transaction<AuditTables>, before: number, after: number): Promise<AuditRemoval> {
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
async function deleteAuditUpto(db: Transaction<AuditTables>, upto: number): Promise<number> {
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
