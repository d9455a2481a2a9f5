/** Letters that look like others: what a word reads as, whichever alphabets its letters come from. */

/** Cyrillic, Greek, Armenian and Latin letters by the letter that they are taken for. */
const shapes: Readonly<Record<string, string>> = {
  a: 'аɑαᴀ',
  b: 'ьЬƄ',
  c: 'сϲⅽᴄ',
  d: 'ԁⅾɗ',
  e: 'еҽєё',
  f: 'ϝғ',
  g: 'ɡցԍ',
  h: 'һհ',
  i: 'іıɩι',
  j: 'јϳ',
  k: 'кκĸ',
  l: 'ӏⅼǀ',
  m: 'мⅿ',
  n: 'ոռпη',
  o: 'оοօᴏσ',
  p: 'рρ',
  q: 'ԛգ',
  r: 'гᴦ',
  s: 'ѕꜱ',
  t: 'тτ',
  u: 'υսᴜ',
  v: 'ѵνⅴᴠ',
  w: 'ԝաѡω',
  x: 'хχⅹ',
  y: 'уүγ',
  z: 'ᴢʐ',
  A: 'АΑ',
  B: 'ВΒ',
  C: 'СϹ',
  E: 'ЕΕ',
  H: 'НΗ',
  I: 'ІΙӀ',
  J: 'Ј',
  K: 'КΚ',
  M: 'МΜ',
  N: 'Ν',
  O: 'ОΟ',
  P: 'РΡ',
  S: 'Ѕ',
  T: 'ТΤ',
  X: 'ХΧ',
  Y: 'УΥҮ',
  Z: 'Ζ',
};
const looksLike = new Map(
  Object.entries(shapes).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
);
const foreign = new RegExp(`[${[...looksLike.keys()].join('')}]`, 'g');
const plainLetter = /[A-Za-z]/;
/** Of another alphabet: letters of the Latin one with other shapes are at home in many languages. */
const otherAlphabet = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/u;

/** The text with every look-alike read as the letter it looks like. */
export function readAs(text: string): string {
  return text.replace(foreign, (letter) => looksLike.get(letter) ?? letter);
}

/** Words that are plain to the eye and are written with letters of two alphabets. */
export function disguisedWords(text: string): string[] {
  if (text.search(foreign) === -1) return [];
  const words = text.match(/\p{L}{2,}/gu) ?? [];
  return words.filter((word) => otherAlphabet.test(word) && plainLetter.test(word) && /^[A-Za-z]+$/.test(readAs(word)));
}

/** The text with disguised words read as what they look like; words of other languages stay. */
export function undisguised(text: string): string {
  if (text.search(foreign) === -1 || !plainLetter.test(text)) return text;
  return text.replace(/\p{L}{2,}/gu, (word) =>
    plainLetter.test(word) && otherAlphabet.test(word) ? readAs(word) : word,
  );
}

const digitLetters: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'l',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '|': 'l',
  $: 's',
};

/** A name as the eye takes it: without case, marks, hidden characters, and with look-alikes and digits as letters. */
export function nameShape(name: string): string {
  return readAs(name.normalize('NFKC'))
    .toLowerCase()
    .replace(/[013457|$]/g, (digit) => digitLetters[digit] ?? digit)
    .replace(/i/g, 'l')
    .replace(/rn/g, 'm')
    .replace(/vv/g, 'w')
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** A letter doubled, or two that changed places: what a typing error looks like, and nothing that makes another word or number. */
export function isSlip(one: string, other: string, shortest = 7): boolean {
  if (one.length < shortest || Math.abs(one.length - other.length) > 1 || one === other) return false;
  if (digitsOf(one) !== digitsOf(other)) return false;
  if (one.length === other.length) {
    const at = [...one].findIndex((letter, index) => letter !== other[index]);
    return one[at] === other[at + 1] && one[at + 1] === other[at] && one.slice(at + 2) === other.slice(at + 2);
  }
  const [long, short] = one.length > other.length ? [one, other] : [other, one];
  const at = [...long].findIndex((letter, index) => letter !== short[index]);
  return at > 0 && long[at] === long[at - 1] && long.slice(at + 1) === short.slice(at);
}

function digitsOf(name: string): string {
  return name.replace(/\D/g, '');
}
