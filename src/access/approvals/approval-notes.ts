/**
 * What is known about calls that need approval: which wait, what was answered, and what may be called once or for a session. A
 * single gateway keeps it in memory. Several gateways keep it in their database, where a change by one counts for all.
 */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Clock, Timer } from '../../base/clock.ts';
import { GatewayError, messageOf } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { limits } from '../../config/config.ts';
import {
  type ApprovalChange,
  type ApprovalNote,
  type ApprovalNoteStore,
  type ApprovalStore,
  OrderedReads,
  type StoreSharing,
} from '../../store/store.ts';
import { approvalAnswers, markOfCall } from './approval.ts';
import { type ApprovalRequest, markOfRequest } from './approval-request.ts';

const shownSchema = z.object({ text: z.string(), characters: z.number(), isCut: z.boolean() });

const factsSchema = z.object({
  id: z.string(),
  call: z.object({
    principal: z.object({
      id: z.string(),
      name: z.string(),
      project: z.object({ name: z.string() }).optional(),
    }),
    session: z.string(),
    isSessionReal: z.boolean(),
    client: z.string().optional(),
    requestId: z.string().optional(),
    server: z.string(),
    tool: z.string(),
    definition: z.string(),
    sent: z.string(),
  }),
  shown: shownSchema,
  shownBeside: shownSchema.optional(),
  approver: z.enum(['agent', 'owner']),
  isSessionOffered: z.boolean(),
  askedAt: z.number(),
  expiresAt: z.number(),
});

const grantSchema = z.object({
  id: z.string(),
  principal: z.string(),
  principalName: z.string(),
  project: z.string().nullable(),
  toolKey: z.string(),
  definition: z.string(),
  at: z.number(),
  by: z.string(),
  holds: z.literal('session'),
  until: z.number().nullable(),
  client: z.string().nullable(),
});

/** What a note of each kind holds beside its mark. */
const bodySchemas = {
  /** Marked by its id, or by its call where only the owner is asked. `home`: the replica where the call waits; null: there are no others. */
  request: z.object({ facts: factsSchema, home: z.string().nullable(), isSessionOver: z.boolean() }),
  /** Marked by the id of the request, for people to ask about. `call`: the mark of its call. `by`: the name of who decided. */
  decision: z.object({ answer: z.enum(approvalAnswers), by: z.string(), call: z.string() }),
  /** Marked by a call that may be made once. */
  pass: z.null(),
  /** Marked by a call that must not be asked about again. */
  refusal: z.null(),
  /** Marked by a tool of which the owner refused a call: the agent, which may answer its own forms, cannot allow it as a whole. */
  'refused-tool': z.null(),
  /** Marked by a tool in a session. */
  session: z.object({ grant: grantSchema, session: z.string() }),
};

type NoteBody = { readonly [Kind in keyof typeof bodySchemas]: z.output<(typeof bodySchemas)[Kind]> };
export type NoteKind = keyof NoteBody;

export interface WrittenNote<Kind extends NoteKind = NoteKind> {
  readonly kind: Kind;
  readonly mark: string;
  readonly body: NoteBody[Kind];
  /** How long it holds; null: as long as the replica is there. */
  readonly ms: number | null;
  /** The replica that it ends with; left out: it outlives each. */
  readonly replica?: string | null | undefined;
}

export interface WrittenChange extends Omit<ApprovalChange, 'put'> {
  readonly put?: readonly WrittenNote[] | undefined;
}

/** As it is stored; `said` is the body. */
const noteSchema = z.object({ kind: z.string(), mark: z.string(), said: z.unknown() });

interface Known {
  readonly kind: NoteKind;
  readonly mark: string;
  readonly body: unknown;
  /** On the monotonic clock. */
  readonly endsAt: number;
  /** As the store has it; undefined: it was not read yet. */
  readonly content?: string;
}

/** The oldest make room. Requests are counted where they are asked. */
const most: Readonly<Record<NoteKind, number>> = {
  request: Number.POSITIVE_INFINITY,
  decision: limits.answeredCalls,
  pass: limits.answeredCalls,
  refusal: limits.answeredCalls,
  'refused-tool': limits.answeredCalls,
  session: limits.sessionApprovals,
};

export type NotesStore = ApprovalNoteStore &
  ApprovalStore &
  Pick<StoreSharing, 'isShared'> &
  Partial<Pick<StoreSharing, 'unheardSince'>>;

interface NotesOptions {
  readonly store: NotesStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Asked some time after a change failed: the next read repairs it. */
  readonly retry: () => void;
}

const retryMs = 2_000;
/** A call, a person who answers and a gateway that ends wait this long for the store; then what is known here counts. */
const storeWaitMs = 3_000;

export class ApprovalNotes {
  readonly #options: NotesOptions;
  /** By id, the oldest first. */
  #known = new Map<string, Known>();
  readonly #reads = new OrderedReads();
  /** Of each read under way: our changes since it began, which it may lack. */
  readonly #missed = new Set<WrittenChange[]>();
  #retry: Timer | undefined;
  /** The store refused a change, and took none since. */
  #isRefused = false;
  /** The one change that is tried meanwhile; undefined: it was refused, too. */
  #trial: Promise<boolean | undefined> | undefined;

  constructor(options: NotesOptions) {
    this.#options = options;
  }

  /** Takes over what the store has; a single gateway has nothing to read. */
  async reload(): Promise<void> {
    const { store } = this.#options;
    if (!store.isShared) return;
    const missed: WrittenChange[] = [];
    this.#missed.add(missed);
    const use = (notes: readonly ApprovalNote[]) => {
      this.#known = new Map(notes.flatMap((note) => this.#read(note)));
      for (const change of missed) this.#apply(change);
    };
    try {
      await this.#reads.read(() => store.listApprovalNotes(), use);
    } finally {
      this.#missed.delete(missed);
    }
  }

  close(): void {
    this.#retry?.cancel();
  }

  find<Kind extends NoteKind>(kind: Kind, mark: string): NoteBody[Kind] | undefined {
    const known = this.#known.get(noteId(kind, mark));
    // Its kind decides its body, as it was written or read.
    return known && this.#holds(known) ? (known.body as NoteBody[Kind]) : undefined;
  }

  has(kind: NoteKind, mark: string): boolean {
    return this.find(kind, mark) !== undefined;
  }

  /** On this very request: ids are short, and a gateway that knew nothing of it may have given its id to another call. */
  decisionOn({ facts }: ApprovalRequest): NoteBody['decision'] | undefined {
    const decision = this.find('decision', facts.id);
    return decision?.call === markOfCall(facts.call) ? decision : undefined;
  }

  /** True if a request has this id, or had it a short while ago. */
  isTaken(id: string): boolean {
    return this.has('decision', id) || this.list('request').some(({ facts }) => facts.id === id);
  }

  /** How long it still holds. */
  leftMs(kind: NoteKind, mark: string): number {
    return (this.#known.get(noteId(kind, mark))?.endsAt ?? 0) - this.#options.clock.elapsed();
  }

  /** The oldest first. */
  list<Kind extends NoteKind>(kind: Kind): NoteBody[Kind][] {
    // As above.
    return [...this.#known.values()]
      .filter((known) => known.kind === kind && this.#holds(known))
      .map((known) => known.body as NoteBody[Kind]);
  }

  /** The ids of those that are meant. */
  idsOf<Kind extends NoteKind>(kind: Kind, isMeant: (body: NoteBody[Kind], mark: string) => boolean): string[] {
    return [...this.#known].flatMap(([id, known]) =>
      // As above.
      known.kind === kind && isMeant(known.body as NoteBody[Kind], known.mark) ? [id] : [],
    );
  }

  /** False if `take` is gone or one of `unless` exists: then nothing is changed. Throws if the store could not be changed. */
  async change({ put = [], remove = [], ...others }: WrittenChange): Promise<boolean> {
    const { store } = this.#options;
    const change = { ...others, put, remove: [...remove, ...this.#crowdedBy(put)] };
    if (store.isShared) {
      const notes = put.map((note) => this.#write(note));
      const isChanged = await store.changeApprovals({ ...change, put: notes });
      this.#noteRecovery();
      if (!isChanged) return false;
      for (const missed of this.#missed) missed.push(change);
    } else {
      if (!this.#fits(change)) return false;
      if (change.approval) await store.saveApproval(change.approval);
      // Somebody may have been quicker.
      if (!this.#fits(change)) {
        if (change.approval) await store.removeApproval(change.approval.id);
        return false;
      }
    }
    this.#apply(change);
    return true;
  }

  /** False also where the store cannot be changed. */
  async tryToChange(change: WrittenChange): Promise<boolean> {
    if (change.take === undefined && !change.put?.length && !change.remove?.length) return true;
    // The others would be refused as well: many may wait for a store that cannot be written for long.
    if (this.#trial !== undefined && (await this.#trial) === undefined) return false;
    const trying = this.change(change).catch((error) => {
      this.warnOfFailure(error);
      this.#retry ??= this.#options.clock.after(retryMs, () => {
        this.#retry = undefined;
        this.#options.retry();
      });
      return error instanceof GatewayError ? undefined : false;
    });
    if (this.#isRefused)
      this.#trial = trying.finally(() => {
        this.#trial = undefined;
      });
    return (await trying) ?? false;
  }

  /** False where there is none. One that was taken for an agent that has left meanwhile is there again. */
  async takePass(mark: string, signal?: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    const until = clock.elapsed() + this.leftMs('pass', mark);
    const isTaken = this.has('pass', mark) && (await this.tryToChange({ take: noteId('pass', mark) }));
    if (!isTaken || !signal?.aborted) return isTaken;
    // For the rest of its time, unless the owner has refused the call since.
    const pass = noteOf('pass', mark, Math.floor(until - clock.elapsed()));
    await this.tryToChange({ unless: [noteId('refusal', mark)], put: [pass] });
    return false;
  }

  /** The answer of the store, or `otherwise` if it takes too long. The store may still finish later. */
  orAfterWait<T>(answer: Promise<T>, otherwise: T): Promise<T> {
    const late = Promise.withResolvers<T>();
    const timer = this.#options.clock.after(storeWaitMs, () => late.resolve(otherwise));
    return Promise.race([answer, late.promise]).finally(() => timer.cancel());
  }

  /** Once, until the store takes changes again. */
  warnOfFailure(error: unknown): void {
    if (this.#isRefused) return;
    // Any other error is a bug of ours, and about this one change.
    this.#isRefused = error instanceof GatewayError;
    this.#options.log.warn(
      'Other gateways may show outdated waiting calls: the database did not save a change. Toolcrib tries again.',
      {
        error: messageOf(error),
      },
    );
  }

  #noteRecovery(): void {
    if (this.#isRefused) this.#options.log.info('The database saves changes of waiting calls again.');
    this.#isRefused = false;
  }

  #fits({ take, unless = [] }: WrittenChange): boolean {
    return (take === undefined || this.#holdsId(take)) && !unless.some((id) => this.#holdsId(id));
  }

  #apply({ take, put = [], remove = [] }: WrittenChange): void {
    const { clock } = this.#options;
    for (const id of [...(take === undefined ? [] : [take]), ...remove]) this.#known.delete(id);
    for (const [id, known] of this.#known) if (!this.#holds(known)) this.#known.delete(id);
    for (const { kind, mark, body, ms } of put) {
      const id = noteId(kind, mark);
      this.#known.delete(id);
      this.#known.set(id, { kind, mark, body, endsAt: clock.elapsed() + (ms ?? Number.POSITIVE_INFINITY) });
    }
  }

  /** The oldest of a kind of which there would be too many. */
  #crowdedBy(put: readonly WrittenNote[]): string[] {
    const added = new Set(put.map(({ kind, mark }) => noteId(kind, mark)));
    return [...new Set(put.map(({ kind }) => kind))].flatMap((kind) => {
      const isOther = ([id, known]: [string, Known]) => known.kind === kind && !added.has(id) && this.#holds(known);
      const same = [...this.#known].filter(isOther);
      const room = most[kind] - put.filter((note) => note.kind === kind).length;
      return same.slice(0, Math.max(0, same.length - room)).map(([id]) => id);
    });
  }

  #holdsId(id: string): boolean {
    const known = this.#known.get(id);
    return known !== undefined && this.#holds(known);
  }

  #holds({ endsAt }: Known): boolean {
    return endsAt > this.#options.clock.elapsed();
  }

  #write({ kind, mark, ms, replica = null, ...note }: WrittenNote): ApprovalNote {
    // Only what is needed: a principal has more to it.
    const content = JSON.stringify({ kind, mark, said: bodySchemas[kind].parse(note.body) });
    return { id: noteId(kind, mark), replica, at: this.#options.clock.now(), leftMs: ms, content };
  }

  #read({ id, leftMs, content }: ApprovalNote): [string, Known][] {
    const endsAt = this.#options.clock.elapsed() + (leftMs ?? Number.POSITIVE_INFINITY);
    const before = this.#known.get(id);
    if (before?.content === content) return [[id, { ...before, endsAt }]];
    const { kind, mark, ...note } = noteSchema.parse(JSON.parse(content));
    // Another version may write what this one does not know.
    if (!isKind(kind)) return [];
    const { success, data } = bodySchemas[kind].safeParse(note.said);
    return success ? [[id, { kind, mark, body: data, endsAt, content }]] : [];
  }
}

/** A hash, because marks hold what nobody should read in a database. */
export function noteId(kind: NoteKind, mark: string): string {
  return `${kind}:${createHash('sha256').update(mark).digest('base64url')}`;
}

export function requestId({ facts }: ApprovalRequest): string {
  return noteId('request', markOfRequest(facts));
}

export function noteOf(kind: 'pass' | 'refusal' | 'refused-tool', mark: string, ms: number): WrittenNote {
  return { kind, mark, body: null, ms };
}

function isKind(kind: string): kind is NoteKind {
  return Object.hasOwn(bodySchemas, kind);
}
