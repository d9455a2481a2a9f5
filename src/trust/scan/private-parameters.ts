/** Finds parameters that ask for what is none of a tool's business: the conversation, the model's instructions, secrets, files. */

import type { Concept } from './concept.ts';
import { folded } from './fold-text.ts';
import type { Purpose } from './purpose.ts';
import type { ScanContext } from './scan-context.ts';
import type { Signal } from './signal.ts';
import type { ScannedText } from './texts-to-scan.ts';
import { anyPhrase } from './word-patterns.ts';

/** Asking for it is enough: a parameter is a way out. */
const wanted: Readonly<Partial<Record<Concept, number>>> = {
  conversation: 60,
  'system-prompt': 60,
  others: 40,
};
/** A file's name is an ordinary value; its content is not. */
const contents = anyPhrase([
  'contents?|text of|raw|output of|lines|dump|inhalt*|contenu|contenido|contenuto|conteúdo|содержим*|内容|中身|내용|all |every|everything|fetch it|taken from|as name and value',
]);
const names = anyPhrase([
  'system ?prompt|system ?message|system ?instructions|chat ?history|conversation|conversation ?history|message ?history|full ?context|chain ?of ?thought|user ?prompt|user ?messages?|dialog(?:ue)? ?history|shell ?history|browser ?cookies|seed ?phrase|all ?credentials|cloud ?credentials|side ?note|preamble',
]);
const keyNames = anyPhrase([
  'history|secrets|credentials|keychain|reasoning|memory|transcript|admin token|service role key',
]);
const vagueNames = anyPhrase([
  'environment|env|env ?vars|environment ?variables|prompt|session|context|[a-z]+ password',
]);

export function privateParameters(scanned: ScannedText, context: ScanContext): Signal[] {
  if (scanned.side !== 'input' || scanned.owner === undefined) return [];
  if (scanned.role === 'key') return byName(scanned, context.purpose);
  if (scanned.role !== 'prose' && scanned.role !== 'title') return [];
  return byDescription(scanned, context);
}

function byName({ where, text }: ScannedText, purpose: Purpose): Signal[] {
  if (
    purpose.isAboutModels ||
    purpose.isSecurity ||
    /(?:^|[a-z_ -])(?:ids?|Ids?|index|thread ?id|name|type|url|limit|count)$/i.test(text)
  )
    return [];
  const words = folded(text.replace(/([a-z0-9])([A-Z])/g, '$1 $2')).replace(/[_.-]+/g, ' ');
  const signal = { code: 'secrets', where, excerpt: text, says: 'A parameter asks for something private' } as const;
  if (names.test(words)) return [{ ...signal, kind: `parameter ${words}`, points: 55 }];
  if (purpose.text.includes(words.split(' ').at(-1) ?? words)) return [];
  const points = words.length > 30 ? 0 : keyNames.test(words) ? 30 : vagueNames.test(words) ? 12 : 0;
  return points > 0 ? [{ ...signal, kind: `parameter ${words}`, points }] : [];
}

function byDescription({ where, text }: ScannedText, { purpose, reader }: ScanContext): Signal[] {
  const said = folded(text.slice(0, 2_000));
  const hits = reader.read(said);
  const less = purpose.isAboutModels ? 0.3 : 1;
  const make = (concept: Concept, points: number): Signal => ({
    ...{ code: 'secrets', kind: `${concept}+hand-over`, where, excerpt: text, points },
    says: 'A parameter asks for something private',
  });
  const found = Object.entries(wanted).flatMap(([name, points]) => {
    const hit = hits.get(name as Concept); // The keys of the table are concepts.
    return hit === undefined ? [] : [make(hit.concept, Math.min(points, 2 * hit.points) * less)];
  });
  if (hits.has('private-file') && contents.test(said)) found.push(make('private-file', purpose.isSecurity ? 30 : 60));
  const secret = hits.get('secret');
  if (secret !== undefined && secret.points > 12) found.push(make('secret', purpose.isSecurity ? 15 : 45));
  return found;
}
