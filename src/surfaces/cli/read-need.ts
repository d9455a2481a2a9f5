/** Reads what is needed from the words of a command line. */

import { GatewayError } from '../../base/errors.ts';

/** Throws USAGE where the words are blank. */
export function readNeed(words: readonly string[]): string {
  const need = words.join(' ').trim();
  if (need !== '') return need;
  throw new GatewayError('USAGE', 'The task is empty.', { hint: 'Describe the task in plain words.' });
}
