/** How strong the side effects of a tool are: by its annotations, read as MCP's defaults say, and by the words of its name. */

import { isObject } from '../../base/json.ts';
import { stemOf, tokensOf } from '../words.ts';

/**
 * From the weakest to the strongest. `unknown` counts as destroying beside everything that is known to do less, and stays below
 * what is known to destroy: a tool that says nothing is never replaced by one that says that it destroys.
 */
export const claims = ['reads', 'adds', 'unknown', 'destroys'] as const;
export type Claim = (typeof claims)[number];

export interface Effect {
  /** The effect that the server claims, at least and at most: a server may contradict itself. */
  readonly claim: { readonly least: Claim; readonly most: Claim };
  /** True where doing it twice does no more than doing it once. */
  readonly isRepeatable: boolean;
  /** True where it reaches beyond the server's own data: the web, other people. */
  readonly isOpen: boolean;
  /** The effect that the name suggests, whatever the claim. */
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

/** True where a tool may do more than another in any way: the worst case of the one against the best case of the other. */
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

/** True for a tool that only reads: it says so, and its name does not contradict it. */
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

/** The effect presumed for a name that suggests none; where nothing is claimed either, that the tool just reads. */
function presumedOf(claim: Claim): Strength {
  if (claim === 'destroys') return 'destroys';
  return claim === 'adds' ? 'adds' : 'reads';
}

/** From the weakest to the strongest. */
export const strengths = ['reads', 'adds', 'changes', 'destroys'] as const;
export type Strength = (typeof strengths)[number];

/** A word may be a thing or an act, or stand for several acts: then these differ. */
export interface NamedEffect {
  /** The word or words that say so. */
  readonly act: string;
  readonly least: Strength;
  readonly most: Strength;
}

const verbs: Readonly<Record<Exclude<Strength, 'destroys'>, readonly string[]>> = {
  reads: [
    'get list search find read fetch query show view lookup describe count look browse inspect retrieve explain',
    'verify validate compare calculate compute convert analyze analyse summarize summarise translate detect estimate',
    'predict forecast recommend suggest extract parse transcribe scrape crawl preview peek tail grep ls diff whois',
    'geocode classify lint filter select',
  ],
  adds: [
    'create add insert append generate make write upload save store copy clone duplicate fork launch schedule reserve',
    'register subscribe invite attach import upsert put publish notify submit navigate commit push join follow click',
    'send reply respond forward tweet broadcast email transfer withdraw pay buy sell purchase charge refund execute',
    'exec invoke trigger deploy install run',
  ],
  changes: [
    'update edit modify change set alter patch replace rename move merge assign unassign reopen restart reboot reset',
    'restore revert rollback rebase configure archive unarchive pause resume stop finish end approve reject mute',
    'unmute migrate overwrite override manage enable grant',
  ],
};

/** As often a thing, or an act that only reads: counted only where no other word says what is done. */
const doubtful: Readonly<Record<'adds' | 'changes', readonly string[]>> = {
  adds: [
    'post book order comment tag label message mail text call log record build download export open start new draft',
    'share press type fill request eval evaluate',
  ],
  changes: ['resolve close check mark lock unlock sync format transform resize rotate crop'],
};

/** Met by their stem: deleting, deletion. */
const destroying: ReadonlySet<string> = new Set(
  [
    'delete remove erase drop purge destroy wipe clear truncate rm del discard unlink uninstall prune trash nuke flush',
    'cancel dismiss revoke terminate kill abort unsubscribe deactivate disable evict expunge shred ban',
  ]
    .flatMap((line) => line.split(' '))
    .map(stemOf),
);

/** Met wherever a word begins so: `deleteuser` has no mark between its words. */
const destroyingStart = /^(?:delete|remove|destroy|erase|purge|wipe|uninstall|truncate)/;

const certain: ReadonlyMap<string, Strength> = new Map([
  ...wordsIn(verbs.reads).map((word) => [word, 'reads'] as const),
  ...wordsIn(verbs.adds).map((word) => [word, 'adds'] as const),
  ...wordsIn(verbs.changes).map((word) => [word, 'changes'] as const),
]);
const uncertain: ReadonlyMap<string, Strength> = new Map([
  ...wordsIn(doubtful.adds).map((word) => [word, 'adds'] as const),
  ...wordsIn(doubtful.changes).map((word) => [word, 'changes'] as const),
]);
/** Words behind which a second act begins: `find_and_replace`, `get_or_create`. */
const joining: ReadonlySet<string> = new Set(['and', 'or', 'then']);

/** null: no word of the name says what is done. */
export function namedEffectOf(name: string): NamedEffect | null {
  const words = tokensOf(name).flatMap(({ parts }) => parts);
  const first = words.find((word) => strengthOf(word) !== undefined);
  if (first === undefined) return doubtfulEffectOf(words);
  const least = strengthOf(first) ?? 'reads';
  // `list_deletions` lists, and may delete: the worse is kept in mind.
  const most = words
    .filter(
      (word, at) => joining.has(words[at - 1] ?? '') || (at === words.length - 1 && strengthOf(word) === 'destroys'),
    )
    .map((word) => strengthOf(word) ?? 'reads')
    .reduce((worst, strength) => (isStrongerThan(strength, worst) ? strength : worst), least);
  return { act: first, least, most };
}

function doubtfulEffectOf(words: readonly string[]): NamedEffect | null {
  const acts = words.filter((word) => uncertain.has(word)).toSorted();
  if (acts.length === 0) return null;
  const most = acts.some((word) => uncertain.get(word) === 'changes') ? 'changes' : 'adds';
  return { act: acts.join(' '), least: 'reads', most };
}

export function isStrongerThan(a: Strength, b: Strength): boolean {
  return strengths.indexOf(a) > strengths.indexOf(b);
}

/** Undefined: the word is no act, or may be something else as well. */
function strengthOf(word: string): Strength | undefined {
  // `list_deleted` tells of what was done.
  const isDestroying = destroying.has(stemOf(word)) || destroyingStart.test(word);
  if (isDestroying && !word.endsWith('ed')) return 'destroys';
  return certain.get(word);
}

function wordsIn(lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(' '));
}
