/** Every text of a definition with the part it plays, up to a limit: nothing that a model may read is left out. */

import { isObject } from '../../base/json.ts';
import type { Definition } from '../judgement.ts';

/** Prose explains; a choice or a sample is a value, where nobody expects sentences; a key names a member. */
export type Role = 'name' | 'title' | 'prose' | 'key' | 'choice' | 'sample' | 'meta';

export interface ScannedText {
  /** A path such as `inputSchema.properties.path.description`. */
  readonly where: string;
  readonly role: Role;
  /** Which side of a call it speaks of. */
  readonly side: 'input' | 'output' | 'tool';
  readonly text: string;
  /** The parameter that it belongs to. */
  readonly owner: string | undefined;
}

export interface ScannedTexts {
  readonly texts: readonly ScannedText[];
  readonly isCut: boolean;
}

/** Texts of one definition that are looked at. */
export const maxTexts = 1_200;
/** Characters of one definition that are looked at: far more than any model is given to read about one tool. */
export const maxChars = 64 * 1_024;
/** Of a text that is too long, its end is looked at as well: that is where something is put to be overlooked. */
const tailShare = 0.25;

/** Deeper down nothing is looked for. */
const maxDepth = 48;

interface Place {
  readonly depth: number;
  readonly where: string;
  readonly role: Role;
  readonly side: ScannedText['side'];
  readonly owner: string | undefined;
  /** The members of this object are named by the author. */
  readonly holdsNames: boolean;
}

const roleOfMember: Readonly<Record<string, Role>> = {
  name: 'name',
  title: 'title',
  description: 'prose',
  instructions: 'prose',
  $comment: 'prose',
  enum: 'choice',
  const: 'choice',
  pattern: 'choice',
  format: 'choice',
  type: 'choice',
  required: 'choice',
  default: 'sample',
  example: 'sample',
  examples: 'sample',
  annotations: 'meta',
  _meta: 'meta',
  icons: 'meta',
};
const namedByAuthor = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', '_meta']);

/** Level by level, so that what matters most is read before anything can use up the limit. */
export function textsToScan(definition: Definition): ScannedTexts {
  const texts: ScannedText[] = [];
  const waiting: { value: unknown; place: Place }[] = [];
  const room = { chars: maxChars, isCut: false };
  for (const [name, value] of Object.entries(definition)) waiting.push({ value, place: placeOf(name) });
  for (let at = 0; at < waiting.length; at += 1) {
    const { value, place } = waiting[at] ?? { value: undefined, place: placeOf('') };
    if (texts.length >= maxTexts) return { texts, isCut: true };
    if (typeof value === 'string') keep(value, place, texts, room);
    else if (typeof value === 'object' && value !== null) open(value, place, waiting, texts, room);
    if (waiting.length > 4 * maxTexts) return { texts: [...texts, ...restOf(waiting, at + 1, room)], isCut: true };
  }
  return { texts, isCut: room.isCut };
}

function placeOf(name: string): Place {
  const side = name === 'inputSchema' || name === 'arguments' ? 'input' : name === 'outputSchema' ? 'output' : 'tool';
  const role = roleOfMember[name] ?? (side === 'tool' ? 'meta' : 'choice');
  return { depth: 0, where: name, role, side, owner: undefined, holdsNames: namedByAuthor.has(name) };
}

/** Of a picture only so much is looked at: it is long by nature, and no model reads it. */
const pictureChars = 1_024;

function isPicture(where: string, text: string): boolean {
  return /^icons\.\d+\.src$/.test(where) && /^data:image\/[a-z.+-]{1,20};base64,[A-Za-z0-9+/]*={0,2}$/.test(text);
}

interface Room {
  chars: number;
  isCut: boolean;
}

function keep(whole: string, { where, role, side, owner }: Place, texts: ScannedText[], room: Room): void {
  if (whole === '') return;
  const text = isPicture(where, whole) ? whole.slice(0, pictureChars) : whole;
  const most = room.chars;
  const fits = text.length <= most;
  if (!fits) room.isCut = true;
  if (most === 0) return;
  const tail = Math.floor(most * tailShare);
  const part = fits ? text : `${text.slice(0, most - tail)}\n${text.slice(text.length - tail)}`;
  room.chars -= Math.min(text.length, most);
  texts.push({ where, role, side, owner, text: part });
}

function open(
  value: object,
  place: Place,
  waiting: { value: unknown; place: Place }[],
  texts: ScannedText[],
  room: Room,
): void {
  if (place.depth >= maxDepth) {
    room.isCut = true;
    return;
  }
  if (Array.isArray(value)) {
    for (const [at, item] of value.slice(0, maxTexts).entries()) {
      waiting.push({ value: item, place: { ...place, depth: place.depth + 1, where: `${place.where}.${at}` } });
    }
    if (value.length > maxTexts) room.isCut = true;
    return;
  }
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    const inside = insideOf(place, name);
    if (place.holdsNames || roleOfMember[name] === undefined) keep(name, { ...inside, role: 'key' }, texts, room);
    waiting.push({ value: value[name], place: inside });
  }
}

function insideOf(place: Place, name: string): Place {
  const where = `${place.where}.${name}`;
  if (place.holdsNames) {
    const isMeta = place.role === 'meta';
    return {
      ...place,
      depth: place.depth + 1,
      where,
      owner: isMeta ? place.owner : name,
      role: isMeta ? 'meta' : 'choice',
      holdsNames: false,
    };
  }
  const isValue = place.role === 'sample' || place.role === 'meta';
  const known = Object.hasOwn(roleOfMember, name) ? roleOfMember[name] : undefined;
  // A `title` in annotations is a title; a member of a sample is a part of the sample.
  const role = known !== undefined && place.role !== 'sample' ? known : isValue ? place.role : 'choice';
  return { ...place, depth: place.depth + 1, where, role, holdsNames: !isValue && namedByAuthor.has(name) };
}

/** Texts that were already found when there were too many places to go on. */
function restOf(waiting: readonly { value: unknown; place: Place }[], from: number, room: Room): ScannedText[] {
  const texts: ScannedText[] = [];
  for (const { value, place } of waiting.slice(from, from + maxTexts)) {
    if (typeof value === 'string') keep(value, place, texts, room);
  }
  return texts;
}
