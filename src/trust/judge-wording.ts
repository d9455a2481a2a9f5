/** Judges a change of words: descriptions, titles, instructions, and any other text that a model may read. */

import { addedSentences, addedWords, plain, sentencesOf } from './added-text.ts';
import type { Neighbours, Notice } from './judgement.ts';
import { isWeighty, namesSecret, signsIn } from './speaks-to-model.ts';

export interface WordingChange {
  /** A path such as `description`. */
  readonly where: string;
  readonly before: string;
  readonly after: string;
  /** All that the definition said until now. */
  readonly known: string;
  readonly neighbours: Neighbours;
}

export function judgeWording(change: WordingChange): Notice[] {
  const { where, before, after, known, neighbours } = change;
  if (before === after) return [];
  const added = addedSentences(before, after, isWeighty);
  const signs = signsIn(added, known, neighbours);
  if (signs.length > 0) {
    const byCode = new Map(signs.map(({ code, sentence }) => [code, sentence]));
    return [...byCode].map(([code, sentence]) => ({ grade: 'risky', code, where, sentence: `It ${sentence}.` }));
  }
  return [
    {
      grade: isSlight(before, after) ? 'harmless' : 'notable',
      code: 'wording',
      where,
      sentence: 'It has other words.',
    },
  ];
}

/** The same for what a single parameter is for: here it is enough that something private is named. */
export function judgeParameterWording(change: WordingChange): Notice[] {
  const { where, before, after, known } = change;
  const notices = judgeWording(change);
  const asks = addedSentences(before, after, isWeighty).some((text) => namesSecret(text, known.toLowerCase()));
  if (!asks || notices.some(({ code }) => code === 'secrets')) return notices;
  return [...notices, { grade: 'risky', code: 'secrets', where, sentence: 'It asks for something private.' }];
}

/** A name that people and models see instead of the tool's own: it must not be that of another tool. */
export function judgeTitle(change: WordingChange): Notice[] {
  const { where, after, neighbours } = change;
  const notices = judgeWording(change);
  if (!isTaken(after, neighbours)) return notices.map(raised);
  return [...notices, { grade: 'risky', code: 'shadows', where, sentence: "It is another tool's name now." }];
}

/** What a person chooses by is never a mere detail. */
function raised(notice: Notice): Notice {
  return notice.grade === 'harmless' ? { ...notice, grade: 'notable' } : notice;
}

/** A single word is nobody's own. */
function isTaken(title: string, { ownNames, others, siblings }: Neighbours): boolean {
  const key = plain(title);
  const isIt = (name: string) => plain(name) === key && !siblings?.has(name);
  return key.includes(' ') && ([...ownNames].some(isIt) || [...others.values()].some((tools) => [...tools].some(isIt)));
}

/** Words that may come or go without anybody noticing the difference. */
const fewWords = 3;

/** Spacing, marks, corrections and examples. */
function isSlight(before: string, after: string): boolean {
  const isExample = (text: string) => /^(?:e\.g\.|for example|examples?\b|such as|see also\b)/i.test(text);
  const added = addedSentences(before, after, isWeighty).filter((text) => !isExample(text));
  if (added.length === 0 && addedSentences(after, before, isWeighty).length === 0) return true;
  const changed = addedWords(before, after).length + addedWords(after, before).length;
  return changed <= fewWords && sentencesOf(after).length <= sentencesOf(before).length + 1;
}
