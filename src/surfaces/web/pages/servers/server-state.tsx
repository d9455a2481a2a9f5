/** The state of a server as a badge, and its last error. */

import type { LiveServer } from '../../../../admin/admin.ts';
import { isPassing, lastErrorOf } from '../../../wording/wording.ts';
import { Badge, type Tone } from '../../parts/basic.tsx';
import { formatCount, Said } from '../../parts/texts.tsx';

const tones: Readonly<Record<string, Tone>> = { connected: 'good', failed: 'bad', disabled: 'quiet' };

/** `count`: of how many servers; left out, of one. */
export function ServerStateBadge({ state, count }: { readonly state: string; readonly count?: number }) {
  const tone = tones[state] ?? (isPassing(state) ? 'warn' : 'plain');
  return <Badge tone={tone}>{count === undefined ? state : `${formatCount(count)} ${state}`}</Badge>;
}

/** Without the name of the server, which stands before it. */
export function ServerLastError({ server }: { readonly server: LiveServer }) {
  if (server.lastError === null) return null;
  return (
    <span title={server.lastError}>
      <Said text={lastErrorOf(server)} />
    </span>
  );
}
