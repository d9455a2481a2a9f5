/** Finds messages in another form, and reads them: base64, hexadecimal, escapes, rot13, reversed, spaced and the like. */

import { type Decoded, decoded } from './decoders.ts';
import { hiddenMessages } from './hidden-characters.ts';
import { signalsIn } from './instructions.ts';
import { readingsOf, signsOf } from './read-sentences.ts';
import type { ScanContext } from './scan-context.ts';
import type { Signal } from './signal.ts';
import type { ScannedText } from './texts-to-scan.ts';
import { sumOf } from './weigh.ts';

/** Decoded words are judged more strictly: honest ones need no code. */
const wordsWorthHolding = 30;
const readWorthHolding = 42;

/** Less holds no message in any form. */
const shortest = 16;

export function encoded(scanned: ScannedText, context: ScanContext): Signal[] {
  if (scanned.text.length < shortest) return [];
  const finds = decoded(scanned.text);
  // What is encoded twice is decoded twice, no more.
  const twice = finds.flatMap((find) => decoded(find.text));
  const hidden = hiddenMessages(scanned.text).map((text) => ({
    form: 'hidden characters',
    from: '',
    text,
    isDisguise: true,
  }));
  return [...finds, ...twice, ...hidden].flatMap((find) => judge(find, scanned, context));
}

function judge(find: Decoded, { where, side }: ScannedText, { purpose, reader }: ScanContext): Signal[] {
  const plain = { ...purpose, isSecurity: false, isAboutModels: false };
  const inside = sumOf(signalsIn(find.text, where, { purpose: plain, reader }));
  const readings = readingsOf({ where, side, role: 'prose', owner: undefined, text: find.text });
  const signal = (points: number, says: string): Signal[] => [
    { code: 'encoded', kind: 'encoded', points, where, says, excerpt: find.text },
  ];
  if (inside >= wordsWorthHolding || sumOf(signsOf(readings, where)) >= readWorthHolding)
    return signal(100, `It holds an order as ${find.form}`);
  if (find.isDisguise && !purpose.isCodec && find.form !== 'hidden characters')
    return signal(find.text.split(/\s+/).length >= 4 ? 100 : 60, `It holds a text as ${find.form}`);
  return find.text.split(/\s+/).length >= 4 && !purpose.isCodec ? signal(40, `It holds a text as ${find.form}`) : [];
}
