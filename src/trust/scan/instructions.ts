/** Weighs what a text says to a model, sentence by sentence. */

import { combinations, families, familyPoints, type Meaning, meanings } from './combinations.ts';
import type { Concept } from './concept.ts';
import type { Hit, Hits } from './find-concepts.ts';
import { folded } from './fold-text.ts';
import type { Purpose } from './purpose.ts';
import { saidAndQuoted } from './quoted-parts.ts';
import type { ScanContext } from './scan-context.ts';
import type { Signal } from './signal.ts';
import type { ScannedText } from './texts-to-scan.ts';

const sentenceEnd = /(?<=[.!?;]["')\]]?)\s+|[\n。！？；]+|(?<=[:：])\s*\n/;

/** How much what is only quoted counts; for tools whose trade is to quote attacks, next to nothing. */
const quotedShare = 0.6;
const quotedByTrade = 0.1;

export function instructions(scanned: ScannedText, context: ScanContext): Signal[] {
  const { purpose } = context;
  const isNamelike = scanned.role === 'name' || scanned.role === 'key' || scanned.role === 'choice';
  const text = isNamelike ? scanned.text.replace(/[_-]+/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2') : scanned.text;
  if (isNamelike && !isLongEnough(text)) return [];
  const { said, quoted } = isNamelike ? { said: text, quoted: [] } : saidAndQuoted(text);
  const isByTrade = purpose.isSecurity || (purpose.isAboutModels && scanned.role === 'sample');
  const share = scanned.role === 'sample' ? (isByTrade ? quotedByTrade : 0.9) : 1;
  return [
    ...signalsIn(said, scanned.where, context).map((signal) => scaled(signal, share)),
    ...quoted.flatMap((part) =>
      signalsIn(part, scanned.where, context).map((signal) =>
        scaled(signal, share * (isByTrade ? quotedByTrade : quotedShare)),
      ),
    ),
  ];
}

/** A name or a value of a few words orders nothing. */
function isLongEnough(text: string): boolean {
  return text.split(' ').length >= 4 || (/[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/.test(text) && text.length >= 12);
}

/** The same for a text that was put together or decoded. */
export function signalsIn(text: string, where: string, { purpose, reader }: ScanContext): Signal[] {
  const sentences = folded(text)
    .split(sentenceEnd)
    .map((item) => item.trim())
    .filter((item) => item.length > 3);
  let before: Hits = new Map();
  return sentences.flatMap((sentence, at) => {
    const hits = reader.read(sentence);
    const found = signalsOf(hits, before, sentence, where, purpose).map((signal) => ({ ...signal, at }));
    before = hits;
    return found;
  });
}

/** What stands in the sentence before belongs to it, a little less. */
const fromBefore = 0.6;

function signalsOf(hits: Hits, before: Hits, sentence: string, where: string, purpose: Purpose): Signal[] {
  const make = (meaning: Meaning, kind: string, points: number): Signal => ({
    ...{ code: meaning.code, says: meaning.says, kind, points, where, excerpt: sentence },
  });
  const alone = [...hits.values()].map(({ concept, points }) =>
    make(meanings[concept], concept, points * discount(concept, purpose)),
  );
  const together = combinations.map((combination) => {
    const [first, second] = combination.all;
    const isHere = hits.has(first) && hits.has(second);
    const isAcross = !isHere && ((hits.has(first) && before.has(second)) || (before.has(first) && hits.has(second)));
    const share = isHere ? 1 : isAcross && (!weak.has(second) || carried.has(first)) ? fromBefore : 0;
    const less =
      Math.min(discount(first, purpose), discount(second, purpose)) * faintness(hits.get(first) ?? before.get(first));
    return make(combination, combination.all.join('+'), combination.points * share * less);
  });
  const meeting = make(
    { code: 'instructions', says: 'It brings together much that does not belong in a description' },
    'families',
    meetingPoints(hits, before, purpose),
  );
  const share = describing.test(sentence)
    ? purpose.isSecurity
      ? 0.25
      : 0.6
    : purpose.isSecurity && listItem.test(sentence)
      ? 0.5
      : 1;
  return [...alone, ...together, meeting].map((signal) => scaled(signal, share)).filter(({ points }) => points >= 5);
}

/** A sentence that begins with what the tool does tells about it; orders begin otherwise. */
const describing =
  /^(?:[-*•] ?)?(?:returns|gets|lists|creates|deletes|updates|sends|reads|writes|finds|searches|checks|detects|scans|tests|simulates|generates|explains|reviews|looks|shows|gives|tells|says|reports|converts|removes|adds|sets|runs|executes|opens|closes|starts|stops|computes|calculates|verifies|validates|signs|rotates|stores|saves|exports|imports|uploads|downloads|fetches|retrieves|parses|formats|encodes|decodes|encrypts|decrypts|hashes|compares|matches|classifies|rates|evaluates|flags|blocks|masks|redacts|monitors|watches|tracks|analyses|analyzes|inspects|audits|lints|extracts|collects|gathers|summari[sz]es|translates|logs|registers|revokes|grants|manages|connects|joins|splits|merges|moves|copies|renames|publishes|posts|replies|answers|asks|provides|allows|lets|helps|makes|builds|deploys|restarts|triggers|schedules|books|plays|plans|estimates|predicts|measures|counts|sorts|filters|reverses|draws|renders|captures|records|loads|plants|recovers|attempts|tries|unpacks|identifies|recogni[sz]es|strips|quarantines|enumerates|exposes|wraps|prints|scores|grades) /;
const listItem = /^(?:[-*•]|\d+[.)]) /;

/** What the most ordinary words weigh, which say nothing beside others either. */
const ordinary = 12;

/** What it weighs that ideas of so many families meet in a sentence, or in it and the one before. */
function meetingPoints(hits: Hits, before: Hits, purpose: Purpose): number {
  const familiesOf = (...all: Hits[]) =>
    new Set(
      all
        .flatMap((some) => [...some.values()])
        .filter(({ concept, points }) => discount(concept, purpose) === 1 && points !== ordinary)
        .flatMap(({ concept }) => families[concept] ?? []),
    );
  const here = familiesOf(hits);
  if (here.size === 0) return 0;
  const near = familiesOf(hits, before);
  const pointsOf = (count: number) => familyPoints[Math.min(count, familyPoints.length - 1)] ?? 0;
  return Math.max(pointsOf(here.size), fromBefore * pointsOf(Math.min(near.size, here.size + 1)));
}

/** Words that are everywhere: two sentences are not tied together by them, unless one names what only an attack would. */
const weak: ReadonlySet<Concept> = new Set(['must', 'reads', 'hand-over']);
const carried: ReadonlySet<Concept> = new Set(['address', 'system-prompt', 'conversation']);

/** Combined with faint words, the rest means less. */
function faintness(hit: Hit | undefined): number {
  if (hit === undefined || hit.points === 0 || hit.points > 25) return 1;
  return hit.points > 15 ? 0.6 : 0.3;
}

/** What is a tool's own trade is hardly a sign of anything. */
const inModels: Readonly<Partial<Record<Concept, number>>> = {
  addressed: 0.4,
  conversation: 0.3,
  'system-prompt': 0.3,
  role: 0.7,
  memory: 0.3,
};
const inSecurity: Readonly<Partial<Record<Concept, number>>> = {
  ...{ secret: 0.5, 'private-file': 0.5, danger: 0.5, deceit: 0.6, role: 0.8 },
  ...{ addressed: 0.5, conversation: 0.5, 'system-prompt': 0.4 },
  ...{ hush: 0.4, claim: 0.4, leave: 0.4, harm: 0.4, us: 0.5, behaviour: 0.5, scope: 0.5, others: 0.5 },
};

function discount(concept: Concept, { isAboutModels, isSecurity, isCodec, trade }: Purpose): number {
  const forModels = isAboutModels ? (inModels[concept] ?? 1) : 1;
  const forSecurity = isSecurity ? (inSecurity[concept] ?? 1) : 1;
  const forCodecs = isCodec && concept === 'decode' ? 0.5 : 1;
  return Math.min(forModels, forSecurity, forCodecs, trade.has(concept) ? 0.5 : 1);
}

function scaled(signal: Signal, share: number): Signal {
  return { ...signal, points: signal.points * share };
}
