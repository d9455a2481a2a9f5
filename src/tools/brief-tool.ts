/** Tools of an answer in a few words each, with less room the further behind they stand, so that ten stay short together. */

import { signatureOf } from '../arguments/arguments.ts';
import { firstSentence, givenText } from '../base/text.ts';
import type { Entry } from '../catalog/catalog.ts';

export interface BriefRequest extends Pick<Entry, 'definition'> {
  /** Among the tools for the same need; 0 is the best. */
  readonly rank: number;
  /** All else that is said of the tool. */
  readonly other: string;
}

interface Brief {
  readonly description: string;
  readonly parameters: string;
}

/** Characters. */
interface Room {
  /** The ranks that it is for end before this one. */
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

/** Letters that a tool may take on average: about 64 tokens. */
const lettersOfEach = 240;

/** By the first plan that keeps them short enough, else by the last. */
export function briefTools(requests: readonly BriefRequest[]): Brief[] {
  const most = lettersOfEach * requests.length - requests.reduce((sum, { other }) => sum + lettersIn(other), 0);
  let briefs: Brief[] = [];
  for (const rooms of plans) {
    briefs = requests.map((request) => briefIn(rooms, request));
    const letters = briefs.reduce(
      (sum, { description, parameters }) => sum + lettersIn(description) + lettersIn(parameters),
      0,
    );
    if (letters <= most) break;
  }
  return briefs;
}

function briefIn(rooms: readonly Room[], { definition, rank }: BriefRequest): Brief {
  const room = rooms.find(({ upTo }) => rank < upTo) as Room; // the last has no end
  const text = givenText(definition.description);
  return {
    description: firstSentence(text, charactersIn(room.sentence, text)),
    parameters: signatureOf(definition.inputSchema, charactersIn(room.parameters, longestOf(definition.inputSchema))),
  };
}

/** So dear, in letters of ours, a character of another alphabet may be before fewer of them have room. */
const usualWeight = 2;

/** Characters of a text that fit into the room for `room` of ours. */
function charactersIn(room: number, text: string): number {
  const sample = text.slice(0, room);
  const weight = lettersIn(sample) / Math.max(1, sample.length);
  return weight <= usualWeight ? room : Math.ceil((room * usualWeight) / weight);
}

function longestOf(inputSchema: unknown): string {
  return signatureOf(inputSchema, plans[0]?.[0]?.parameters);
}

/** As many letters of ours as take about as many tokens as a text of any script. */
function lettersIn(text: string): number {
  let letters = 0;
  for (const character of text) letters += weightOf(character.codePointAt(0) as number);
  return letters;
}

/** Tokens of a character, times four: half a token in other alphabets, one in Chinese, Japanese and Korean, two in other scripts, three for a picture. */
function weightOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  if (code > 0xffff) return 12;
  return code >= 0x2e80 && code <= 0xd7ff && !(code >= 0xa000 && code < 0xac00) ? 4 : 8;
}
