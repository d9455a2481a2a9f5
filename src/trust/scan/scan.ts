/** Looks at one definition for what a poisoned one has: the reader decides, and rules find what has a form. */

import type { Definition, Finding, Neighbours } from '../judgement.ts';
import { encoded } from './encoded.ts';
import { hiddenCharacters } from './hidden-characters.ts';
import { joinedTexts } from './joined-texts.ts';
import { oddName } from './odd-names.ts';
import { otherServers } from './other-servers.ts';
import { phrasesIn } from './phrases.ts';
import { privateData } from './private-data.ts';
import { DefinitionReader, doubtOf, signOfWhole, signsOf } from './read-sentences.ts';
import { shadowing } from './shadowing.ts';
import { textsToScan } from './texts-to-scan.ts';
import { subjectOf } from './tool-subject.ts';
import { weigh } from './weigh.ts';

/** Tools that are about attacks and secrets are harder to read. */
const doubtBySubject = 0.7;

export function scanDefinition(definition: Definition, neighbours: Neighbours): readonly Finding[] {
  return scan(definition, neighbours, whole);
}

/** Of a definition that was taken before, `added` has only what is new: less is worth a look there. */
export function scanAddition(added: Definition, neighbours: Neighbours): readonly Finding[] {
  return scan(added, neighbours, addition);
}

interface Measure {
  /** The first sentence says what a tool is for, and no other tells how to read it: it must be odder than the rest. */
  readonly doubtOfFirst: number;
  /** The least verdict about all of it that is a sign. */
  readonly wholeFrom: number;
  /** The points from which on something is worth a look. */
  readonly softFrom: number;
}

const whole: Measure = { doubtOfFirst: 1.2, wholeFrom: 2.5, softFrom: 50 };
const addition: Measure = { doubtOfFirst: 0, wholeFrom: -1.5, softFrom: 10 };

function scan(definition: Definition, neighbours: Neighbours, measure: Measure): readonly Finding[] {
  const { texts, isCut } = textsToScan(definition);
  const subject = subjectOf(definition, neighbours.server);
  const reader = new DefinitionReader(definition);
  const named = {
    name: textOf(definition.name),
    title: textOf(definition.title),
    description: textOf(definition.description),
  };
  const read = texts.map((text) => ({ text, readings: reader.read(text) }));
  const doubt =
    doubtOf(read.reduce((sum, { readings }) => sum + readings.length, 0)) + (subject.isSecurity ? doubtBySubject : 0);
  const signals = read.flatMap(({ text, readings }) => [
    ...signsOf(readings, text.where, doubt, measure.doubtOfFirst),
    ...phrasesIn(text, subject),
    ...privateData(text, subject),
    ...hiddenCharacters(text),
    ...encoded(text, subject, reader),
    ...otherServers(text, named.name, neighbours, readings),
  ]);
  const joined = joinedTexts(texts).flatMap((text) => [
    ...signsOf(reader.read(text), text.where, doubt),
    ...phrasesIn(text, subject),
    ...encoded(text, subject, reader),
  ]);
  const all = [
    ...signals,
    ...joined,
    ...signOfWhole(read, measure.wholeFrom),
    ...oddName(definition),
    ...shadowing(named, neighbours, texts),
  ];
  return weigh(all, isCut, measure.softFrom);
}

/** True if a scan reads all of a definition; a longer one cannot be judged by its words. */
export function isReadWhole(definition: Definition): boolean {
  return !textsToScan(definition).isCut;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
