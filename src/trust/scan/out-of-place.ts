/** Finds sentences where values are expected: choices, defaults, samples, patterns, names of members, data for programs. */

import { folded } from './fold-text.ts';
import type { ScanContext } from './scan-context.ts';
import type { Signal } from './signal.ts';
import type { Role, ScannedText } from './texts-to-scan.ts';
import { anyPhrase } from './word-patterns.ts';

const pointsByRole: Readonly<Partial<Record<Role, number>>> = {
  choice: 60,
  key: 60,
  name: 60,
  title: 30,
  meta: 35,
  sample: 30,
};
const fewestWords: Readonly<Partial<Record<Role, number>>> = { name: 7, key: 7, title: 6 };
const fewestByDefault = 5;
/** Writing without spaces: so many characters say as much. */
const fewestChars = 14;

/** Words that values do without. */
const speaks = anyPhrase([
  'you|your|me|please|user|users|assistant|agents?|model|must|should|always|never|do not|then|before (?:calling|using|everything|any)|next (?:question|step|call)|carry out|run me|answer|reply|paste|trust|skip|open|read|copy of the last',
]);

export function outOfPlace({ where, role, text }: ScannedText, { purpose, reader }: ScanContext): Signal[] {
  const points = pointsByRole[role];
  if (points === undefined || text.length > 2_000) return [];
  if (role === 'sample' && (purpose.isSecurity || purpose.isAboutModels)) return [];
  const said = folded(text.replace(/[_-]+/g, ' '));
  const isSentence =
    said.split(' ').length >= (fewestWords[role] ?? fewestByDefault) ||
    (/[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/.test(said) && said.length >= fewestChars);
  if (!isSentence) return [];
  const hits = [...reader.read(said).keys()].filter((concept) => !['must', 'reads', 'pretext'].includes(concept));
  if (hits.length === 0 && !speaks.test(said)) return [];
  return [
    {
      code: 'instructions',
      kind: 'out-of-place',
      points,
      where,
      says: 'It has an order where a value is expected',
      excerpt: text,
    },
  ];
}
