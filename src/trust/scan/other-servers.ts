/** Finds texts that speak of other servers' tools, above all where they say what is to be done with them. */

import type { Neighbours } from '../judgement.ts';
import { folded } from './fold-text.ts';
import { isDistinct, type KnownNames, knownNames } from './known-names.ts';
import type { Reading } from './read-sentences.ts';
import type { Sign } from './sign.ts';
import type { ScannedText } from './texts-to-scan.ts';

/** Below this a sentence about another tool says nothing to a model. */
const neutralBelow = -4.5;
/** Words that tell what is to be done. */
const orders =
  /\b(?:always|never|must|first|before|instead|whenever|when|do not|don't|put|add|pass|send|use|call|results? of|replaces?|deprecated|unsafe|compromised)\b|请|必须|不要|してください|immer|toujours|siempre|sempre|всегда/;
/** Of a text that is longer, the rest is not searched for names. */
const longestText = 8_000;

export function otherServers(
  { where, role, text }: ScannedText,
  ownName: string,
  neighbours: Neighbours,
  readings: readonly Reading[],
): Sign[] {
  if (role === 'name' || role === 'key' || text.length < 8) return [];
  const known = knownNames(neighbours);
  const sentences = folded(text.slice(0, longestText)).split(/(?<=[.!?;])\s+|\n+/);
  return sentences.flatMap((sentence, at) => {
    const reference = referenceIn(sentence, ownName, known, neighbours);
    if (reference === undefined) return [];
    const near = readings.filter((reading) => Math.abs(reading.at - at) <= 1).map(({ score }) => score);
    const isOrder = orders.test(sentence) && !(near.length > 0 && Math.max(...near) < neutralBelow);
    const bonus = isOrder ? reference.bonus : 0;
    const says = bonus > 0 ? `It says what is to be done with ${reference.what}` : `It speaks of ${reference.what}`;
    return [
      { code: 'other-server', kind: 'other-server', points: reference.points + bonus, where, says, excerpt: sentence },
    ];
  });
}

interface Reference {
  readonly what: string;
  readonly points: number;
  /** Where an order is given. */
  readonly bonus: number;
}

const toTool = { bonus: 60 } as const;

function referenceIn(
  sentence: string,
  ownName: string,
  known: KnownNames,
  neighbours: Neighbours,
): Reference | undefined {
  const words = sentence.match(/[\p{L}\p{N}][\p{L}\p{N}_-]*/gu) ?? [];
  const isForeign = (name: string) => name !== ownName.toLowerCase() && !neighbours.siblings?.has(name);
  const server = words.find((word) => known.hasServer(word));
  if (server !== undefined) {
    const marks = ['.', ':', '/', '__', '::', ' '];
    const qualified = words.find(
      (word) => known.hasTool(server, word) && marks.some((mark) => sentence.includes(`${server}${mark}${word}`)),
    );
    if (qualified !== undefined) return { what: `${qualified} of the server ${server}`, points: 60, ...toTool };
    const tool = words.find((word) => known.hasTool(server, word) && isForeign(word));
    if (
      tool !== undefined &&
      (isDistinct(tool) || (isNamedAsServer(sentence, server) && isNamedAsTool(sentence, tool)))
    ) {
      return { what: `${tool} of the server ${server}`, points: 55, ...toTool };
    }
  }
  const own = words.find((word) => neighbours.ownNames.has(word) && isForeign(word));
  if (own !== undefined) return { what: `${own} of this gateway`, points: 50, ...toTool };
  const distinct = words.find((word) => known.ownerOf(word) !== undefined && isForeign(word));
  if (distinct !== undefined)
    return { what: `${distinct} of the server ${known.ownerOf(distinct)}`, points: 45, ...toTool };
  const spelled = known.spelledOut.find(([phrase]) => sentence.includes(phrase));
  if (spelled !== undefined && isForeign(spelled[1])) return { what: spelled[1], points: 5, bonus: 40 };
  // Accounts of one service speak of each other.
  if (server === undefined || familyOf(server) === familyOf(neighbours.server)) return undefined;
  return isNamedAsServer(sentence, server)
    ? { what: `the server ${server}`, points: 25, bonus: 40 }
    : { what: `${server}`, points: 0, bonus: 15 };
}

function familyOf(server: string): string {
  return server.toLowerCase().split(/[-_.]/, 1)[0] ?? '';
}

/** A plain word is a name where it is written as one. */
function isNamedAsTool(sentence: string, tool: string): boolean {
  return [`\`${tool}\``, `"${tool}"`, `'${tool}'`, `tool ${tool}`, `${tool} tool`].some((said) =>
    sentence.includes(said),
  );
}

function isNamedAsServer(sentence: string, server: string): boolean {
  const before = [
    'server ',
    'server "',
    'server="',
    'server `',
    'server named `',
    'server named ',
    'server called ',
    '`',
    "'",
    '"',
  ];
  const after = [' server', ' mcp', '`', '"', ' tool', "'s tool"];
  return (
    before.some((mark) => sentence.includes(mark + server)) || after.some((mark) => sentence.includes(server + mark))
  );
}
