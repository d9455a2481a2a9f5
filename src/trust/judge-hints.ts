/** Judges a change of a tool's hints: what it promised of its effects, and promises now. */

import type { Definition, Notice } from './judgement.ts';

interface Hint {
  readonly name: string;
  /** What the protocol takes for granted where a server says nothing. */
  readonly isTrueByDefault: boolean;
  /** The value that promises less. */
  readonly dangerous: boolean;
  readonly sentence: string;
}

const hints: readonly Hint[] = [
  { name: 'readOnlyHint', isTrueByDefault: false, dangerous: false, sentence: 'It no longer says that it only reads.' },
  {
    name: 'destructiveHint',
    isTrueByDefault: true,
    dangerous: true,
    sentence: 'It no longer says that it destroys nothing.',
  },
  {
    name: 'idempotentHint',
    isTrueByDefault: false,
    dangerous: false,
    sentence: 'It no longer says that it may be repeated.',
  },
  {
    name: 'openWorldHint',
    isTrueByDefault: true,
    dangerous: true,
    sentence: 'It no longer says that it stays inside.',
  },
];

export function judgeHints(before: Definition, after: Definition): Notice[] {
  return hints.flatMap(({ name, isTrueByDefault, dangerous, sentence }): Notice[] => {
    if (before[name] === after[name]) return [];
    const where = `annotations.${name}`;
    const promiseOf = ({ [name]: value }: Definition) => (typeof value === 'boolean' ? value : isTrueByDefault);
    if (promiseOf(before) === promiseOf(after))
      return [{ grade: 'harmless', code: 'hint', where, sentence: 'It says the same in another way.' }];
    if (promiseOf(after) === dangerous && !isMoot(name, before, after))
      return [{ grade: 'risky', code: 'hint', where, sentence }];
    return [{ grade: 'notable', code: 'hint', where, sentence: 'It promises more than before.' }];
  });
}

/** What destroys or repeats means nothing for a tool that reads only, before and after. */
function isMoot(name: string, before: Definition, after: Definition): boolean {
  const isAboutWriting = name === 'destructiveHint' || name === 'idempotentHint';
  return isAboutWriting && before.readOnlyHint === true && after.readOnlyHint === true;
}
