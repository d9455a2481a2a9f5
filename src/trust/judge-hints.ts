/** Judges a change of a tool's hints against what the tool says that it does. */

import type { Deed } from './deeds.ts';
import type { Definition, Notice } from './judgement.ts';

interface Hint {
  readonly name: string;
  /** The protocol's default where a server says nothing. */
  readonly isTrueByDefault: boolean;
  /** The value that promises more. */
  readonly safe: boolean;
  /** Deeds that make the promise untrue. */
  readonly against: readonly Deed[];
  /** Deeds with which it is no news that the promise is dropped. */
  readonly kept: readonly Deed[];
  readonly dropped: string;
}

const hints: readonly Hint[] = [
  {
    name: 'readOnlyHint',
    isTrueByDefault: false,
    safe: true,
    against: ['writes', 'destroys', 'pays', 'runs'],
    kept: ['writes', 'destroys', 'pays', 'sends', 'runs'],
    dropped: 'It no longer says that it only reads.',
  },
  {
    name: 'destructiveHint',
    isTrueByDefault: true,
    safe: false,
    against: ['destroys', 'pays'],
    kept: ['writes', 'destroys', 'pays', 'sends', 'runs'],
    dropped: 'It no longer says that it destroys nothing.',
  },
  {
    name: 'openWorldHint',
    isTrueByDefault: true,
    safe: false,
    against: [],
    kept: ['sends'],
    dropped: 'It no longer says that it reaches nothing outside.',
  },
];

/** `done`: what the tool says that it does, by its name, title and description; `isReader`: its name says that it reads. */
export function judgeHints(
  before: Definition,
  after: Definition,
  done: ReadonlySet<Deed>,
  isReader: boolean,
): Notice[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name): Notice[] => {
    if (before[name] === after[name]) return [];
    const where = `annotations.${name}`;
    const hint = hints.find((item) => item.name === name);
    if (hint === undefined) return [{ grade: 'notable', code: 'hint', where, sentence: 'This hint changed.' }];
    const promiseOf = ({ [name]: value }: Definition) => (typeof value === 'boolean' ? value : hint.isTrueByDefault);
    const [was, is] = [promiseOf(before) === hint.safe, promiseOf(after) === hint.safe];
    const isUntrue = hint.against.some((deed) => done.has(deed));
    // An earlier warning was removed. A first hint removes nothing.
    const isWithdrawn = before[name] === !hint.safe && after[name] !== !hint.safe;
    const isNowReading = name === 'destructiveHint' && !before.readOnlyHint && after.readOnlyHint === true && !isReader;
    if (isWithdrawn && (isUntrue || isNowReading))
      return [{ grade: 'risky', code: 'hint', where, sentence: 'It no longer gives a warning that it gave before.' }];
    // A command may only read.
    const isWriting = [...done].some((deed) => deed !== 'runs' && deed !== 'sends');
    if (name === 'readOnlyHint' && is && !was && isWriting && !isReader)
      return [
        {
          grade: 'risky',
          code: 'hint',
          where,
          sentence: 'It claims that it only reads, but its description says otherwise.',
        },
      ];
    // A promise that its words never kept is put right; a name that reads is such a promise too.
    const isDropped = was && !is && (after[name] !== undefined || name === 'readOnlyHint');
    const isPutRight = !isReader && hint.kept.some((deed) => done.has(deed));
    if (isDropped && !isPutRight && !isMoot(name, before, after))
      return [{ grade: 'risky', code: 'hint', where, sentence: hint.dropped }];
    const sentence = was === is ? 'It says the same in another way.' : 'It promises something else.';
    return [{ grade: was === is ? 'harmless' : 'notable', code: 'hint', where, sentence }];
  });
}

/** True for the destructive hint of a tool that only reads, before and after: it means nothing there. */
function isMoot(name: string, before: Definition, after: Definition): boolean {
  return name === 'destructiveHint' && before.readOnlyHint === true && after.readOnlyHint === true;
}
