/**
 * What gateways on one database tell each other about calls that need approval: which wait, what was answered, and what may be
 * called once or for a session. It is kept sealed, because it shows arguments.
 */

import type { Transaction } from 'kysely';
import { asKeyText, asNumber, asText, asWord, orNull, primary, type RowIn, rowsOf } from '../columns.ts';
import { RecordTable, type StoreRecord, workInChunks } from '../record.ts';
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
  /** Changes nothing if this note exists: of several gateways that put it, one succeeds. */
  readonly unless?: string | undefined;
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

interface NoteRow extends Omit<ApprovalNote, 'leftMs'> {
  /** By the clock of the database. */
  readonly until: number | null;
}

const noteRows = rowsOf<NoteRow>()({
  id: primary(asWord()),
  replica: asKeyText,
  at: asNumber,
  until: orNull(asNumber),
  content: asText,
});

const notes = new RecordTable('approval_note', noteRows, ['id']);

interface NoteTables {
  approval_note: RowIn<typeof noteRows>;
  replica: { id: string };
}

/** Notes are for gateways that run now, so copies of a store leave them out. */
export const approvalNoteTables: readonly string[] = ['approval_note'];

export const approvalNoteRecord: StoreRecord<NoteTables, ApprovalNoteStore> = {
  migrations: { '0017-approval-notes': (db) => notes.create(db) },
  open({ read, write, change, sealer }) {
    const unsealer = new NoteUnsealer(sealer);
    return {
      async listApprovalNotes() {
        const kept = await read(async (db) => {
          const now = await databaseNow(db);
          const rows = (await notes.list(db)).filter(({ until }) => until === null || until > now);
          return rows.map(({ until, ...note }) => ({ ...note, leftMs: until === null ? null : until - now }));
        });
        const opened = await unsealer.unseal(kept);
        return opened.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
      },
      async changeApprovals({ take, unless, put = [], remove = [], approval }) {
        const sealed = await Promise.all(put.map((note) => sealNote(sealer, note)));
        return write(async (db, tell) => {
          const now = await databaseNow(db);
          await removeEnded(db, now);
          if (unless !== undefined && (await notes.list(db, { id: unless })).length > 0) return false;
          if (take !== undefined && (await notes.remove(db, { id: take })) === 0) return false;
          await workInChunks(remove, (ids) => db.deleteFrom('approval_note').where('id', 'in', ids).execute());
          const rows = sealed.map(({ leftMs, ...note }) => ({ ...note, until: leftMs === null ? null : now + leftMs }));
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
  return sealer === undefined ? note : { ...note, content: await sealer.seal(note.content, purposeOf(note)) };
}

/** Unseals each note once, for as long as it is there: most of them were there at the last read. */
class NoteUnsealer {
  readonly #sealer: Sealer | undefined;
  /** By id. */
  #known: ReadonlyMap<string, { readonly sealed: string; readonly content: string }> = new Map();

  constructor(sealer: Sealer | undefined) {
    this.#sealer = sealer;
  }

  async unseal(notes: readonly ApprovalNote[]): Promise<ApprovalNote[]> {
    const sealer = this.#sealer;
    if (sealer === undefined) return [...notes];
    const known = new Map<string, { sealed: string; content: string }>();
    const opened: ApprovalNote[] = [];
    const add = async (note: ApprovalNote) => {
      const before = this.#known.get(note.id);
      const content = before?.sealed === note.content ? before.content : await unsealContent(sealer, note);
      if (content === undefined) return;
      known.set(note.id, { sealed: note.content, content });
      opened.push({ ...note, content });
    };
    await workInChunks(notes, (chunk) => Promise.all(chunk.map(add)));
    this.#known = known;
    return opened;
  }
}

/** undefined: it was sealed by a gateway with another key, which `doctor` finds. Nothing can be approved by it here. */
function unsealContent(sealer: Sealer, note: ApprovalNote): Promise<string | undefined> {
  return sealer.unseal(note.content, purposeOf(note)).catch(() => undefined);
}

function purposeOf({ id }: ApprovalNote): string {
  return `approval:${id}`;
}
