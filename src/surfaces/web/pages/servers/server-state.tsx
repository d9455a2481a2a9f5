/** The state of a server, as a badge. */

import { Badge, type Tone } from '../../parts/basic.tsx';

const tones: Readonly<Record<string, Tone>> = { connected: 'good', failed: 'bad', disabled: 'quiet' };

/** States that end by themselves. */
const passing: ReadonlySet<string> = new Set(['installing', 'connecting', 'listing']);

export function ServerStateBadge({ state }: { readonly state: string }) {
  return <Badge tone={tones[state] ?? (passing.has(state) ? 'warn' : 'plain')}>{state}</Badge>;
}
