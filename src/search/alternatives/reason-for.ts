/** Why another tool is suggested, as one short sentence for an agent. */

import { cutAtWord, printable } from '../../base/text.ts';
import { countsOf, type Reliability } from './worth.ts';

/** From here on two tools are said to be for the same. */
const same = 0.7;
/** Fewer calls are told as they are: a share of three says more than it knows. */
const fewCalls = 10;
/** Parameters named, and characters of a name: a server chooses them. */
const named = { parameters: 3, characters: 40 };

export interface Suggestion {
  readonly server: string;
  readonly isSameServer: boolean;
  readonly similarity: number;
  readonly reliability: Reliability | undefined;
  /** Required parameters that could not be filled, and arguments that it has no place for. */
  readonly missing: readonly string[];
  readonly dropped: readonly string[];
}

export function reasonFor(suggestion: Suggestion): string {
  const { server, isSameServer, similarity } = suggestion;
  const purpose = similarity >= same ? 'Same purpose' : 'Similar purpose';
  const place = isSameServer ? 'the same server' : `server "${server}"`;
  return `${purpose} on ${place}; ${recordOf(suggestion.reliability)}; ${fitOf(suggestion)}.`;
}

function recordOf(reliability: Reliability | undefined): string {
  const { ok, failed } = countsOf(reliability);
  const calls = ok + failed;
  if (calls === 0) return 'not called yet';
  if (calls < fewCalls) return `${ok} of ${calls} call${calls === 1 ? '' : 's'} succeeded`;
  // Rounded down: only what never failed is said to have succeeded always.
  return `${Math.floor((100 * ok) / calls)} % of ${calls} calls succeeded`;
}

function fitOf({ missing, dropped }: Suggestion): string {
  if (missing.length > 0) return `it needs ${listed(missing)} as well`;
  return dropped.length > 0 ? `it does not take ${listed(dropped)}` : 'it takes the same arguments';
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, named.parameters).map((name) => `"${cutAtWord(printable(name), named.characters)}"`);
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(' and ');
}
