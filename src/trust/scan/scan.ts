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
import { DefinitionReader, doubtOf, type ReadText, signOfAddition, signOfWhole, signsOf } from './read-sentences.ts';
import { type Named, shadowing } from './shadowing.ts';
import type { Sign } from './sign.ts';
import { type ScannedText, textsToScan } from './texts-to-scan.ts';
import { subjectOf } from './tool-subject.ts';
import { weigh } from './weigh.ts';

/** Tools that are about attacks and secrets are harder to read. */
const doubtBySubject = 0.7;
/** The points from which on something is worth a look, in a definition and in what a change adds to it. */
const softFrom = { whole: 50, added: 10 };

export function scanDefinition(definition: Definition, neighbours: Neighbours): readonly Finding[] {
  const { texts, isCut } = textsToScan(definition);
  const reader = new DefinitionReader(definition);
  const read = texts.map((text) => ({ text, readings: reader.read(text) }));
  const count = read.reduce((sum, { readings }) => sum + readings.length, 0);
  const doubt = doubtOf(count) + (subjectOf(definition, neighbours.server).isSecurity ? doubtBySubject : 0);
  const signs = [
    ...read.flatMap(({ text, readings }) => signsOf(readings, text.where, doubt)),
    ...joinedTexts(texts).flatMap((text) => signsOf(reader.read(text), text.where, doubt)),
    ...signOfWhole(read),
    ...signsByForm(definition, read, reader, neighbours),
    ...oddName(definition),
    ...shadowing(namedBy(definition), neighbours, texts),
  ];
  return weigh(signs, isCut, softFrom.whole);
}

/** Looks at what a change adds to a definition that was taken before: less is worth a look there. */
export function scanAddition(before: Definition, after: Definition, neighbours: Neighbours): readonly Finding[] {
  const texts = addedTexts(before, after);
  const reader = new DefinitionReader(before, true);
  const read = texts.map((text) => ({ text, readings: reader.read(text) }));
  const formed = (definition: Definition) => [
    ...signsByForm(definition, unread(textsToScan(definition).texts), reader, neighbours),
    ...shadowing(namedBy(definition), neighbours, textsToScan(definition).texts),
  ];
  const known = new Set(formed(before).map(({ says, where }) => `${says} ${where}`));
  const signs = [
    ...signOfAddition(read),
    ...signsByForm(after, read, reader, neighbours),
    // An addition may need the words around it, and hidden characters make no other sentence.
    ...formed(after).filter(({ says, where }) => !known.has(`${says} ${where}`)),
  ];
  return weigh(
    signs.filter(({ points }) => points > 0),
    false,
    softFrom.added,
  );
}

function unread(texts: readonly ScannedText[]): ReadText[] {
  return texts.map((text) => ({ text, readings: [] }));
}

/** Signs that have a form, whatever is said. */
function signsByForm(
  definition: Definition,
  read: readonly ReadText[],
  reader: DefinitionReader,
  neighbours: Neighbours,
): Sign[] {
  const subject = subjectOf(definition, neighbours.server);
  const { name } = namedBy(definition);
  return [
    ...read.flatMap(({ text, readings }) => [
      ...phrasesIn(text),
      ...privateData(text, subject),
      ...hiddenCharacters(text),
      ...encoded(text, subject, reader),
      ...otherServers(text, name, neighbours, readings),
    ]),
    ...joinedTexts(read.map(({ text }): ScannedText => text)).flatMap((text) => encoded(text, subject, reader)),
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
