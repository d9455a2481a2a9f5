/** The state of a server, as a badge. */

import { Badge, type Tone } from '../../parts/basic.tsx';

const tones: Readonly<Record<string, Tone>> = { connected: 'good', failed: 'bad', disabled: 'quiet' };

const passing: ReadonlySet<string> = new Set(['installing', 'connecting', 'listing']);

/** True for states that end by themselves. */
export function isPassing(state: string): boolean {
  return passing.has(state);
}

export function ServerStateBadge({ state }: { readonly state: string }) {
  return <Badge tone={tones[state] ?? (isPassing(state) ? 'warn' : 'plain')}>{state}</Badge>;
}
