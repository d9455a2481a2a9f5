/** Finds characters that people do not see and models read, apart from those that a script or an emoji needs. */

import { shown, unseen } from './fold-text.ts';
import { disguisedWords } from './look-alikes.ts';
import type { Sign } from './sign.ts';
import type { ScannedText } from './texts-to-scan.ts';

/** Uses whose effect can be seen: flags and joined emoji, keycaps, scripts that join, separate or turn, ideographs with variants. */
const needed: readonly RegExp[] = [
  /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}/gu,
  /(?<=(?:\p{Extended_Pictographic}|\p{Emoji_Modifier})\ufe0f?)\u200d(?=\p{Extended_Pictographic})/gu,
  /(?<=[\p{Extended_Pictographic}\p{S}\p{P}\p{N}])[\ufe0e\ufe0f]/gu,
  /(?<=\p{Script=Han})[\ufe00-\ufe02\u{e0100}-\u{e010f}]/gu,
  /(?<=\p{Script=Mongolian})[\u180b-\u180f\u200c-\u200d\u202f]/gu,
  /(?<=[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{M}])[\u200c\u200d]/gu,
  /(?<=[\p{Script=Khmer}\p{Script=Thai}\p{Script=Lao}\p{Script=Myanmar}\p{Script=Tibetan}\p{M}])\u200b/gu,
  /(?<=\p{L})\u00ad(?=\p{L})/gu,
  /^\ufeff/gu,
];
const turnedScript = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;
/** Marks and isolates are part of ordinary writing where a text runs both ways; overrides are not. */
const neededWhenTurned = /[\u061c\u200e\u200f\u202a-\u202c\u2066-\u2069]/g;

const tags = /[\u{e0020}-\u{e007e}]+/gu;
const overrides = /[\u202d\u202e]/;
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufff9-\ufffb]/;
/** So much empty room in a row serves no reader, when something follows it. */
const emptyRoom = /(?:[^\S\n]|\u2800){80}|\u2800{20}|(?:[^\S\n]{0,200}\n){15}/;
/** Letters in the dress of full-width or mathematical ones, words of them in a row. */
const dressed =
  /(?:[\uff21-\uff3a\uff41-\uff5a\u{1d400}-\u{1d7ff}\u{1f130}-\u{1f169}\u24b6-\u24e9]{2,}[\s\u3000]+){3}/u;

export function hiddenCharacters({ where, role, text }: ScannedText): Sign[] {
  const signal = (points: number, says: string, excerpt = text): Sign => ({
    ...{ code: 'hidden-text', kind: 'hidden', points, where, says, excerpt },
  });
  const found: Sign[] = [];
  const left = text.search(unseen) === -1 ? text : withoutNeeded(text);
  const hidden = left.match(unseen) ?? [];
  if (hidden.length > 0) found.push(signal(pointsOf(hidden, left, role), `It holds ${describe(hidden)}`, around(left)));
  const disguised = disguisedWords(text);
  if (disguised.length > 0) {
    const says = 'It has words that mix letters of two alphabets which look the same';
    found.push({
      ...signal(100, says, disguised.join(' ')),
      kind: 'disguised',
    });
  }
  if (emptyRoom.test(text.trimEnd()))
    found.push({
      ...signal(100, 'It pushes text out of sight with empty room', text.trimEnd().slice(-100)),
      kind: 'room',
    });
  if (dressed.test(text))
    found.push({ ...signal(100, 'It has words in letters that only look like plain ones'), kind: 'dressed' });
  return found;
}

function withoutNeeded(text: string): string {
  const bare = needed.reduce((rest, use) => rest.replace(use, ''), text);
  return turnedScript.test(bare) ? bare.replace(neededWhenTurned, '') : bare;
}

function pointsOf(hidden: readonly string[], left: string, role: ScannedText['role']): number {
  const isWord = role === 'name' || role === 'key' || role === 'choice';
  if (isWord || hidden.length >= 3) return 100;
  if (left.search(tags) !== -1 || overrides.test(left) || controls.test(left)) return 100;
  // One or two may be an accident of copying; inside a word they are not.
  return /\p{L}[\u200b-\u200d\u2060-\u2064\ufeff]\p{L}/u.test(left) ? 100 : 70;
}

function describe(hidden: readonly string[]): string {
  const points = new Set(
    hidden.map((char) => `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`),
  );
  const named = [...points].slice(0, 3).join(', ');
  const spelled = hidden.join('').match(tags);
  const secret = spelled ? `, which spell "${shown(spelled.map(plainTag).join(' '))}"` : '';
  return `${hidden.length === 1 ? 'a character that nobody sees' : `${hidden.length} characters that nobody sees`} (${named}${points.size > 3 ? ' …' : ''}${secret})`;
}

/** Tag characters are the plain ones at another place. */
function plainTag(run: string): string {
  return [...run].map((char) => String.fromCodePoint((char.codePointAt(0) ?? 0) - 0xe0000)).join('');
}

function around(text: string): string {
  const at = Math.max(0, text.search(unseen));
  return text.slice(Math.max(0, at - 30), at + 60);
}

/** Reads hidden characters: tags as letters, bytes in variation selectors, bits in joiners. */
export function hiddenMessages(text: string): string[] {
  if (text.search(unseen) === -1) return [];
  const fromTags = (text.match(tags) ?? []).map(plainTag);
  const selectors = text.match(/[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{4,4000}/gu) ?? [];
  const fromSelectors = selectors.map((run) => Buffer.from([...run].map(byteOfSelector)).toString('utf8'));
  const joiners = text.match(/[\u200b-\u200d\u2060]{32,8000}/g) ?? [];
  return [...fromTags, ...fromSelectors, ...joiners.flatMap(fromBits)];
}

function byteOfSelector(char: string): number {
  const point = char.codePointAt(0) ?? 0;
  return point < 0xfe10 ? point - 0xfe00 : point - 0xe0100 + 16;
}

function fromBits(run: string): string[] {
  const [zero = '', one = ''] = new Set(run);
  const read = (first: string) => {
    const bits = [...run].map((char) => (char === first ? '0' : '1')).join('');
    return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))).toString('utf8');
  };
  return [read(zero), read(one)];
}
