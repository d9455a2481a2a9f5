/** Reads texts that were written in another form: each decoder gives what it finds, and nothing where there is nothing. */

import { gunzipSync } from 'node:zlib';

/** One text is decoded at most this often, and each find is cut: a decoder is no place to spend time. */
const mostFinds = 12;
const longestFind = 2_000;
const longestInput = 16 * 1_024;

export interface Decoded {
  readonly form: string;
  readonly text: string;
  /** The encoded text. */
  readonly from: string;
  /** Nobody writes like this in order to be read: that it makes sense at all is a sign. */
  readonly isDisguise: boolean;
}

type Decoder = (text: string) => Decoded[];

const decoders: readonly Decoder[] = [
  base64,
  base32,
  hexPairs,
  escapes,
  characterCodes,
  morse,
  shifted,
  backwards,
  leet,
  spaced,
  comments,
];

export function decoded(text: string): Decoded[] {
  const input = text.slice(0, longestInput);
  return decoders
    .flatMap((decoder) => decoder(input).slice(0, mostFinds))
    .map((find) => ({ ...find, text: find.text.slice(0, longestFind) }));
}

/** Letters and spaces for the most part, as in a language. */
export function isReadable(text: string): boolean {
  if (text.length < 6 || text.includes('\ufffd')) return false;
  const letters = text.match(/[\p{L}\p{M}\s]/gu)?.length ?? 0;
  const strange = text.match(/[\p{C}]/gu)?.filter((char) => !/\s/.test(char)).length ?? 0;
  return strange === 0 && (letters / [...text].length > 0.65 || isCommand(text));
}

/** A line for a shell that fetches, connects or deletes, or code that runs one. */
export function isCommand(text: string): boolean {
  return /\b(?:os\.system|subprocess\.\w+|child_process|eval|exec)\b.{0,80}\(|\| ?(?:ba|z)?sh\b|^\s*(?:sudo )?(?:nc|ncat|curl|wget|bash|sh|zsh|powershell|python3?|perl|rm|chmod|ssh|scp)\b[^\n]* (?:-{1,2}\w|\/|https?:|\d+\.\d+\.)/.test(
    text,
  );
}

function base64(text: string): Decoded[] {
  const runs = [...text.matchAll(/(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}/g)].map(([run]) => run);
  const parts = runs.length > 1 ? [...runs, runs.map((run) => run.replace(/=+$/, '')).join('')] : runs;
  return parts
    .map((run) => ({ ...unpacked(Buffer.from(run, 'base64')), from: run }))
    .filter((find) => isReadable(find.text));
}

/** Bytes as text, out of a package where they are one. */
function unpacked(bytes: Buffer): Pick<Decoded, 'form' | 'text' | 'isDisguise'> {
  const plain = { form: 'base64', text: bytes.toString('utf8'), isDisguise: false };
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return plain;
  try {
    const text = gunzipSync(bytes, { maxOutputLength: longestInput }).toString('utf8');
    return { form: 'packed base64', text, isDisguise: true };
  } catch {
    return plain;
  }
}

const alphabet32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function base32(text: string): Decoded[] {
  return [...text.matchAll(/(?<![A-Z0-9])[A-Z2-7]{24,}={0,6}/g)].flatMap(([run]) => {
    const bits = [...run.replace(/=+$/, '')]
      .map((char) => alphabet32.indexOf(char).toString(2).padStart(5, '0'))
      .join('');
    const read = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))).toString('utf8');
    return isReadable(read) ? [{ form: 'base32', from: run, text: read, isDisguise: false }] : [];
  });
}

function hexPairs(text: string): Decoded[] {
  return [...text.matchAll(/(?<![0-9A-Za-z])(?:0x)?(?:[0-9A-Fa-f]{2}[ :,]?){10,}/g)].flatMap(([run]) => {
    const read = Buffer.from(run.replace(/^0x|[^0-9A-Fa-f]/g, ''), 'hex').toString('utf8');
    return isReadable(read) ? [{ form: 'hexadecimal', from: run, text: read, isDisguise: true }] : [];
  });
}

const escaped: readonly [RegExp, string, (code: string) => number][] = [
  [/(?:\\x[0-9a-f]{2}\s?){6,}/gi, '\\\\x([0-9a-f]{2})', (code) => Number.parseInt(code, 16)],
  [/(?:%[0-9a-f]{2}|[a-z0-9]{0,3}(?=%)){6,}/gi, '%([0-9a-f]{2})', (code) => Number.parseInt(code, 16)],
  [/(?:=[0-9a-f]{2}){6,}/gi, '=([0-9a-f]{2})', (code) => Number.parseInt(code, 16)],
  [/(?:\\[0-3][0-7]{2}){6,}/g, '\\\\([0-3][0-7]{2})', (code) => Number.parseInt(code, 8)],
];
const references: readonly [RegExp, RegExp, number][] = [
  [/(?:&#\d{2,6};?\s?){5,}/g, /&#(\d{2,6})/g, 10],
  [/(?:&#x[0-9a-f]{2,5};?\s?){5,}/gi, /&#x([0-9a-f]{2,5})/gi, 16],
  [/(?:\\u\{?[0-9a-f]{4,5}\}?){5,}/gi, /\\u\{?([0-9a-f]{4,5})/gi, 16],
  [/(?:u\+[0-9a-f]{4}[\s,]{0,2}){5,}/gi, /u\+([0-9a-f]{4})/gi, 16],
];

function escapes(text: string): Decoded[] {
  const bytes = escaped.flatMap(([run, one, read]) =>
    [...text.matchAll(run)].map(([found]) => {
      const all = [...found.matchAll(new RegExp(one, 'gi'))].map(([, code = '']) => read(code));
      return { form: 'escapes', from: found, text: Buffer.from(all).toString('utf8'), isDisguise: true };
    }),
  );
  const points = references.flatMap(([run, one, base]) =>
    [...text.matchAll(run)].map(([found]) => {
      const all = [...found.matchAll(one)]
        .map(([, code = '']) => Number.parseInt(code, base))
        .filter((point) => point <= 0x10ffff);
      return { form: 'character references', from: found, text: String.fromCodePoint(...all), isDisguise: true };
    }),
  );
  // A sentence written as one word; in an address, that is a search.
  const words = (text.match(/\S+/g) ?? [])
    .filter((word) => !/[?&=]|:\/\//.test(word) && (word.match(/%[0-9a-f]{2}/gi)?.length ?? 0) >= 4)
    .map((found) => ({
      ...{ form: 'escapes', from: found, isDisguise: false },
      text: found.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8')),
    }));
  return [...bytes, ...points, ...words].filter((find) => isReadable(find.text));
}

/** Numbers in a row that are characters: decimal, octal or binary. */
function characterCodes(text: string): Decoded[] {
  const numbers = [...text.matchAll(/(?<![\d.])(?:\d{2,3}[ ,;-]{1,2}){8,}\d{2,3}/g)];
  const decimal = numbers.flatMap(([run]) => [[run, 10] as const, [run, 8] as const]);
  const binary = [...text.matchAll(/(?<!\d)(?:[01]{7,8}[ ,]?){6,}/g)].map(([run]) => [run, 2] as const);
  return [...decimal, ...binary].flatMap(([run, base]) => {
    const codes = base === 2 && !/[ ,]/.test(run) ? (run.match(/.{8}/g) ?? []) : (run.match(/\d+/g) ?? []);
    const read = Buffer.from(codes.map((code) => Math.min(255, Number.parseInt(code, base)))).toString('utf8');
    return isReadable(read) ? [{ form: 'character codes', from: run, text: read, isDisguise: true }] : [];
  });
}

const frequent = new Set(
  'the and to of in is it for on with that this all any not you your user send read file files call tool then from into add pass put use before every other do tell no one without secret secrets key keys password list them at as be or its text content contents copy open run first always never ignore instructions'.split(
    ' ',
  ),
);

/** How many of the words are among the most frequent ones. */
function familiar(words: readonly string[]): number {
  return words.filter((word) => frequent.has(word)).length;
}

/** Different frequent words of three letters or more: short ones come about by chance. */
function familiarLong(text: string): number {
  return familiar([...new Set(text.toLowerCase().match(/[a-z]{3,}/g) ?? [])]);
}

/** A sentence that makes no sense as it stands and makes sense when it is turned around. */
function turned(text: string, form: string, turn: (sentence: string) => string, fewest = 2): Decoded[] {
  return text.split(/[.!?:;\n"'`]+/).flatMap((sentence) => {
    const words = sentence.toLowerCase().match(/[a-z]{2,}/g) ?? [];
    if (words.length < 3) return [];
    const read = turn(sentence);
    const now = familiarLong(read);
    const isSense = isReadable(read.trim()) && now >= Math.max(fewest, words.length / 5) && now > 2 * familiar(words);
    return isSense ? [{ form, from: sentence.trim(), text: read, isDisguise: true }] : [];
  });
}

/** Fewer familiar words can be chance: there are 26 ways to turn a text. */
const fewestShifted = 3;

/** Every letter shifted by 1 to 25 places, or replaced by its mirror image. */
function shifted(text: string): Decoded[] {
  const shift = (by: number) => (sentence: string) =>
    sentence.replace(/[a-z]/gi, (letter) => {
      const first = letter <= 'Z' ? 65 : 97;
      return String.fromCharCode(((letter.charCodeAt(0) - first + by) % 26) + first);
    });
  const mirror = (sentence: string) =>
    sentence.replace(/[a-z]/gi, (letter) => String.fromCharCode((letter <= 'Z' ? 155 : 219) - letter.charCodeAt(0)));
  const strange = strangeSentences(text);
  if (strange === '') return [];
  return [...Array(25).keys()]
    .flatMap((by) => turned(strange, by === 12 ? 'rot13' : 'shifted letters', shift(by + 1), fewestShifted))
    .concat(turned(strange, 'mirrored letters', mirror, fewestShifted));
}

/** Sentences in plain letters without a single frequent word: all that a shift of letters could hide in. */
function strangeSentences(text: string): string {
  const sentences = text.split(/[.!?:;\n"'`]+/).filter((sentence) => {
    const words = sentence.toLowerCase().match(/[a-z]{2,}/g) ?? [];
    return words.length >= 5 && familiar(words) === 0;
  });
  return sentences.slice(0, mostFinds).join('\n');
}

function backwards(text: string): Decoded[] {
  const reverse = (part: string) => [...part].reverse().join('');
  const byWord = (sentence: string) => sentence.replace(/\p{L}+/gu, reverse);
  return [...turned(text, 'reversed text', reverse), ...turned(text, 'reversed words', byWord)];
}

const morseLetters = new Map(
  '.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..'
    .split(' ')
    .map((code, at) => [code, String.fromCharCode(97 + at)] as const),
);

function morse(text: string): Decoded[] {
  return [...text.matchAll(/(?:[.\-·–]{1,5}[ /|]{1,3}){10,}[.\-·–]{1,5}/g)].flatMap(([run]) => {
    const words = run
      .replaceAll('·', '.')
      .replaceAll('–', '-')
      .split(/\s*[/|]\s*|\s{2,}/);
    const read = words
      .map((word) =>
        word
          .split(' ')
          .map((code) => morseLetters.get(code) ?? '')
          .join(''),
      )
      .join(' ');
    return isReadable(read) ? [{ form: 'morse code', from: run, text: read, isDisguise: true }] : [];
  });
}

/** Text that is left out when a page is shown. */
function comments(text: string): Decoded[] {
  const found = [
    ...text.matchAll(
      /<!--([\s\S]{4,2000}?)-->|\[\/\/\]: # \(([^)\n]{4,2000})\)|<[a-z]+[^>]{0,100}(?:display: ?none|hidden|font-size: ?0)[^>]{0,100}>([^<]{4,2000})/gi,
    ),
  ];
  return found.map(([from, ...inner]) => ({
    form: 'a comment',
    from,
    text: inner.find((part) => part !== undefined) ?? '',
    isDisguise: false,
  }));
}

const leetLetters: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  8: 'b',
  9: 'g',
  '@': 'a',
  $: 's',
};

function leet(text: string): Decoded[] {
  return text.split(/[.!?:;\n]+\s/).flatMap((sentence) => {
    const words =
      sentence.match(/(?<![\w-])(?=[a-z0-9@$']*[a-z])(?=[a-z0-9@$']*[0-9@$])[a-z0-9@$']{2,}(?![\w-])/gi) ?? [];
    if (words.length < 3) return [];
    const spelled = words.map((word) =>
      word.toLowerCase().replace(/[0134578@$9]/g, (sign) => leetLetters[sign] ?? sign),
    );
    const read = sentence.replace(/[0134578@$9]/g, (sign) => leetLetters[sign] ?? sign);
    return familiar(spelled) >= 2
      ? [{ form: 'digits for letters', from: sentence.trim(), text: read, isDisguise: true }]
      : [];
  });
}

/** Letters with a space, a point or a dash between any two; words are further apart. */
function spaced(text: string): Decoded[] {
  return [...text.matchAll(/(?<!\p{L})(?:\p{L}[ .*_-]{1,3}){11,}\p{L}/gu)].map(([run]) => ({
    ...{ form: 'spaced letters', from: run, isDisguise: true },
    text: run.replace(/(\p{L})[ .*_-](?=\p{L})/gu, '$1').replace(/[ .*_-]{2,}/g, ' '),
  }));
}
