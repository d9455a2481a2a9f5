/**
 * What gateways on one database tell each other about calls that need approval: which wait, what was answered, and what may be
 * called once or for a session. It is kept sealed, because it shows arguments.
 */

import type { Kysely, Transaction } from 'kysely';
import { randomId } from '../../base/ids.ts';
import { asKeyText, asNumber, asText, asWord, orNull, primary, type RowIn, rowsOf, since } from '../columns.ts';
import { addColumns, type RecordDatabase, RecordTable, type StoreRecord, workInChunks } from '../record.ts';
import { databaseNow } from '../replica/replica.ts';
import type { Sealer } from '../server/server.ts';
import { approvalTable, type StoredApproval } from './approval.ts';

export interface ApprovalNote {
  /** A hash: it reveals nothing of the content. */
  readonly id: string;
  /** The replica that it ends with; null: it outlives each of them. */
  readonly replica: string | null;
  readonly at: number;
  /** A duration, because the clocks of gateways differ; null: it ends with its replica. */
  readonly leftMs: number | null;
  readonly content: string;
}

/** Atomic. An expired note counts as absent. */
export interface ApprovalChange {
  /** Removes this note, or changes nothing if it is gone: of several gateways that take it, one succeeds. */
  readonly take?: string | undefined;
  /** Changes nothing if one of these notes exists: of several gateways that put it, one succeeds. */
  readonly unless?: readonly string[] | undefined;
  readonly put?: readonly ApprovalNote[] | undefined;
  readonly remove?: readonly string[] | undefined;
  /** Given for always. */
  readonly approval?: StoredApproval | undefined;
}

export interface ApprovalNoteStore {
  /** The oldest first, without those that have ended or cannot be unsealed. */
  listApprovalNotes(): Promise<ApprovalNote[]>;
  /** False where nothing was changed. */
  changeApprovals(change: ApprovalChange): Promise<boolean>;
  /** Those whose time or replica is over. Says how many there were. */
  removeEndedNotes(): Promise<number>;
}

interface NoteFacts extends Omit<ApprovalNote, 'leftMs' | 'content'> {
  /** By the clock of the database. */
  readonly until: number | null;
  /** Another one each time that the note is put; one that an older version puts again keeps it, or has none. */
  readonly version: string | null;
}

const factColumns = {
  id: primary(asWord()),
  replica: asKeyText,
  at: asNumber,
  until: orNull(asNumber),
  version: since('0019-note-versions', orNull(asWord())),
};
const noteRows = rowsOf<NoteFacts & Pick<ApprovalNote, 'content'>>()({ ...factColumns, content: asText });

const notes = new RecordTable('approval_note', noteRows, ['id']);
const noteFacts = new RecordTable('approval_note', rowsOf<NoteFacts>()(factColumns), ['id']);

type NoteDatabase = Pick<RecordDatabase<NoteTables>, 'read' | 'sealer'>;

interface NoteTables {
  approval_note: RowIn<typeof noteRows>;
  replica: { id: string };
}

/** Notes are for gateways that run now, so copies of a store leave them out. */
export const approvalNoteTables: readonly string[] = ['approval_note'];

export const approvalNoteRecord: StoreRecord<NoteTables, ApprovalNoteStore> = {
  migrations: {
    '0017-approval-notes': (db) => notes.create(db),
    '0019-note-versions': (db) => addColumns(db, 'approval_note', noteRows, '0019-note-versions'),
  },
  async sealed(db) {
    const now = await databaseNow(db);
    return (await notes.list(db)).filter(({ until }) => until === null || until > now).map(({ content }) => content);
  },
  open({ read, write, change, sealer }) {
    const reader = new NoteReader({ read, sealer });
    return {
      listApprovalNotes: () => reader.list(),
      async changeApprovals({ take, unless = [], put = [], remove = [], approval }) {
        const sealed = await Promise.all(put.map((note) => sealNote(sealer, note)));
        return write(async (db, tell) => {
          const now = await databaseNow(db);
          await removeEnded(db, now);
          for (const id of unless) if ((await noteFacts.list(db, { id })).length > 0) return false;
          if (take !== undefined && (await notes.remove(db, { id: take })) === 0) return false;
          await workInChunks(remove, (ids) => db.deleteFrom('approval_note').where('id', 'in', ids).execute());
          const rows = sealed.map(({ leftMs, ...note }) => {
            return { ...note, until: leftMs === null ? null : now + leftMs, version: randomId() };
          });
          await notes.save(db, rows);
          if (approval !== undefined) {
            await approvalTable.save(db, [approval]);
            tell({ type: 'access' });
          }
          tell({ type: 'approvals' });
          return true;
        });
      },
      removeEndedNotes: () =>
        change('approvals', async (db) => {
          const present = db.selectFrom('replica').select('id');
          const left = db.deleteFrom('approval_note').where('replica', '<>', '').where('replica', 'not in', present);
          return (await removeEnded(db, await databaseNow(db))) + (await left.returning('id').execute()).length;
        }),
    };
  },
};

async function removeEnded(db: Transaction<NoteTables>, now: number): Promise<number> {
  return (await db.deleteFrom('approval_note').where('until', '<=', now).returning('id').execute()).length;
}

async function sealNote(sealer: Sealer | undefined, note: ApprovalNote): Promise<ApprovalNote> {
  return sealer === undefined ? note : { ...note, content: await sealer.seal(note.content, purposeOf(note.id)) };
}

type KnownContents = ReadonlyMap<string, Pick<NoteFacts, 'version' | 'at'> & { readonly content: string }>;

/** Reads and unseals the content of each note once, for as long as it is there: most were there at the last read, and contents are long. */
class NoteReader {
  readonly #database: NoteDatabase;
  /** By id. */
  #known: KnownContents = new Map();

  constructor(database: NoteDatabase) {
    this.#database = database;
  }

  async list(): Promise<ApprovalNote[]> {
    const { read, sealer } = this.#database;
    const before = this.#known;
    const kept = await read((db) => readNotes(db, before));
    const known = new Map<string, Pick<NoteFacts, 'version' | 'at'> & { content: string }>();
    const opened: ApprovalNote[] = [];
    const add = async ({ version, sealed, ...note }: KeptNote) => {
      const content =
        sealed === undefined ? before.get(note.id)?.content : await unsealContent(sealer, note.id, sealed);
      if (content === undefined) return;
      known.set(note.id, { version, at: note.at, content });
      opened.push({ ...note, content });
    };
    await workInChunks(kept, (chunk) => Promise.all(chunk.map(add)));
    this.#known = known;
    return opened.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  }
}

interface KeptNote extends Omit<ApprovalNote, 'content'> {
  readonly version: string | null;
  /** undefined: it is known. */
  readonly sealed: string | undefined;
}

async function readNotes(db: Kysely<NoteTables>, known: KnownContents): Promise<KeptNote[]> {
  const now = await databaseNow(db);
  const facts = (await noteFacts.list(db)).filter(({ until }) => until === null || until > now);
  const isKnown = ({ id, version, at }: NoteFacts) =>
    version !== null && known.get(id)?.version === version && known.get(id)?.at === at;
  const unknown = facts.filter((note) => !isKnown(note)).map(({ id }) => id);
  const contents = new Map<string, string>();
  await workInChunks(unknown, async (ids) => {
    const rows = await db.selectFrom('approval_note').select(['id', 'content']).where('id', 'in', ids).execute();
    for (const { id, content } of rows) contents.set(id, asText.read(content));
  });
  return facts.map(({ until, ...note }) => {
    return { ...note, leftMs: until === null ? null : until - now, sealed: contents.get(note.id) };
  });
}

/** undefined: it was sealed by a gateway with another key, which `doctor` finds. Nothing can be approved by it here. */
async function unsealContent(sealer: Sealer | undefined, id: string, sealed: string): Promise<string | undefined> {
  return sealer === undefined ? sealed : sealer.unseal(sealed, purposeOf(id)).catch(() => undefined);
}

function purposeOf(id: string): string {
  return `approval:${id}`;
}
