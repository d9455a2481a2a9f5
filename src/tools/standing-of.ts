/** How it stands with a tool for a principal right now: for calls that waited, and for what is remembered about a tool. */

import { authorize, type Principal } from '../access/access.ts';
import { fingerprintOf } from '../base/fingerprint.ts';
import type { Standing } from '../caller/caller.ts';
import type { Entry } from '../catalog/catalog.ts';
import { sourceOf } from '../downstream/downstream.ts';
import type { Uses } from './layers.ts';

const gone: Standing = { permission: 'deny', hold: undefined, definition: {}, fingerprint: '', identity: '' };

export function standingOf(
  { access, catalog }: Uses<'access' | 'catalog'>,
  principal: Principal,
  { key, server: name }: Pick<Entry, 'key' | 'server'>,
): Standing {
  const current = access.renew(principal);
  const tool = catalog.snapshot.tools.get(key);
  const spec = catalog.snapshot.servers.get(name)?.spec;
  if (!current || !tool || !spec) return gone;
  return {
    permission: authorize(current, spec, tool.serverName),
    hold: tool.hold,
    definition: tool.definition,
    fingerprint: tool.fingerprint,
    // Another server under the same name is not what was looked at, even if it says the same of itself.
    identity: fingerprintOf([sourceOf(spec), tool.fingerprint]),
  };
}
