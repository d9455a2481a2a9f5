/** Checks the name of a category before it is asked for. */

import { GatewayError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';

/** Throws USAGE that names the nearest category, or all. */
export async function checkCategory(name: string | undefined): Promise<void> {
  if (name === undefined) return;
  const { categoryNames } = await import('../../config/config.ts');
  const names: readonly string[] = categoryNames;
  if (names.includes(name)) return;
  const [best] = nearest(name, names, 1);
  throw new GatewayError('USAGE', `There is no category "${name}".`, {
    hint: best === undefined ? `These exist: ${names.join(', ')}` : `Did you mean "${best}"?`,
  });
}
