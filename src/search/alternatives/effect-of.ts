/** How strong the side effects of a tool are: by its annotations, read as MCP's defaults say, and by the words of its name. */

import { isObject } from '../../base/json.ts';
import { isStrongerThan, type NamedEffect, namedEffectOf, type Strength } from './named-effect.ts';

/**
 * From the weakest to the strongest. `unknown` counts as destroying beside everything that is known to do less, and stays below
 * what is known to destroy: a tool that says nothing is never replaced by one that says that it destroys.
 */
export const claims = ['reads', 'adds', 'unknown', 'destroys'] as const;
export type Claim = (typeof claims)[number];

export interface Effect {
  /** What the server says that the tool does to what is there, at least and at most: a server may contradict itself. */
  readonly claim: { readonly least: Claim; readonly most: Claim };
  /** Whether doing it twice does no more than doing it once. */
  readonly isRepeatable: boolean;
  /** Whether it reaches what is outside of the server's own things: the web, other people. */
  readonly isOpen: boolean;
  /** What the name says, whatever is claimed. */
  readonly named: NamedEffect | null;
}

/**
 * Annotations are claims that nobody checks. A server that lies about them can have its tool suggested where another one fails,
 * and may be given that call's arguments. So what the name tells counts beside what is claimed, a contradiction counts against
 * the tool, what is not said counts as the worst, and a suggestion is never more than one.
 */
export function effectOf(definition: Readonly<Record<string, unknown>>): Effect {
  const said = isObject(definition.annotations) ? definition.annotations : {};
  const named = namedEffectOf(typeof definition.name === 'string' ? definition.name : '');
  const claim = claimOf(said);
  return {
    claim: claim.most === 'unknown' && named?.least === 'destroys' ? exactly('destroys') : claim,
    isRepeatable: claim.most === 'reads' || said.idempotentHint === true,
    isOpen: said.openWorldHint !== false,
    named,
  };
}

/** Whether a tool may do more than another one in any way: the worst that can be thought of the one, beside the least of the other. */
export function isStronger(effect: Effect, than: Effect): boolean {
  if (claims.indexOf(effect.claim.most) > claims.indexOf(than.claim.least)) return true;
  if (!effect.isRepeatable && than.isRepeatable) return true;
  if (effect.isOpen && !than.isOpen) return true;
  return isStrongerByName(effect.named, than);
}

function isStrongerByName(named: NamedEffect | null, { named: other, claim }: Effect): boolean {
  if (named === null) return false;
  if (other === null) return isStrongerThan(named.most, presumedOf(claim.least));
  // The same words stand for the same act, whatever it is.
  const isSame = named.act === other.act && named.least === other.least && named.most === other.most;
  return !isSame && isStrongerThan(named.most, other.least);
}

/** Whether a tool only reads, as far as can be known: it says so, and its name does not say more. */
export function onlyReads({ claim, named }: Effect): boolean {
  return claim.most === 'reads' && (named === null || named.most === 'reads');
}

function claimOf({ readOnlyHint, destructiveHint }: Record<string, unknown>): Effect['claim'] {
  if (destructiveHint === true) return { least: readOnlyHint === true ? 'reads' : 'destroys', most: 'destroys' };
  if (readOnlyHint === true) return exactly('reads');
  if (destructiveHint === false) return exactly('adds');
  // A tool that says that it writes, and not how, destroys by default; one that says nothing may just read.
  return exactly(readOnlyHint === false ? 'destroys' : 'unknown');
}

function exactly(claim: Claim): Effect['claim'] {
  return { least: claim, most: claim };
}

/** What a name that tells nothing is taken to tell, with care: where nothing is known, that the tool just reads. */
function presumedOf(claim: Claim): Strength {
  if (claim === 'destroys') return 'destroys';
  return claim === 'adds' ? 'adds' : 'reads';
}
