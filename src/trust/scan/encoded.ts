/** Finds messages in another form, and reads them: base64, hexadecimal, escapes, rot13, reversed, spaced and the like. */

import { type Decoded, decoded, isCommand } from './decoders.ts';
import { hiddenMessages } from './hidden-characters.ts';
import { phrasesIn } from './phrases.ts';
import type { DefinitionReader } from './read-sentences.ts';
import type { Sign } from './sign.ts';
import type { ScannedText } from './texts-to-scan.ts';
import type { ToolSubject } from './tool-subject.ts';

/** Decoded words are judged more strictly: honest ones need no code. */
const orderFrom = -2.5;

/** Less holds no message in any form. */
const shortest = 16;

export function encoded(scanned: ScannedText, subject: ToolSubject, reader: DefinitionReader): Sign[] {
  if (scanned.text.length < shortest) return [];
  const finds = decoded(scanned.text);
  // Decode at most twice.
  const twice = finds.flatMap((find) => decoded(find.text));
  const hidden = hiddenMessages(scanned.text).map((text) => ({
    form: 'hidden characters',
    from: '',
    text,
    isDisguise: true,
  }));
  return [...finds, ...twice, ...hidden].flatMap((find) => judge(find, scanned, subject, reader));
}

function judge(find: Decoded, { where, side }: ScannedText, subject: ToolSubject, reader: DefinitionReader): Sign[] {
  const { isCodec } = subject;
  const text: ScannedText = { where, side, role: 'prose', owner: undefined, text: find.text };
  const { readings } = reader.read(text);
  const signal = (points: number, says: string): Sign[] => [
    { code: 'encoded', kind: 'encoded', points, where, says, excerpt: find.text },
  ];
  if (phrasesIn(text).length > 0 || isCommand(find.text) || readings.some(({ score }) => score > orderFrom))
    return signal(100, `It holds an order as ${find.form}`);
  const isLong = find.text.split(/\s+/).length >= 4;
  if (find.isDisguise && !isCodec && find.form !== 'hidden characters')
    return signal(100, `It holds a text as ${find.form}`);
  return isLong && !isCodec ? signal(65, `It holds a text as ${find.form}`) : [];
}
