/** The owner's word about what waits: about what they were shown, and nothing else. */

import type { DefinitionChange, OutputOf } from '../../admin/admin.ts';
import { GatewayError } from '../../base/errors.ts';
import type { Outcome } from './command.ts';
import type { CommandContext } from './context.ts';
import type { DefinitionAddress } from './definition-key.ts';
import { exitCodes } from './exit-code.ts';
import { renderChanges, renderDecided } from './render-changes.ts';
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
    const { changes } = await admin.run('changes.list', address);
    const meant = changes.filter((change) => isMeant(change, address));
    const isUnseen = operation === 'changes.approve' && meant.some(({ wasShown }) => !wasShown);
    if (isUnseen && given.length === 0) {
      // What is printed is what is noted as shown, whatever has changed since the first look.
      const read = await admin.run('changes.list', { ...address, isRead: !context.isJson });
      return notYet(read, context);
    }
    const fingerprints = given.length > 0 ? [...given] : meant.map(({ fingerprint }) => fingerprint);
    const data = await admin.run(operation, { ...address, fingerprints });
    return { data, text: renderDecision(data, changes, context.style) };
  });
}

/** What was rejected is decided anew only by its name. */
function isMeant({ state }: DefinitionChange, { name, kind }: DefinitionAddress): boolean {
  return name !== undefined || kind === 'server' || state !== 'rejected';
}

function notYet(read: OutputOf<'changes.list'>, { style, isJson }: CommandContext): Outcome {
  const hint = isJson
    ? 'Name what is approved with --fingerprint, as "toolcrib changes --json" has it.'
    : 'Read it, then run the same command again.';
  const trouble = new GatewayError(
    'APPROVAL_NEEDED',
    'Nothing was approved: you had not been shown all of this as it is now.',
    { hint },
  );
  return { data: read, text: renderChanges(read.changes, style), trouble, exitCode: exitCodes.failed };
}

function renderDecision({ decision, items }: Decided, changes: readonly DefinitionChange[], style: Style): string {
  const decided = new Set(items.map(({ kind, key }) => `${kind} ${key}`));
  const shown = changes.filter(({ kind, key }) => decided.has(`${kind} ${key}`));
  const names = items.map(({ key }) => visible(key)).join(', ');
  const head =
    decision === 'approved'
      ? `${style.good('✓')} Approved, and there for agents from now on: ${names}`
      : `Rejected, and not asked about again until it changes once more: ${names}`;
  return `${head}\n\n${renderDecided(shown, style)}`;
}
