/** Looks at one definition for what a poisoned one has: the reader decides, and rules find what has a form. */

import { addedTexts } from '../added-text.ts';
import type { Definition, Finding, Neighbours } from '../judgement.ts';
import { encoded } from './encoded.ts';
import { hiddenCharacters } from './hidden-characters.ts';
import { joinedTexts } from './joined-texts.ts';
import { oddName } from './odd-names.ts';
import { otherServers } from './other-servers.ts';
import { phrasesIn } from './phrases.ts';
import { privateData } from './private-data.ts';
import { DefinitionReader, type SeenText } from './read-sentences.ts';
import { type Impressions, impressionsOf, signsOfReader } from './reader-signs.ts';
import { type Named, shadowing } from './shadowing.ts';
import type { Sign } from './sign.ts';
import { type ScannedText, textsToScan } from './texts-to-scan.ts';
import { subjectOf } from './tool-subject.ts';
import { hardFrom, weigh } from './weigh.ts';

/** The points from which on something is worth a look. */
const softFrom = 65;

export function scanDefinition(definition: Definition, neighbours: Neighbours): readonly Finding[] {
  const { texts, isCut } = textsToScan(definition);
  const reader = new DefinitionReader(definition);
  const seen = seenBy(reader, [...texts, ...joinedTexts(texts)]);
  const { isSecurity } = subjectOf(definition, neighbours.server);
  const signs = [
    ...signsOfReader(seen, isSecurity, 'whole'),
    ...signsByForm(definition, seen.slice(0, texts.length), reader, neighbours),
    ...oddName(definition),
    ...shadowing(namedBy(definition), neighbours, texts),
  ];
  return weigh(signs, isCut, softFrom);
}

/** The reader's impressions of a definition, or of the text that a change adds to it. */
export function impressionsIn(definition: Definition, server: string, before?: Definition): Impressions | undefined {
  const reader = new DefinitionReader(before ?? definition, before !== undefined);
  const texts = before === undefined ? textsToScan(definition).texts : addedTexts(before, definition);
  const seen = seenBy(reader, before === undefined ? [...texts, ...joinedTexts(texts)] : texts);
  const { isSecurity } = subjectOf(before ?? definition, server);
  return impressionsOf(seen, isSecurity, before === undefined ? 'whole' : 'added');
}

/** Scans the text that a change adds to a known definition, and reads it for the tool's earlier purpose. */
export function scanAddition(before: Definition, after: Definition, neighbours: Neighbours): readonly Finding[] {
  const reader = new DefinitionReader(before, true);
  const seen = seenBy(reader, addedTexts(before, after));
  const formed = (definition: Definition) => [
    ...signsByForm(definition, unread(textsToScan(definition).texts), reader, neighbours),
    ...shadowing(namedBy(definition), neighbours, textsToScan(definition).texts),
  ];
  const known = new Set(formed(before).map(({ says, where }) => `${says} ${where}`));
  const { isSecurity } = subjectOf(before, neighbours.server);
  const signs = [
    ...signsOfReader(seen, isSecurity, 'added').filter(({ points }) => points >= hardFrom),
    ...signsByForm(after, seen, reader, neighbours),
    // An addition may need the words around it, and hidden characters make no other sentence.
    ...formed(after).filter(({ says, where }) => !known.has(`${says} ${where}`)),
  ];
  return weigh(
    signs.filter(({ points }) => points > 0),
    false,
    softFrom,
  );
}

function seenBy(reader: DefinitionReader, texts: readonly ScannedText[]): SeenText[] {
  return texts.map((text) => reader.read(text));
}

function unread(texts: readonly ScannedText[]): SeenText[] {
  return texts.map((text) => ({ text, readings: [], orders: [] }));
}

/** Signs that have a form, whatever is said. */
function signsByForm(
  definition: Definition,
  seen: readonly SeenText[],
  reader: DefinitionReader,
  neighbours: Neighbours,
): Sign[] {
  const subject = subjectOf(definition, neighbours.server);
  const { name } = namedBy(definition);
  return [
    ...seen.flatMap(({ text, readings }) => [
      ...phrasesIn(text),
      ...privateData(text, subject),
      ...hiddenCharacters(text),
      ...encoded(text, subject, reader),
      ...otherServers(text, name, neighbours, readings),
    ]),
    ...joinedTexts(seen.map(({ text }): ScannedText => text)).flatMap((text) => encoded(text, subject, reader)),
  ];
}

/** True if a scan reads all of a definition; a longer one cannot be judged by its words. */
export function isReadWhole(definition: Definition): boolean {
  return !textsToScan(definition).isCut;
}

function namedBy({ name, title, description }: Definition): Named {
  return { name: textOf(name), title: textOf(title), description: textOf(description) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
