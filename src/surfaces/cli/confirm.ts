/** Asks before a loss that cannot be undone: on a terminal only, because a script has nobody to answer. */

import { GatewayError } from '../../base/errors.ts';
import { askPerson, canAsk } from './ask-person.ts';
import type { CommandContext } from './context.ts';

/** Declared by each command that asks. */
export const yesFlag = { summary: 'Skip the confirmation' };

/** Throws CANCELLED unless the person says yes, or `isYes` says it for them. */
export async function confirm(context: CommandContext, question: string, isYes: boolean): Promise<void> {
  if (isYes || !canAsk(context)) return;
  const answer = await askPerson(context, `${question} It cannot be undone. [y/N] `);
  if (/^y(es)?$/i.test(answer)) return;
  throw new GatewayError('CANCELLED', 'Nothing was changed.', { hint: 'Answer "y", or use --yes.' });
}
