/** The owner's decisions about definitions that wait: only about those that they were shown. */

import type { Admin, DefinitionChange, OutputOf } from '../../admin/admin.ts';
import { GatewayError } from '../../base/errors.ts';
import { plural } from '../../base/plural.ts';
import { typed } from '../../base/visible.ts';
import type { CommandOutcome } from './command.ts';
import { askPerson, canAsk } from './confirm.ts';
import type { CommandContext } from './context.ts';
import type { DefinitionAddress } from './definition-key.ts';
import { exitCodes } from './exit-code.ts';
import { noteShown } from './note-shown.ts';
import { renderChanges } from './render-changes.ts';
import { renderReason, someNames } from './render-reasons.ts';
import { renderUpgrades } from './render-upgrades.ts';
import { fewChanges } from './survey-changes.ts';
import { withAdmin } from './with-admin.ts';

type Listed = OutputOf<'changes.list'>;

export interface AcceptFlags {
  /** Accept without a question. */
  readonly yes: boolean;
  /** Fingerprints of definitions that the caller has read. */
  readonly fingerprint: readonly string[];
}

export function acceptDefinitions(
  context: CommandContext,
  address: DefinitionAddress,
  flags: AcceptFlags,
): Promise<CommandOutcome> {
  return withAdmin(context, async ({ admin }) => {
    const data = await admin.run('changes.list', address);
    const meant = data.changes.filter((change) => isMeant(change, address));
    const { yes, fingerprint } = flags;
    if (fingerprint.length > 0) return acceptThese(context, admin, address, meant, fingerprint);
    if (meant.length > 0 && !yes && canAsk(context)) {
      const chosen = await askByReason(context, admin, { ...data, changes: meant });
      if (chosen.length === 0) return { data: { decision: 'approved', items: [] }, text: 'Nothing was accepted.' };
      return acceptThese(context, admin, address, chosen);
    }
    const unseen = yes ? [] : meant.filter(({ wasShown }) => !wasShown);
    if (unseen.length > 0) return notYet(context, admin, data, unseen);
    return acceptThese(context, admin, address, meant);
  });
}

export function rejectDefinitions(context: CommandContext, address: DefinitionAddress): Promise<CommandOutcome> {
  return withAdmin(context, async ({ admin }) => {
    const data = await admin.run('changes.reject', address);
    const text = `Rejected until the server changes it once more: ${keysOf(data)}`;
    return { data, text: `${text}\n${undoHint(address)}` };
  });
}

export function undoDecision(context: CommandContext, address: DefinitionAddress): Promise<CommandOutcome> {
  return withAdmin(context, async ({ admin }) => {
    const data = await admin.run('changes.undo', address);
    const text = `Undone; agents see the definition approved before: ${keysOf(data)}`;
    return { data, text: `${context.style.tick}${text}\nSee what waits: toolcrib review ${address.server}` };
  });
}

/** Rejected definitions are decided again only by their names. */
function isMeant({ state }: DefinitionChange, { name, kind }: DefinitionAddress): boolean {
  return name !== undefined || kind === 'server' || state !== 'rejected';
}

async function acceptThese(
  { style }: CommandContext,
  admin: Admin,
  address: DefinitionAddress,
  changes: readonly DefinitionChange[],
  fingerprints: readonly string[] = changes.map(({ fingerprint }) => fingerprint),
): Promise<CommandOutcome> {
  const only = changes.map(({ kind, name }) => ({ kind, name }));
  const data = await admin.run('changes.approve', { ...address, only, fingerprints: [...fingerprints] });
  const lines = effectsOf(changes).map((line) => `${style.tick}${line}`);
  return { data, text: [...lines, undoHint(address)].join('\n') };
}

/** One question for each reason. A definition is accepted when the owner says yes to all of its reasons. */
async function askByReason(
  context: CommandContext,
  admin: Admin,
  { changes, groups, upgrades }: Pick<Listed, 'changes' | 'groups' | 'upgrades'>,
): Promise<DefinitionChange[]> {
  const refused = new Set<string>();
  const print = (text: string) => context.host.stdout.write(`${text}\n`);
  if (upgrades.length > 0) print(renderUpgrades(upgrades, context.style));
  if (changes.length <= fewChanges) print(renderChanges(changes, context.style).text);
  // One that was rejected has no reason any more that could be asked about.
  const asked = groups.length > 0 ? groups : [{ keys: changes.map(({ key }) => key) }];
  for (const group of asked) {
    const left = group.keys.filter((key) => !refused.has(key));
    if (left.length === 0) continue;
    if ('words' in group) print(renderReason(group, context.style));
    const isYes = await askAbout(
      context,
      changes.filter(({ key }) => left.includes(key)),
    );
    if (!isYes) for (const key of left) refused.add(key);
  }
  await noteShown(admin, changes);
  return changes.filter(({ key }) => !refused.has(key));
}

async function askAbout(context: CommandContext, changes: readonly DefinitionChange[]): Promise<boolean> {
  for (;;) {
    const answer = await askPerson(context, `Accept ${plural(changes.length, 'definition')}? [y]es, [N]o, [v]iew: `);
    if (!/^v/i.test(answer)) return /^y(es)?$/i.test(answer);
    context.host.stdout.write(`${renderChanges(changes, context.style).text}\n`);
  }
}

/** Shows what would be accepted: the next run accepts exactly that. */
async function notYet(
  { style, isJson }: CommandContext,
  admin: Admin,
  data: Listed,
  unseen: readonly DefinitionChange[],
): Promise<CommandOutcome> {
  const isFew = unseen.length <= fewChanges;
  const text = isFew
    ? renderChanges(unseen, style).text
    : data.groups.map((group) => renderReason(group, style)).join('\n');
  if (!isJson) await noteShown(admin, unseen);
  const trouble = new GatewayError(
    'APPROVAL_NEEDED',
    `Nothing was accepted yet: ${plural(unseen.length, 'definition')} had not been shown yet.`,
    {
      hint: isJson
        ? 'Name the definition with --fingerprint, as printed by "toolcrib review --json".'
        : 'Read it, then run the same command again.',
    },
  );
  return { data, text, trouble, exitCode: exitCodes.failed };
}

type Effect = 'new' | 'renewed' | 'later' | 'same';

const effects: readonly (readonly [effect: Effect, words: string])[] = [
  ['new', 'agents see them now'],
  ['renewed', 'agents can call them again'],
  ['later', 'for when the server offers them again'],
  ['same', 'agents had them already'],
];

/** One line for each kind of effect of the decision. */
export function effectsOf(changes: readonly DefinitionChange[]): string[] {
  const groups = Map.groupBy(changes, becomes);
  return effects.flatMap(([effect, words]) => {
    const keys = (groups.get(effect) ?? []).map(({ key }) => key);
    return keys.length === 0 ? [] : [`Accepted ${keys.length}, ${words}: ${someNames(keys)}`];
  });
}

function becomes({ state, approvedFingerprint, isOffered }: DefinitionChange): Effect {
  if (state === 'approved') return 'same';
  if (!isOffered) return 'later';
  return approvedFingerprint === null ? 'new' : 'renewed';
}

function keysOf({ items }: OutputOf<'changes.reject'>): string {
  return someNames(items.map(({ key }) => key));
}

function undoHint({ server, name, kind }: DefinitionAddress): string {
  const which = name === undefined ? server : `${server}:${name}`;
  return `Undo: toolcrib review undo ${typed(which)}${kind === undefined ? '' : ` --kind ${kind}`}`;
}
