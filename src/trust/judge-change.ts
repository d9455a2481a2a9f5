/** Compares two definitions of the same thing, member by member, and says how grave the difference is. */

import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../base/json.ts';
import { addedSentences } from './added-text.ts';
import { hiddenIn } from './hidden-text.ts';
import { judgeHints } from './judge-hints.ts';
import { judgeMeta } from './judge-meta.ts';
import { judgeSchema } from './judge-schema.ts';
import { judgeTitle, judgeWording, type WordingChange } from './judge-wording.ts';
import { type Definition, type Judgement, judgementOf, type Neighbours, type Notice } from './judgement.ts';
import { isReadWhole, scanDefinition } from './scan/scan.ts';
import { isWeighty } from './speaks-to-model.ts';
import { textsOf, withTexts } from './texts.ts';

type Context = Pick<WordingChange, 'known' | 'neighbours'>;

export function judgeChange(before: Definition, after: Definition, neighbours: Neighbours): Judgement {
  if (!isReadWhole(before) || !isReadWhole(after)) return tooLong;
  const [old, now] = [textsOf(before), textsOf(after)];
  const context = { known: [...old.values()].join('\n'), neighbours };
  const members = new Set([...Object.keys(before), ...Object.keys(after)]);
  const notices = [...members].flatMap((name) => judgeMember(name, before[name], after[name], context));
  return judgementOf([...notices, ...judgeHidden(old, now), ...judgeScanned(before, after, old, now, neighbours)]);
}

/** What was not read as a whole was not judged; this also bounds what a comparison costs. */
const tooLong: Judgement = {
  grade: 'risky',
  reasons: [{ code: 'too-long', where: '', sentence: 'It is too long to be compared as a whole.' }],
};

function judgeMember(name: string, before: unknown, after: unknown, context: Context): Notice[] {
  if (isDeepStrictEqual(before, after)) return [];
  switch (name) {
    case 'description':
    case 'instructions':
      return judgeWording({ ...context, where: name, before: textOf(before), after: textOf(after) });
    case 'title':
    case 'name':
      return judgeTitle({ ...context, where: name, before: textOf(before), after: textOf(after) });
    case 'inputSchema':
      return judgeSchema('input', before, after, context);
    case 'outputSchema':
      return judgeSchema('output', before, after, context);
    case 'annotations':
      return judgeAnnotations(toObject(before), toObject(after), context);
    case '_meta':
      return judgeMeta(before, after, context);
    case 'arguments':
      return judgeArguments(before, after, context);
    default:
      return judgeOther(name, before, after, context);
  }
}

function judgeAnnotations(before: Definition, after: Definition, context: Context): Notice[] {
  const { title: oldTitle, ...old } = before;
  const { title: newTitle, ...now } = after;
  const known = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];
  const others = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((name) => !known.includes(name));
  return [
    ...judgeTitle({ ...context, where: 'annotations.title', before: textOf(oldTitle), after: textOf(newTitle) }),
    ...judgeHints(old, now),
    ...others.flatMap((name) => judgeOther(`annotations.${name}`, old[name], now[name], context)),
  ];
}

/** A prompt's arguments, which people fill in, are judged like the parameters of a tool. */
function judgeArguments(before: unknown, after: unknown, context: Context): Notice[] {
  const asSchema = (value: unknown): Definition => {
    const listed = (Array.isArray(value) ? value : []).filter(isObject);
    const required = listed.filter((item) => item.required === true).map((item) => String(item.name));
    const properties = listed.map(({ name, required: _required, ...rest }) => [String(name), rest]);
    return { type: 'object', properties: Object.fromEntries(properties), required };
  };
  return judgeSchema('input', asSchema(before), asSchema(after), context).map((notice) => ({
    ...notice,
    where: notice.where.replace(/^inputSchema\.properties/, 'arguments'),
  }));
}

/** What no agent acts on, and what tells when something last changed. */
const details = /^(?:icons|size|mimeType|annotations\.(?:lastModified|priority|audience)|version|websiteUrl)$/;

function judgeOther(where: string, before: unknown, after: unknown, context: Context): Notice[] {
  if (isDeepStrictEqual(before, after)) return [];
  const said = (value: unknown) => [...textsOf({ value }).values()].join('\n');
  const risky = judgeWording({ ...context, where, before: said(before), after: said(after) }).filter(
    ({ grade }) => grade === 'risky' && !details.test(where),
  );
  const grade = details.test(where) ? 'harmless' : 'notable';
  return [...risky, { grade, code: 'detail', where, sentence: 'It is another one.' }];
}

function judgeHidden(old: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): Notice[] {
  return [...now].flatMap(([where, text]): Notice[] => {
    const hidden = hiddenIn(text);
    if (hidden === '' || hidden === hiddenIn(old.get(where) ?? '')) return [];
    return [{ grade: 'risky', code: 'hidden-text', where, sentence: 'It holds characters that nobody sees.' }];
  });
}

/**
 * What a scan finds now and did not before, and what it finds in that alone which was added: a text that was accepted with
 * its oddities is not to be a hiding place for others of the same kind.
 */
function judgeScanned(
  before: Definition,
  after: Definition,
  old: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
  neighbours: Neighbours,
): Notice[] {
  const found = scanDefinition(after, neighbours);
  if (found.length === 0) return [];
  const known = new Set(scanDefinition(before, neighbours).map(({ code, where }) => `${code} ${where}`));
  const added = withTexts(after, (where, text) =>
    old.has(where) && now.has(where) ? addedSentences(old.get(where) ?? '', text, isWeighty).join('\n') : text,
  );
  const isNew = ({ code, where }: { code: string; where: string }) => !known.has(`${code} ${where}`);
  const changed = (where: string) => old.get(where) !== now.get(where);
  const fresh = [
    ...found.filter(isNew),
    ...scanDefinition(added, neighbours).filter((finding) => isNew(finding) || changed(finding.where)),
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
