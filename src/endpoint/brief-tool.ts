/** Tools of an answer in a few words each, with less room the further behind they stand, so that ten stay short together. */

import { firstSentence } from '../base/text.ts';
import { signatureOf } from '../caller/caller.ts';
import type { Entry } from '../catalog/catalog.ts';

export interface BriefWish extends Pick<Entry, 'definition'> {
  /** Among the tools for the same need; 0 is the best. */
  readonly place: number;
  /** Of all else that is said of the tool. */
  readonly otherBytes: number;
}

interface Brief {
  readonly description: string;
  readonly parameters: string;
}

/** Characters. */
interface Room {
  /** The places that it is for end before this one. */
  readonly upTo: number;
  readonly sentence: number;
  readonly parameters: number;
}

/** Mostly the first is called, nearly always one of the first three; the others need only be recognized. */
const plans: readonly (readonly Room[])[] = [
  [
    { upTo: 1, sentence: 140, parameters: 240 },
    { upTo: 3, sentence: 90, parameters: 80 },
    { upTo: Number.POSITIVE_INFINITY, sentence: 60, parameters: 40 },
  ],
  [
    { upTo: 1, sentence: 90, parameters: 120 },
    { upTo: 3, sentence: 60, parameters: 60 },
    { upTo: Number.POSITIVE_INFINITY, sentence: 45, parameters: 30 },
  ],
  [
    { upTo: 1, sentence: 60, parameters: 60 },
    { upTo: Number.POSITIVE_INFINITY, sentence: 35, parameters: 25 },
  ],
];

/** What a tool may take in the mean; about 64 tokens, since what describes tools has four bytes a token or a little less. */
const bytesOfEach = 250;

/** By the first plan that keeps them short enough, else by the last. */
export function briefTools(wishes: readonly BriefWish[]): Brief[] {
  const most = bytesOfEach * wishes.length - wishes.reduce((sum, { otherBytes }) => sum + otherBytes, 0);
  let briefs: Brief[] = [];
  for (const rooms of plans) {
    briefs = wishes.map((wish) => briefIn(rooms, wish));
    const bytes = briefs.reduce(
      (sum, { description, parameters }) => sum + bytesOf(description) + bytesOf(parameters),
      0,
    );
    if (bytes <= most) break;
  }
  return briefs;
}

function briefIn(rooms: readonly Room[], { definition, place }: BriefWish): Brief {
  const room = rooms.find(({ upTo }) => place < upTo) as Room; // the last has no end
  const text = typeof definition.description === 'string' ? definition.description : '';
  return {
    description: firstSentence(text, room.sentence),
    parameters: signatureOf(definition.inputSchema, room.parameters),
  };
}

/** Not characters: those of other scripts take more tokens. */
function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}
