/** Operations on definitions that changed since they were approved, or were never approved. */

import { z } from 'zod';
import { type PinKind, type PinReason, type PinState, pinKinds, type StoredPin } from '../store/store.ts';
import { lastChangeOf } from '../tools/tools.ts';
import { type Difference, differencesBetween, fingerprintIn, isOpen, isShownTo, isWorthALook } from '../trust/trust.ts';
import { type ChangeHistory, historyOf } from './definition-history.ts';
import { type AdminContext, operation } from './operation.ts';
import { groupByReason, type ReasonGroup } from './reason-groups.ts';
import { type ServerUpgrade, upgradesBehind } from './server-upgrades.ts';

/** Something that waits for the owner, was rejected, or was taken and is worth a look. */
export interface DefinitionChange {
  readonly server: string;
  readonly kind: PinKind;
  readonly name: string;
  /** The key to approve or reject it by: `server:name`, or the server for its own instructions. */
  readonly key: string;
  readonly state: PinState;
  readonly grade: string | null;
  readonly reasons: readonly PinReason[];
  readonly since: string;
  /** How often it became something that was not approved. */
  readonly times: number;
  readonly decidedBy: string | null;
  /** null: nothing was ever approved. */
  readonly approvedFingerprint: string | null;
  /** Of the text that the differences start from; null: all of it is new to the decider. */
  readonly comparedFingerprint: string | null;
  /** Of what a decision would be about. */
  readonly fingerprint: string;
  /** True if the caller was shown it before, as it is now. */
  readonly wasShown: boolean;
  /** True if the server offers it now. */
  readonly isOffered: boolean;
  readonly differences: readonly Difference[];
}

export interface ChangeList {
  readonly changes: readonly DefinitionChange[];
  /** The same by reason: what keeps things from agents first, then what is worth a look. */
  readonly groups: readonly ReasonGroup[];
  /** Upgrades of servers that brought some of these; the newest first. */
  readonly upgrades: readonly ServerUpgrade[];
  /** Newest first; empty unless it was asked for. */
  readonly history: readonly ChangeHistory[];
  /** When the server that was asked about last changed, and by how much. */
  readonly lastChange: { readonly at: string; readonly summary: string } | null;
}

export interface Decided {
  readonly decision: 'approved' | 'rejected' | 'undone';
  readonly items: readonly { readonly kind: PinKind; readonly key: string; readonly fingerprint: string }[];
}

const which = { kind: z.enum(pinKinds).optional(), name: z.string().optional() };
/** The definitions that the person has seen; if others wait by now, nothing is decided. */
const fingerprints = z.array(z.string());
const whose = { server: z.string().min(1), ...which };
const only = z.array(z.strictObject({ kind: z.enum(pinKinds), name: z.string() })).optional();
const approval = z.strictObject({ ...whose, only, fingerprints });
const shownItem = z.strictObject({
  server: z.string(),
  kind: z.enum(pinKinds),
  name: z.string(),
  fingerprint: z.string(),
});
const rejection = z.strictObject({ ...whose, only, fingerprints: fingerprints.optional() });

export const changeOperations = {
  'changes.list': operation({
    summary: 'Definitions that changed since they were approved or wait for approval, with what differs',
    audit: 'none',
    input: z.strictObject({
      server: z.string().optional(),
      ...which,
      all: z.boolean().default(false),
    }),
    async run({ context, input: { server, kind, name, all }, principal }): Promise<ChangeList> {
      if (server !== undefined) context.registry.find(server);
      const isMeant = (pin: StoredPin) => (kind ?? pin.kind) === pin.kind && (name ?? pin.name) === pin.name;
      const pins = context.catalog.pins.list(server);
      const waiting = pins.filter((pin) => isMeant(pin) && (isOpen(pin) || isWorthALook(pin)));
      const changes = waiting.sort(byUrgency).map((pin) => describeChange(context, pin, principal.id));
      return {
        changes,
        groups: groupByReason(changes),
        upgrades: await upgradesBehind(
          context,
          waiting.filter(({ state }) => state !== 'rejected'),
        ),
        history: all ? await historyOf(context.store, pins, { server, kind, name }) : [],
        lastChange: server === undefined ? null : await lastChangeIn(context, server),
      };
    },
  }),
  'changes.shown': operation({
    summary: 'Note that a person was shown definitions whole, as they are by these fingerprints',
    audit: 'none',
    input: z.strictObject({ items: z.array(shownItem) }),
    async run({ context, input: { items }, principal }): Promise<{ readonly count: number }> {
      const shown = new Set(items.map(wordingOf));
      const isShown = (pin: StoredPin) => shown.has(wordingOf({ ...pin, fingerprint: fingerprintIn(pin) }));
      const pins = context.catalog.pins.list().filter(isShown);
      await context.catalog.pins.show(pins, principal.id);
      return { count: pins.length };
    },
  }),
  'changes.approve': operation({
    summary: 'Approve what waits of a server, or some of it',
    input: approval,
    run: ({ context, input, principal }) => decide(context, input, 'approved', principal.id),
  }),
  'changes.reject': operation({
    summary: 'Reject the pending definitions of a server, or some of them: the approved ones stay in use',
    input: rejection,
    run: ({ context, input, principal }) => decide(context, input, 'rejected', principal.id),
  }),
  'changes.undo': operation({
    summary: 'Undo the last decision about a server, or about one of its definitions',
    input: z.strictObject(whose),
    async run({ context, input, principal }): Promise<Decided> {
      context.registry.find(input.server);
      return decidedOf('undone', await context.catalog.undo(input, principal.id));
    },
  }),
};

async function lastChangeIn({ store }: AdminContext, server: string): Promise<ChangeList['lastChange']> {
  const last = await lastChangeOf(store, server);
  return last && { at: new Date(last.at).toISOString(), summary: last.summary };
}

/** One wording of one thing. */
function wordingOf({ server, kind, name, fingerprint }: z.infer<typeof shownItem>): string {
  return JSON.stringify([server, kind, name, fingerprint]);
}

async function decide(
  context: AdminContext,
  selection: z.infer<typeof rejection>,
  word: 'approved' | 'rejected',
  by: string,
): Promise<Decided> {
  context.registry.find(selection.server);
  return decidedOf(word, await context.catalog.decide(selection, word, by));
}

function decidedOf(decision: Decided['decision'], pins: readonly StoredPin[]): Decided {
  const items = pins.map((pin) => ({ kind: pin.kind, key: keyOf(pin), fingerprint: fingerprintIn(pin) }));
  return { decision, items };
}

function describeChange({ catalog }: AdminContext, pin: StoredPin, reader: string): DefinitionChange {
  const { server, kind, name, state, grade, reasons, times, decidedBy, approved, pending, basis } = pin;
  const entry = catalog.snapshot.servers.get(server);
  const offered = {
    tool: entry?.tools,
    resource: entry?.resources,
    template: entry?.templates,
    prompt: entry?.prompts,
  };
  const isShown = kind === 'server' || offered[kind]?.some((item) => item.serverName === name) === true;
  const held = kind === 'tool' ? entry?.heldTools : kind === 'server' ? undefined : entry?.heldOffers[kind];
  // Of what changed in small steps, nobody has seen those between.
  const compared = pending === null ? (grade === 'risky' ? basis : null) : (basis ?? approved);
  return {
    ...{ server, kind, name, key: keyOf(pin), state, grade, reasons, times, decidedBy },
    since: new Date(pin.since).toISOString(),
    approvedFingerprint: approved?.fingerprint ?? null,
    fingerprint: fingerprintIn(pin),
    wasShown: isShownTo(pin, reader),
    isOffered: isShown || held?.has(name) === true,
    comparedFingerprint: compared?.fingerprint ?? null,
    differences: differencesBetween(compared?.definition ?? null, (pending ?? approved)?.definition ?? {}),
  };
}

function keyOf({ server, kind, name }: Pick<StoredPin, 'server' | 'kind' | 'name'>): string {
  return kind === 'server' ? server : `${server}:${name}`;
}

const urgency: readonly PinState[] = ['changed', 'held', 'approved', 'rejected'];

function byUrgency(a: StoredPin, b: StoredPin): number {
  return urgency.indexOf(a.state) - urgency.indexOf(b.state) || (keyOf(a) < keyOf(b) ? -1 : 1);
}
