/** Looks at one definition for what a poisoned one has. */

import type { Definition, Finding, Neighbours } from '../judgement.ts';
import { encoded } from './encoded.ts';
import { SentenceReader } from './find-concepts.ts';
import { hiddenCharacters } from './hidden-characters.ts';
import { instructions } from './instructions.ts';
import { joinedTexts } from './joined-texts.ts';
import { oddName } from './odd-names.ts';
import { otherServers } from './other-servers.ts';
import { outOfPlace } from './out-of-place.ts';
import { privateParameters } from './private-parameters.ts';
import { purposeOf } from './purpose.ts';
import { areSure, creditOf, doubtOf, readingsOf, signsOf } from './read-sentences.ts';
import { shadowing } from './shadowing.ts';
import { textsToScan } from './texts-to-scan.ts';
import { wantedAssets } from './wanted-assets.ts';
import { hardFrom, weigh } from './weigh.ts';

/** A sentence of so many points counts whatever the readers make of it. */
const plainFrom = 75;
/** Whose trade is to speak of attacks is harder to read. */
const doubtByTrade = 1;

export function scanDefinition(definition: Definition, neighbours: Neighbours): readonly Finding[] {
  const { texts, isCut } = textsToScan(definition);
  const reader = new SentenceReader();
  const context = { purpose: purposeOf(definition, neighbours.server, reader), reader };
  const named = {
    name: textOf(definition.name),
    title: textOf(definition.title),
    description: textOf(definition.description),
  };
  const read = texts.map((text) => ({ text, readings: readingsOf(text) }));
  const count = read.reduce((sum, { readings }) => sum + readings.length, 0);
  const doubt = doubtOf(count) + (context.purpose.isSecurity ? doubtByTrade : 0);
  const signals = read.flatMap(({ text, readings }) => {
    const said = instructions(text, context);
    const asked = [
      ...outOfPlace(text, context),
      ...privateParameters(text, context),
      ...wantedAssets(text, context.purpose),
    ];
    // What is plain needs no second opinion, nor does a parameter that seems made to take what is private.
    const isPlain =
      said.some(({ points }) => points >= plainFrom) ||
      (asked.some(({ points }) => points >= hardFrom) && !areSure(readings));
    const credit = isPlain ? 1 : creditOf(readings, doubt);
    return [
      ...[...said, ...asked].map((signal) => ({ ...signal, points: signal.points * credit })),
      ...signsOf(readings, text.where, doubt),
      ...hiddenCharacters(text),
      ...encoded(text, context),
      ...otherServers(text, named.name, neighbours, context),
    ];
  });
  const joined = joinedTexts(texts).flatMap((text) => [...instructions(text, context), ...encoded(text, context)]);
  const chars = texts.reduce((sum, { text }) => sum + text.length, 0);
  return weigh([...signals, ...joined, ...oddName(definition), ...shadowing(named, neighbours, texts)], chars, isCut);
}

/** Whether a scan looks at all of a definition; one that is longer cannot be judged by its words. */
export function isReadWhole(definition: Definition): boolean {
  return !textsToScan(definition).isCut;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
