/** Finds names that are, or look like, those of our own tools or of tools of other servers. */

import type { Neighbours } from '../judgement.ts';
import { folded } from './fold-text.ts';
import { isDistinct, type KnownNames, knownNames, type OtherTool } from './known-names.ts';
import { isSlip, nameShape } from './look-alikes.ts';
import type { Sign } from './sign.ts';
import type { ScannedText } from './texts-to-scan.ts';

/** The gateway's name: nobody else may use it. */
const gateway = 'toolcrib';
/** Own names shorter than this are too easily met by chance. */
const shortestOwn = 9;
const longestDescription = 4_000;
/** Titles with fewer words are alike by chance. */
const fewestWordsOfTitle = 3;

/** Words by which one tool takes the place of another. */
const claims =
  /\b(?:official|genuine|drop-?in|supersed\w+|successor|replacement for|replaces (?:the|all|every|any|\w+[_.])|takes? over|took over|in place of the|instead of the (?:one|tool|server|old|other)|(?:is|are|was|were) compromised|no longer (?:safe|works|maintained|supported)|needs no approval|any tool of any server)\b/;
const credential = /\b(?:passwords?|passphrase|api ?key|secret|private ?key|token|credentials?|cookie|pin)\b/;

/** Work that is the gateway's own. */
const gatewayWork =
  /\b(?:tools?|calls?) (?:of|on|from|across) (?:any|all|every) (?:connected |registered |mcp )?servers?|direct access to all (?:registered )?tools|gateway (?:administration|login|settings|approvals?|token)\b/;

export interface Named {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

export function shadowing(named: Named, neighbours: Neighbours, texts: readonly ScannedText[]): Sign[] {
  const make = (where: string, excerpt: string, found: Likeness | undefined): Sign[] =>
    found === undefined
      ? []
      : [{ code: 'shadows', kind: 'shadows', where, excerpt, points: found.points, says: found.says }];
  const claim = claims.test(folded(named.description.slice(0, longestDescription)));
  const known = knownNames(neighbours);
  return [
    ...make('name', named.name, likeOwn(named.name, neighbours) ?? likeOther(named, claim, known, neighbours, texts)),
    ...(named.title === '' ? [] : make('title', named.title, titledLike(named, claim, known, neighbours))),
    ...make('description', named.description, asGateway(named, claim, neighbours)),
  ];
}

/** Endings of successors' names. */
const later = /[_-]?(?:v?\d|new|plus|fast|secure|safe|official|pro|fixed|next|ng|improved|better|real|proxy|direct)$/i;

interface Likeness {
  readonly points: number;
  readonly says: string;
}

function likeOwn(name: string, { ownNames }: Neighbours): Likeness | undefined {
  const shape = nameShape(name);
  if (shape.includes(nameShape(gateway))) return { points: 100, says: 'It calls itself by the name of this gateway' };
  for (const own of ownNames) {
    const ownShape = nameShape(own);
    if (shape === ownShape) return { points: 100, says: `It takes the name of our own ${own}` };
    if (own.length < shortestOwn) continue;
    if (nameShape(name.replace(later, '')) === ownShape)
      return { points: 100, says: `Its name reads like a newer version of our own ${own}` };
    if (isSlip(name, own)) return { points: 100, says: `Its name is one slip away from our own ${own}` };
  }
  return undefined;
}

function likeOther(
  named: Named,
  claim: boolean,
  known: KnownNames,
  neighbours: Neighbours,
  texts: readonly ScannedText[],
): Likeness | undefined {
  const { name } = named;
  const shape = nameShape(name);
  const spelled = known.spelledWithServer(shape.replace(/^mcp/, '')) ?? known.spelledWithServer(shape);
  const isPlainLike = spelled !== undefined && /[_.:/]/.test(name);
  if (isPlainLike && nameShape(spelled.tool) !== shape)
    return { points: 100, says: `Its name is spelled like ${spelled.tool} of the server ${spelled.server}` };
  const found = known
    .alike(shape)
    .map((other) => besideOther(named, other, claim, known, texts))
    .toSorted((a, b) => b.points - a.points)[0];
  if (found !== undefined) return found;
  const base = name.replace(later, '');
  const earlier =
    base === name
      ? undefined
      : known.likeShape(nameShape(base), (tool) => isDistinct(tool) && !neighbours.siblings?.has(tool));
  if (earlier !== undefined)
    return { points: claim ? 100 : 65, says: `It is named as a later ${earlier.tool} of the server ${earlier.server}` };
  const slip = known.likeLetters(name, (tool) => isSlip(name, tool) && !neighbours.siblings?.has(tool));
  return slip && { points: 100, says: `Its name is one slip away from ${slip.tool} of the server ${slip.server}` };
}

function besideOther(
  { name }: Named,
  { server, tool }: OtherTool,
  claim: boolean,
  known: KnownNames,
  texts: readonly ScannedText[],
): Likeness {
  const of = `${tool} of the server ${server}`;
  // Another case or other separators are a matter of taste; other letters that look the same are not.
  // A plain name is nobody's copy, whichever of two was listed first.
  if (plainName(name) !== plainName(tool))
    return { points: /^[a-z]+$/.test(plainName(name)) ? 0 : 100, says: `Its name only looks like ${of}` };
  // Only the one with the mark: whoever is there first must not be able to make others look like copies.
  if (name !== tool && trimmed(name) === tool.toLowerCase() && trimmed(name) !== name.toLowerCase())
    return { points: 100, says: `Its name is ${of} with a mark before or after it` };
  if (claim) return { points: 100, says: `It has the name of ${of} and claims its place` };
  if (name === tool && known.isNamesake(server))
    return { points: 100, says: `It has the name of ${of}, and its server is called alike` };
  const asksForMore = texts.some(
    ({ role, side, text }) =>
      role === 'key' && side === 'input' && credential.test(text.toLowerCase().replace(/[_-]+/g, ' ')),
  );
  return asksForMore
    ? { points: 100, says: `It has the name of ${of} and asks for a secret` }
    : { points: 0, says: `It has the name of ${of}` };
}

function titledLike(
  { name, title }: Named,
  claim: boolean,
  known: KnownNames,
  { ownNames, siblings }: Neighbours,
): Likeness | undefined {
  const shape = nameShape(title);
  const own = [...ownNames].find((item) => nameShape(item) === shape);
  if (own !== undefined) return { points: 100, says: `It is titled like our own ${own}` };
  const isMeant = (tool: string) => tool.includes('_') && !siblings?.has(tool) && plainName(tool) !== plainName(name);
  const other = known.likeShape(shape, isMeant);
  // Any server may have a title such as "Get record".
  if (!claim && !isDistinct(title) && title.trim().split(/\s+/).length < fewestWordsOfTitle) return undefined;
  return other && { points: claim ? 100 : 65, says: `It is titled like ${other.tool} of the server ${other.server}` };
}

/** A server that is called like the gateway, or a text that speaks in its name. */
function asGateway({ description }: Named, claim: boolean, { server }: Neighbours): Likeness | undefined {
  if (nameShape(server).includes(nameShape(gateway)))
    return { points: 100, says: 'Its server is called like this gateway' };
  const said = folded(description.slice(0, longestDescription));
  if (gatewayWork.test(said)) return { points: 100, says: 'It offers what the gateway does' };
  const isNamed = folded(description.slice(0, longestDescription)).includes(gateway);
  return isNamed ? { points: claim ? 100 : 70, says: 'It speaks of this gateway' } : undefined;
}

function trimmed(name: string): string {
  return name.toLowerCase().replace(/^[_\s.-]+|[_\s.-]+$/g, '');
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[_\s.-]/g, '');
}
