/** Has it noted what the owner was shown: by name alone they approve this and nothing else. */

import type { Admin, DefinitionChange } from '../../admin/admin.ts';

/** By fingerprints: what has changed since it was listed was not shown. */
export async function noteShown(admin: Admin, whole: readonly DefinitionChange[]): Promise<void> {
  const items = whole.map(({ server, kind, name, fingerprint }) => ({ server, kind, name, fingerprint }));
  if (items.length > 0) await admin.run('changes.shown', { items });
}
