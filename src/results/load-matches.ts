/** Where a text occurs in a kept result, as data for a program: each line or row that holds it, whole. */

import { type ByteSource, sliceSource } from './byte-source.ts';
import { findText, textMatcher } from './find-text.ts';
import { type LoadOptions, tooLarge } from './load-limit.ts';
import type { OpenResult } from './open-result.ts';
import type { PartFacts, RowsPlace } from './part-facts.ts';
import { readLines, readRows } from './read-units.ts';
import { bad, type ResultView } from './result-view.ts';
import { searchable } from './view-find.ts';

/** Characters on either side of what is found beside the rows of JSON. */
const around = 80;

/** `[{ line, text }]`, of JSON `[{ row, value }]`; with `part` where there are several. Numbers are those of the other views. */
export async function loadMatches(
  result: OpenResult,
  text: string,
  view: ResultView,
  { maxBytes }: LoadOptions,
): Promise<string> {
  if (text.includes('\n')) throw bad('"find" looks through line by line: leave line breaks out.');
  const parts = await searchable(result, view.part);
  const found: string[] = [];
  for (const { number, facts } of parts) {
    const place = { source: result.source(number, facts), facts, text, keepBytes: maxBytes };
    const add = matchList(result, found, facts, maxBytes, parts.length > 1 ? number : undefined);
    const { unit } = await result.table(number, facts);
    if (unit === 'row' && facts.json) await addRows(place, facts.json.rows, add);
    else await addLines(place, add);
  }
  return `[${found.join(',')}]`;
}

interface Place {
  readonly source: ByteSource;
  readonly facts: PartFacts;
  readonly text: string;
  readonly keepBytes: number;
}

/** Members of one match as JSON texts; undefined where it is too long to be given. */
type Add = (members: Readonly<Record<string, string>> | undefined) => void;

function matchList(
  result: OpenResult,
  found: string[],
  facts: PartFacts,
  maxBytes: number,
  part: number | undefined,
): Add {
  let bytes = found.reduce((sum, one) => sum + Buffer.byteLength(one) + 1, 2);
  return (members) => {
    const all = Object.entries(members ?? {}).map(([name, json]) => `"${name}":${json}`);
    const match = `{${[...(part === undefined ? [] : [`"part":${part}`]), ...all].join(',')}}`;
    bytes += members === undefined ? maxBytes : Buffer.byteLength(match) + 1;
    if (bytes > maxBytes)
      throw tooLarge(
        result,
        'All that holds the text takes more',
        maxBytes,
        facts,
        'Look for a longer text, or load pieces with ?lines=1-100.',
      );
    found.push(match);
  };
}

async function addLines({ source, facts, text, keepBytes }: Place, add: Add): Promise<void> {
  const holds = textMatcher(text, facts.kind === 'json' || facts.json !== null);
  for await (const line of readLines(source, 0, 1, keepBytes)) {
    if (line.text === undefined) add(undefined);
    else if (holds(line.text)) add({ line: String(line.number), text: JSON.stringify(line.text) });
  }
}

async function addRows({ source, text, keepBytes }: Place, rows: RowsPlace, add: Add): Promise<void> {
  const holds = textMatcher(text, true);
  const beside = async (from: number, to: number) => {
    const chunks = sliceSource(source, from, to).read();
    for await (const { excerpt } of findText(chunks, text, { around, isJson: true }))
      add({ row: 'null', text: JSON.stringify(excerpt) });
  };
  await beside(0, rows.start);
  await readRows(source, rows, {
    from: 1,
    to: Number.MAX_SAFE_INTEGER,
    keepBytes,
    onRow: ({ number, key, json }) => {
      if (json === undefined) add(undefined);
      else if (holds(json) || (key !== undefined && holds(key)))
        add({ row: String(number), ...(key === undefined ? {} : { key: JSON.stringify(key) }), value: json });
    },
  });
  await beside(rows.end, source.bytes);
}
