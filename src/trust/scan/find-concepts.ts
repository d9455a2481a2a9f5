/** Finds the ideas of poisoned texts in a sentence. */

import type { Concept, Words } from './concept.ts';
import { anyPhrase } from './word-patterns.ts';
import { asian } from './words/asian.ts';
import { englishAims } from './words/english-aims.ts';
import { englishHints } from './words/english-hints.ts';
import { lists } from './words/english-lists.ts';
import { englishOrders } from './words/english-orders.ts';
import { germanicRomance } from './words/germanic-romance.ts';
import { slavicTurkic } from './words/slavic-turkic.ts';

export interface Hit {
  readonly concept: Concept;
  readonly points: number;
  readonly text: string;
}
export type Hits = ReadonlyMap<Concept, Hit>;

interface Finder {
  readonly concept: Concept;
  readonly points: number;
  readonly pattern: RegExp;
}

/** Words of a language, and how to tell that a text may be in it: the stems of one are ordinary words of another. */
interface Language {
  readonly finders: readonly Finder[];
  readonly isSpoken: RegExp;
}
const languages: readonly Language[] = [
  { finders: findersOf([...englishOrders, ...englishAims, ...englishHints]), isSpoken: /[a-z]/ },
  {
    finders: findersOf(germanicRomance),
    isSpoken:
      /[ß-ÿœ]|(?:^|[^a-z])(?:der|die|das|den|dem|des|und|nicht|ist|mit|von|auf|wird|werden|ein|eine|einer|als|zu|im|alle|bitte|het|een|niet|voor|aan|les?|une?|est|pour|dans|pas|que|vous|el|los|las|del|por|para|con|una|uma|dos|como|il|che|per|non|della|dell|gli|sono|l'|d')(?:[^a-z]|$)/,
  },
  {
    finders: findersOf(slavicTurkic),
    isSpoken: /[а-џґąćęłńóśźżčěřšťůžğışİ]|(?:^|[^a-z])(?:nie|dla|jest|bir|ve|bu)(?:[^a-z]|$)/,
  },
  {
    finders: findersOf(asian),
    isSpoken:
      /[\u0590-\u1fff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|(?:^|[^a-z])(?:không|đừng|của|dan|untuk|jangan|yang|tanpa)(?:[^a-z]|$)/,
  },
];

/** They look at lines, because a sentence is given with its end. */
function findersOf(words: readonly Words[]): Finder[] {
  return words
    .map(({ concept, points, phrases }) => ({ concept, points, pattern: new RegExp(anyPhrase(phrases, lists), 'm') }))
    .toSorted((a, b) => b.points - a.points);
}

/** Handing something over that is forbidden in the same breath is advice, not an order. */
const forbidden =
  /(?:do not|don't|never|must not|mustn't|should not|cannot|can't|may not|refuses? to|nor|not) (?:(?:ever|even|also|be|to|simply|just|or) )?(?:[a-z]+ or )?(?:send|forward|pass|put|include|attach|append|copy|paste|upload|post|submit|share|publish|store|save|add|enter|write|provide|give|use|set|take|type|list|log|embed|reuse|remember|ask for|commit|fill|talk|dissuade|invent|fabricate|forge|fake|guess|pretend|claim|say|state|delete|remove|disable|overwrite|drop|replace|swap|run|push|merge|approve|publish)\b/g;

/** The same for doing away with questions. */
const keepsAsking =
  /(?:do not|don't|never|must not|cannot|can't|should not|may not|not) (?:ever )?(?:(?:skip|bypass|omit|disable|circumvent|evade|avoid)\b|(?:[^\s]{1,20} ){1,8}?without\b)/g;
const example = /\b(?:e\.g|examples?|for instance|such as)\b/;
const forbiddable: ReadonlySet<Concept> = new Set(['hand-over', 'deceit', 'claim', 'danger', 'harm']);

/** Telling what must not happen to a secret, or that it does not, is the opposite of asking for it. */
const cautions =
  /\b(?:(?:must|should|may|can|will|do|does|is|are) (?:not|never)|never|don't|cannot|mustn't|refuses?|refused|masked|redacted|without (?:reading|showing|revealing)|only metadata|not uploaded|not stored)\b/;
const guarded: ReadonlySet<Concept> = new Set(['secret', 'private-file', 'home-file', 'person', 'danger']);

/** Reads sentences, each of them once: several checks ask for the same one. */
export class SentenceReader {
  readonly #known = new Map<string, Hits>();

  read(sentence: string): Hits {
    const text = sentence.slice(0, longestSentence).trim();
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const hits = findConcepts(`${text}${end}`);
    this.#known.set(text, hits);
    return hits;
  }
}

/**
 * Ends every sentence, as a line does. V8 keeps plain text in one byte a character and compiles each expression for both widths,
 * which takes a thousand times as long as using it: with this character all are wide.
 */
const end = '\u2029';

/** Longer ones are cut: no sentence needs more. */
const longestSentence = 600;

function findConcepts(sentence: string): Hits {
  const hits = new Map<Concept, Hit>();
  const allowed = sentence.replace(forbidden, ' ');
  const kept = sentence.replace(keepsAsking, ' ');
  const isCaution = cautions.test(sentence);
  for (const { finders, isSpoken } of languages) {
    if (!isSpoken.test(sentence)) continue;
    for (const { concept, points, pattern } of finders) {
      // The strongest words of an idea come first: what follows can only weigh less.
      if ((hits.get(concept)?.points ?? -1) >= points) continue;
      const found = pattern.exec(concept === 'unasked' ? kept : forbiddable.has(concept) ? allowed : sentence);
      if (found)
        hits.set(concept, { concept, points: isCaution && guarded.has(concept) ? points / 3 : points, text: found[0] });
    }
  }
  // An address in an example is nobody's.
  if (example.test(sentence)) hits.delete('address');
  return hits;
}
