/** The index finds tools like another one, by meaning and by words, among those that the filter lets through. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ModelKind, openTable, textOfTool } from '../../meaning/meaning.ts';
import { type SearchDocument, ToolIndex } from '../search.ts';
import type { AlikeRequest } from './likeness.ts';

const documents: readonly SearchDocument[] = [
  documentOf('a:read_file', 'Reads the text of a file on disk.'),
  documentOf('b:open_document', 'Shows what a document on the hard drive holds.'),
  documentOf('c:read_file', 'Reads the text of a file on disk.'),
  documentOf('d:send_mail', 'Sends a letter to somebody.'),
];

function documentOf(key: string, description: string): SearchDocument {
  const [server = '', name = ''] = key.split(':');
  return { key, server, serverText: '', name, description, parameters: [] };
}

function indexOf(kind: ModelKind = 'table', lacking: readonly string[] = []): ToolIndex {
  const index = ToolIndex.build(documents);
  const table = openTable();
  index.resetVectors({ kind, width: table.width });
  for (const document of documents) {
    const vector = lacking.includes(document.key) ? null : table.vectorOf(textOfTool(document));
    if (vector) index.setVector(document.key, vector);
  }
  return index;
}

function question(more: Partial<AlikeRequest> = {}): AlikeRequest {
  const text = 'read_file Reads the text of a file on disk.';
  return { key: 'a:read_file', text, isByMeaning: true, limit: 10, filter: () => true, ...more };
}

test('the same tool elsewhere has all the words and nearly the meaning, and the tool itself is not among them', () => {
  const found = new Map(
    indexOf()
      .alike(question())
      .map((alike) => [alike.key, alike]),
  );
  assert.ok(!found.has('a:read_file'));
  const [twin, relative] = [found.get('c:read_file'), found.get('b:open_document')];
  assert.equal(twin?.words, 1);
  assert.ok(Number(twin?.meaning) > 0.85);
  assert.ok(Number(relative?.meaning) > Number(found.get('d:send_mail')?.meaning ?? 0));
  assert.ok(Number(relative?.words) < 0.5);
});

test('filtered tools are not found, and the limit is for each kind of likeness', () => {
  assert.ok(
    !indexOf()
      .alike(question({ filter: (key) => key !== 'c:read_file' }))
      .some(({ key }) => key === 'c:read_file'),
  );
  assert.deepEqual(
    indexOf()
      .alike(question({ limit: 1 }))
      .map(({ key }) => key),
    ['c:read_file'],
  );
});

test('without a vector, or with those of a service whose scale nobody knows, words decide', () => {
  const twinIn = (index: ToolIndex, more?: Partial<AlikeRequest>) =>
    index.alike(question(more)).find(({ key }) => key === 'c:read_file');
  assert.deepEqual(twinIn(indexOf('table', ['c:read_file'])), { key: 'c:read_file', meaning: null, words: 1 });
  assert.equal(twinIn(indexOf('table', ['a:read_file']))?.meaning, null);
  assert.equal(twinIn(indexOf('service'))?.meaning, null);
  assert.equal(twinIn(indexOf(), { isByMeaning: false })?.meaning, null);
});

test('a tool that is not in the index has nothing like it', () => {
  assert.deepEqual(indexOf().alike(question({ key: 'gone:tool' })), []);
  assert.deepEqual(ToolIndex.build([]).alike(question()), []);
});
