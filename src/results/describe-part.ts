/** One part of a result in words, for headers and overviews. */

import { printable } from '../base/text.ts';
import { pathOfKeys } from './json-path.ts';
import { counted, type JsonOutline, type PartFacts, sizeText } from './part-facts.ts';

/** Names that are shown, and characters of each. */
const namesTold = 12;
const nameChars = 40;

export function describePart(facts: PartFacts, names = namesTold): string {
  const size = sizeText(facts.bytes);
  const name = facts.name === null ? '' : ` ${short(facts.name, 80)}`;
  const blocks = facts.blocks > 1 ? ` from ${counted(facts.blocks, 'content block')}` : '';
  if (facts.kind === 'binary') return `${short(facts.mimeType, 60)}${name}, ${size}.`;
  const kind = facts.kind === 'json' ? 'JSON' : facts.json ? 'JSON as text' : 'text';
  const lines = facts.kind === 'text' && facts.lines !== null ? `, ${counted(facts.lines, 'line')}` : '';
  const same = facts.isCopy ? ', which says the same' : '';
  // A cursor beside the copy is worth knowing of.
  const isTold = facts.json && (!facts.isCopy || facts.json.keyCount > 1);
  return `${kind}${name}, ${size}${same}${lines}${blocks}${isTold ? describeJson(facts.json, names) : ''}.`;
}

function describeJson({ kind, keys, keyCount, rows }: JsonOutline, names: number): string {
  const what = rows.kind === 'array' ? 'row' : 'member';
  const where = rows.keys.length === 0 ? '' : ` at ${short(pathOfKeys(rows.keys), 80)}`;
  const list = `, ${counted(rows.count, what)}${where}`;
  if (kind === 'array' || names === 0) return list;
  const told = keys.slice(0, names).map((key) => short(key, nameChars));
  const more = keyCount > told.length ? ` and ${keyCount - told.length} more` : '';
  return `${list}; keys: ${told.join(', ')}${more}`;
}

/** Words of a server, on one line and not too many. */
function short(text: string, limit: number): string {
  const line = printable(text).toWellFormed();
  return line.length <= limit ? line : `${line.slice(0, limit - 1).toWellFormed()}…`;
}
