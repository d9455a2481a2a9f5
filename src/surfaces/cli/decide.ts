/** The owner's word about what waits: about what they were shown, and nothing else. */

import type { DefinitionChange, OutputOf } from '../../admin/admin.ts';
import { GatewayError } from '../../base/errors.ts';
import type { Outcome } from './command.ts';
import type { CommandContext } from './context.ts';
import type { DefinitionAddress } from './definition-key.ts';
import { exitCodes } from './exit-code.ts';
import { noteShown } from './note-shown.ts';
import { kindOf, renderChanges, renderDecided } from './render-changes.ts';
import { littleRoom } from './render-differences.ts';
import type { Style } from './style.ts';
import { visible } from './visible.ts';
import { withAdmin } from './with-admin.ts';

type Decided = OutputOf<'changes.approve'>;

/** `given`: fingerprints that somebody names, who has read what they stand for. */
export async function decideBy(
  context: CommandContext,
  operation: 'changes.approve' | 'changes.reject',
  address: DefinitionAddress,
  given: readonly string[] = [],
): Promise<Outcome> {
  return withAdmin(context, async ({ admin }) => {
    const data = await admin.run('changes.list', address);
    const { changes } = data;
    const meant = changes.filter((change) => isMeant(change, address));
    const unseen = operation === 'changes.approve' ? meant.filter(({ wasShown }) => !wasShown) : [];
    if (unseen.length > 0 && given.length === 0) {
      const { text, whole } = renderChanges(unseen, context.style);
      if (!context.isJson) await noteShown(admin, whole);
      return notYet({ data, text }, context.isJson);
    }
    const fingerprints = given.length > 0 ? [...given] : meant.map(({ fingerprint }) => fingerprint);
    const decided = await admin.run(operation, { ...address, fingerprints });
    return { data: decided, text: renderDecision(decided, changes, context.style) };
  });
}

/** What was rejected is decided anew only by its name. */
function isMeant({ state }: DefinitionChange, { name, kind }: DefinitionAddress): boolean {
  return name !== undefined || kind === 'server' || state !== 'rejected';
}

function notYet(shown: Outcome, isJson: boolean): Outcome {
  const hint = isJson
    ? 'Name what is approved with --fingerprint, as "toolcrib changes --json" has it.'
    : 'Read it, then run the same command again.';
  const trouble = new GatewayError(
    'APPROVAL_NEEDED',
    'Nothing was approved: you had not been shown all of this, whole and as it is now.',
    { hint },
  );
  return { ...shown, trouble, exitCode: exitCodes.failed };
}

/** `changes`: as they were before it. */
export function renderDecision(
  { decision, items }: Decided,
  changes: readonly DefinitionChange[],
  style: Style,
): string {
  const decided = new Set(items.map(({ kind, key }) => `${kind} ${key}`));
  const shown = changes.filter(({ kind, key }) => decided.has(`${kind} ${key}`));
  const head =
    decision === 'approved'
      ? approvedInWords(shown).map((line) => `${style.good('✓')} ${line}`)
      : [`Rejected, and not asked about again until it changes once more: ${namesOf(shown)}`];
  return `${head.join('\n')}\n\n${renderDecided(shown, style, littleRoom)}`;
}

/** What became of each, which is not the same for what was there already. */
function approvedInWords(changes: readonly DefinitionChange[]): string[] {
  const groups = Map.groupBy(changes, becomes);
  return effects.flatMap(([effect, words]) => {
    const some = groups.get(effect) ?? [];
    return some.length === 0 ? [] : [`${words}: ${namesOf(some)}`];
  });
}

type Effect = 'new' | 'renewed' | 'later' | 'same';

const effects: readonly (readonly [effect: Effect, words: string])[] = [
  ['new', 'Approved, and there for agents from now on'],
  ['renewed', 'Approved as it is now, and to be used again'],
  ['later', 'Approved, for when the server offers it again'],
  ['same', 'Approved; it had been there for agents all the time'],
];

function becomes({ state, approvedFingerprint, isOffered }: DefinitionChange): Effect {
  if (state === 'approved') return 'same';
  if (!isOffered) return 'later';
  return approvedFingerprint === null ? 'new' : 'renewed';
}

function namesOf(changes: readonly DefinitionChange[]): string {
  return changes.map((change) => `${visible(change.key)}${kindOf(change)}`).join(', ');
}
