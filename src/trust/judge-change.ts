/** Compares two definitions of the same thing, and grades the change by its effect, not by its wording. */

import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../base/json.ts';
import { addedSentences, plain, splitSentences } from './added-text.ts';
import { type Deed, deedsDone } from './deeds.ts';
import { judgeHints } from './judge-hints.ts';
import { judgeParameters } from './judge-parameters.ts';
import { judgeDeeds, judgeDestinations, judgeReader, judgeWants } from './judge-texts.ts';
import { type Definition, type Judgement, judgementOf, type Neighbours, type Notice } from './judgement.ts';
import { parameterWords } from './parameters.ts';
import { isReadWhole, scanDefinition } from './scan/scan.ts';
import { textsOf, withTexts } from './texts.ts';

export function judgeChange(before: Definition, after: Definition, neighbours: Neighbours): Judgement {
  if (!isReadWhole(before) || !isReadWhole(after)) return tooLong;
  const [old, now] = [textsOf(before), textsOf(after)];
  // Names as they are and in words: a parameter `targetPath` speaks of paths.
  const known = [...old]
    .map(([where, text]) => (where.endsWith('~') ? `${text} ${parameterWords(text)}` : text))
    .join('\n');
  const members = new Set([...Object.keys(before), ...Object.keys(after)]);
  return judgementOf([
    ...[...members].flatMap((name) => describeMember(name, before[name], after[name])),
    ...judgeHints(toObject(before.annotations), toObject(after.annotations), doneBy(after)),
    ...judgeParameters(before, after, known),
    ...judgeTexts(old, now, known, doneBy(before)),
    ...(isReader(before)
      ? judgeReader({
          where: 'description',
          before: textOf(before.description),
          after: textOf(after.description),
          known,
        })
      : []),
    ...judgeScanned(before, after, old, now, neighbours),
  ]);
}

/** A definition too long to read whole cannot be judged; this also bounds the cost. */
const tooLong: Judgement = {
  grade: 'risky',
  reasons: [{ code: 'too-long', where: '', sentence: 'It is too long to be compared as a whole.' }],
};

/** Members that no agent acts on, and marks of the last change. */
const details = /^(?:icons|size|mimeType|version|websiteUrl|execution)$/;
const schemas = new Set(['inputSchema', 'outputSchema', 'arguments']);

/** Reports that a member changed; the owner can read how. */
function describeMember(name: string, before: unknown, after: unknown): Notice[] {
  if (isDeepStrictEqual(before, after) || name === 'annotations') return [];
  if (schemas.has(name))
    return name === 'outputSchema'
      ? [{ grade: 'notable', code: 'output', where: name, sentence: 'Its output schema changed.' }]
      : [{ grade: 'notable', code: 'parameter', where: name, sentence: 'Its parameters changed.' }];
  if (typeof before !== 'string' && typeof after !== 'string')
    return [
      {
        grade: details.test(name) ? 'harmless' : 'notable',
        code: 'detail',
        where: name,
        sentence: 'It changed.',
      },
    ];
  const isSlight = plain(textOf(before)) === plain(textOf(after)) || details.test(name);
  return [{ grade: isSlight ? 'harmless' : 'notable', code: 'wording', where: name, sentence: 'Its wording changed.' }];
}

const reads =
  /^(?:get|list|read|find|search|show|fetch|view|look|describe|count|return|check|download|explain|inspect|query|retrieve|compare|summar|display|enumerate|report|preview|scan|audit)/i;

/** True if a tool says that it reads, by a hint, its name or the first word of its description. */
function isReader(definition: Definition): boolean {
  const { name, description, annotations } = definition;
  return (
    doneBy(definition).size === 0 &&
    (toObject(annotations).readOnlyHint === true || reads.test(textOf(name)) || reads.test(textOf(description)))
  );
}

/** By its name, its title and its first sentence: further ones speak of other tools, and so does one that begins with reading. */
function doneBy({ name, title, description, annotations }: Definition): ReadonlySet<Deed> {
  const [first = ''] = splitSentences(textOf(description))
    .slice(0, 1)
    .filter((sentence) => !reads.test(sentence));
  return deedsDone(
    [parameterWords(textOf(name)), textOf(title), textOf(toObject(annotations).title), first].join('\n'),
  );
}

/** Texts that say what a tool is: a deed counts here; where something goes counts in all of them. */
const ofTheTool = /^(?:title|description|annotations\.title)$/;
/** Pictures and names of members lead nowhere, examples stand for any. */
const elsewhere = /^icons\b|~$|\$schema$|\$id$|Schema\..*\.(?:default|examples?|enum|const|pattern|format)(?:\.|$)/;

function judgeTexts(
  old: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
  known: string,
  done: ReadonlySet<Deed>,
): Notice[] {
  return [...now].flatMap(([where, after]): Notice[] => {
    const before = old.get(where) ?? '';
    if (before === after || elsewhere.test(where)) return [];
    const change = { where, before, after, known };
    const isMeta = where.startsWith('_meta');
    return [
      ...(ofTheTool.test(where) && (before !== '' || where !== 'description') ? judgeDeeds(change, done) : []),
      ...(isMeta ? judgeMeta(change) : [...judgeDestinations(change), ...judgeWants(change)]),
    ];
  });
}

/** Programs act on addresses and on leave that is given in `_meta`. */
function judgeMeta({
  where,
  after,
  known,
}: {
  readonly where: string;
  readonly after: string;
  readonly known: string;
}): Notice[] {
  const host = /\b(?:https?|wss?):\/\/([^/?#\s'"]+)/i.exec(after)?.[1];
  if (host === undefined || known.includes(host)) return [];
  return [{ grade: 'risky', code: 'meta', where, sentence: 'It names a new address to programs.' }];
}

/** A sentence that only says where to read on. */
const link = /^(?:see|more|docs|documentation|learn more|read more|reference)\b.{0,40}https?:\/\/\S+.{0,60}$/i;

/**
 * New findings, and findings in the added text alone: an accepted text with oddities must not hide more of the same
 * kind. Soft findings, only worth a look at first sight, wait here.
 */
function judgeScanned(
  before: Definition,
  after: Definition,
  old: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
  neighbours: Neighbours,
): Notice[] {
  const found = scanDefinition(after, neighbours);
  const known = new Set(scanDefinition(before, neighbours).map(({ code, where }) => `${code} ${where}`));
  const added = withTexts(after, (where, text) =>
    old.has(where) && now.has(where)
      ? addedSentences(old.get(where) ?? '', text)
          .filter((sentence) => !link.test(sentence))
          .join('\n')
      : text,
  );
  const isNew = ({ code, where }: { code: string; where: string }) => !known.has(`${code} ${where}`);
  const changed = (where: string) => old.get(where) !== now.get(where);
  const fresh = [
    ...found.filter(isNew),
    ...scanDefinition({ ...added, name: after.name }, neighbours).filter((finding) => changed(finding.where)),
  ];
  const byPlace = new Map(fresh.map((finding) => [`${finding.code} ${finding.where}`, finding]));
  return [...byPlace.values()].map(({ code, where, sentence }) => ({ grade: 'risky', code, where, sentence }));
}

function toObject(value: unknown): Definition {
  return isObject(value) ? value : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
