/** The index finds tools by words, by meaning and by both, and shows nothing that it must not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { plainQuestions } from '../../test/kit/plain-questions.ts';
import { openTable, partsOf, textOfTool, toVector, type Vector } from '../meaning/meaning.ts';
import type { SearchDocument } from './document.ts';
import type { Hit, PastUse, PreparedQuery, SearchOptions } from './hit.ts';
import { localModes } from './hit.ts';
import { ToolIndex } from './tool-index.ts';

const table = openTable();

const crib = [
  tool('files:read_file', 'Reads a file from disk.'),
  tool('files:delete_file', 'Removes a file from disk for good.'),
  tool('weather:forecast', 'Rain, sun and temperature of the coming days.'),
  tool('mail:send', 'Sends a letter to somebody.'),
  tool('calendar:add_event', 'Puts an event into the calendar.'),
  tool('chat:post', 'Writes to a channel of the team.'),
  tool('shop:create_invoice', 'Asks a customer for money.'),
  tool('maps:route', 'The way from one place to another.'),
];

test('a tool that shares no word with the query is found by its meaning', () => {
  const index = indexOf(crib);
  const question = ask('will I need an umbrella tomorrow');
  assert.deepEqual(index.search([question], { limit: 3, mode: 'bm25' }), []);
  for (const mode of ['semantic', 'hybrid'] as const)
    assert.equal(index.search([question], { limit: 3, mode })[0]?.key, 'weather:forecast', mode);
});

test('each mode says what it compared and nothing else', () => {
  const index = indexOf(crib);
  const best = (mode: SearchOptions['mode']) => index.search([ask('delete a file')], { limit: 1, mode })[0];
  const [words, meaning, both] = [best('bm25'), best('semantic'), best('hybrid')];
  for (const hit of [words, meaning, both]) assert.equal(hit?.key, 'files:delete_file');
  assert.deepEqual([words?.explanation.words, words?.explanation.meaning], [['delete', 'file'], null]);
  for (const hit of [words, meaning, both]) assert.deepEqual(hit?.explanation.similar, []);
  assert.equal(words?.explanation.lexical, 1);
  assert.deepEqual(
    [meaning?.explanation.words, meaning?.explanation.lexical, meaning?.explanation.coverage],
    [[], null, null],
  );
  assert.ok((meaning?.explanation.meaning ?? 0) > 0.3);
  assert.deepEqual(both?.explanation.words, ['delete', 'file']);
  assert.equal(both?.explanation.meaning, meaning?.explanation.meaning);
  assert.equal(index.search([ask('delete a file')], { limit: 1 })[0]?.score, both?.score, 'hybrid is the default');
});

test('the tool whose name is the query comes first in every mode, and the answer says why', () => {
  const index = indexOf([...crib, tool('files:event_add', 'Adds an event to the calendar, adds an event.')]);
  for (const mode of localModes) {
    const [first, second] = index.search([ask('AddEvent')], { limit: 2, mode });
    assert.deepEqual([first?.key, first?.explanation.isNamed], ['calendar:add_event', true], mode);
    assert.equal(second?.explanation.isNamed ?? false, false);
    assert.ok((first?.relevance ?? 0) >= 0.95);
  }
  const others = index.search([ask('add event')], { limit: 9, filter: (key) => key !== 'calendar:add_event' });
  assert.ok(others.every(({ explanation }) => !explanation.isNamed));
});

test('tools whose vectors are not made yet are taken at their words, less a little', () => {
  const index = ToolIndex.build(crib);
  index.resetVectors(table);
  const question = ask('delete a file');
  const byWords = index.search([question], { limit: 9, mode: 'bm25' });
  assert.deepEqual(keysOf(index.search([question], { limit: 9 })), keysOf(byWords));
  assert.deepEqual(index.search([question], { limit: 9, mode: 'semantic' }), []);
  setVectors(index, crib.slice(2));
  const [first] = index.search([question], { limit: 9 });
  assert.equal(first?.key, 'files:delete_file');
  assert.deepEqual([first?.explanation.meaning, first?.explanation.lexical], [null, 1]);
  assert.ok((first?.score ?? 0) < 1 && (first?.score ?? 0) > 0.5, `${first?.score}`);
});

test('of two tools with the same words the one whose meaning is known to fit comes first', () => {
  const pair = ['a:read_file', 'b:read_file'].map((key) => tool(key, 'Reads a file from disk.'));
  const first = (known: readonly SearchDocument[]) => {
    const index = ToolIndex.build([...pair, ...crib.slice(1)]);
    index.resetVectors(table);
    setVectors(index, known);
    return index.search([ask('read a file')], { limit: 1 })[0]?.key;
  };
  assert.equal(first(pair.slice(1)), 'b:read_file');
  assert.equal(first(pair.slice(0, 1)), 'a:read_file');
});

test('without a model and without vectors of the question a search goes by words', () => {
  const bare = ToolIndex.build(crib);
  const question = ask('delete a file');
  const byWords = bare.search([question], { limit: 9, mode: 'bm25' });
  assert.deepEqual(bare.search([question], { limit: 9 }), byWords);
  assert.deepEqual(indexOf(crib).search(plainQuestions('delete a file'), { limit: 9 }), byWords);
  assert.deepEqual(indexOf(crib).search(plainQuestions('delete a file'), { limit: 9, mode: 'semantic' }), []);
});

test('forgetting all vectors leaves the words', () => {
  const index = indexOf(crib);
  index.resetVectors({ kind: 'table', width: 64 });
  assert.deepEqual(index.search([ask('umbrella')], { limit: 3, mode: 'semantic' }), []);
  assert.equal(index.search(plainQuestions('delete file'), { limit: 1 })[0]?.key, 'files:delete_file');
});

test('a long query is also looked for sentence by sentence', () => {
  const index = indexOf(crib);
  const story =
    'My aunt is coming with her dog and three suitcases. Send her a letter. Then find the way to the station.';
  assert.ok(partsOf(story).length > 1);
  const found = keysOf(index.search([ask(story)], { limit: 3 }));
  assert.ok(found.includes('mail:send') && found.includes('maps:route'), found.join());
});

test('a tool that answers one sentence in full comes before one that has a little of every sentence', () => {
  const index = ToolIndex.build([
    tool('x:bravo', 'Copper kettle, silver teapot, marble.'),
    tool('y:kilo', 'Copper kettle with a broken spout.'),
    tool('z:oscar', 'Silver teapot on a marble table.'),
    tool('w:tango', 'Mends the spout of anything that drips or is broken in the house.'),
    ...crib,
  ]);
  const parts = ['Copper kettle with a broken spout.', 'Silver teapot on a marble table.'];
  const first = (sentences: readonly string[]) => {
    const question = { text: parts.join(' '), parts: sentences, vectors: [], usage: new Map() };
    return index.search([question], { limit: 1, mode: 'bm25' })[0]?.key;
  };
  assert.equal(first([]), 'x:bravo');
  assert.equal(first(parts), 'z:oscar');
});

test('words that answer what one tool can answer of a long query are trusted in full', () => {
  const direction = (at: number) => toVector(Array.from({ length: 16 }, (_, axis) => (axis === at ? 1 : 0))) as Vector;
  const rare = ['marmalade', 'trombone', 'glacier', 'lantern', 'walnut', 'pelican', 'saddle', 'thimble', 'orchid'];
  const wanted = tool('glacier:marmalade_trombone_lantern', 'Marmalade, trombone, glacier and lantern.');
  const others = rare.slice(4).map((word, at) => tool(`o${at}:${word}`, ''));
  const index = ToolIndex.build([...crib, wanted, ...others]);
  index.resetVectors({ kind: 'table', width: 16 });
  index.setVector(wanted.key, direction(1));
  index.setVector('mail:send', direction(0));
  const question = { text: rare.join(' '), parts: [], vectors: [direction(0)], usage: new Map() };
  assert.deepEqual(keysOf(index.search([question], { limit: 2 })), [wanted.key, 'mail:send']);
});

test('every one of several needs has its best tool before any has its second', () => {
  const index = indexOf([
    ...crib,
    ...Array.from({ length: 20 }, (_, at) => tool(`disk:read_file_${at}`, 'Reads a file.')),
  ]);
  const needs = ['read a file', 'umbrella weather', 'ask the customer for money'].map(ask);
  const firsts = needs.map((need) => index.search([need], { limit: 1 })[0]?.key);
  assert.deepEqual(new Set(keysOf(index.search(needs, { limit: 3 }))), new Set(firsts));
  const all = keysOf(index.search(needs, { limit: 30 }));
  assert.equal(new Set(all).size, all.length);
});

test('relevance lies in 0 to 1 and falls with the rank, in every mode', () => {
  const index = indexOf(crib);
  const text = fc.array(
    fc.constantFrom('file', 'delete', 'rain', 'the team', 'money', 'zebra', 'way. Then', 'letter'),
    {
      maxLength: 12,
    },
  );
  fc.assert(
    fc.property(text, fc.constantFrom(...localModes), (words, mode) => {
      const hits = index.search([ask(words.join(' '))], { limit: 20, mode });
      for (const [at, hit] of hits.entries()) {
        assert.ok(hit.relevance >= 0 && hit.relevance <= 1);
        assert.ok(hit.relevance <= (hits[at - 1]?.relevance ?? 1));
        assert.ok(hit.score > 0 && hit.score <= (hits[at - 1]?.score ?? 2));
      }
    }),
  );
});

test('by meaning, a hidden tool changes nothing that is seen', () => {
  fc.assert(
    fc.property(fc.subarray(crib), fc.constantFrom('a file', 'weather', 'tell the team'), (visible, need) => {
      const options = { limit: 20, mode: 'semantic' } as const;
      const seen = indexOf(crib).search([ask(need)], { ...options, filter: among(visible) });
      assert.deepEqual(seen, indexOf(visible).search([ask(need)], options));
    }),
  );
});

// How rare a word is and how long tools are on average is counted over all tools, hidden ones too, so that one index serves
// every agent. It cancels out for one word in tools of one length, and never decides whether a tool is found.
test('by words, a hidden tool changes neither what is found nor, for one word, any number', () => {
  const words = ['alpha', 'bravo', 'kilo', 'oscar'];
  const documents = fc
    .array(fc.tuple(fc.constantFrom(...words), fc.constantFrom(...words)), { minLength: 1, maxLength: 10 })
    .map((rows) => rows.map((row, at) => tool(`s${at}:t${at}`, row.join(' '))));
  const setting = documents.chain((all) => fc.tuple(fc.constant(all), fc.subarray(all)));
  fc.assert(
    fc.property(setting, fc.subarray(words, { minLength: 1 }), fc.boolean(), ([all, visible], asked, isHybrid) => {
      const known = asked.filter((word) => visible.some(({ description }) => description.includes(word)));
      const options = { limit: 20, mode: isHybrid ? 'hybrid' : 'bm25' } as const;
      const seen = indexOf(all).search([ask(known.join(' '))], { ...options, filter: among(visible) });
      const alone = indexOf(visible).search([ask(known.join(' '))], options);
      assert.deepEqual(keysOf(seen).sort(), keysOf(alone).sort());
      if (known.length === 1) assertNear(seen, alone);
    }),
  );
});

test('the best tool that may be seen sets the measure, not a better one that may not', () => {
  const seen = indexOf(crib).search([ask('deleted file, from disk')], {
    limit: 5,
    filter: (key) => key !== 'files:delete_file',
  });
  assert.equal(seen[0]?.key, 'files:read_file');
  assert.equal(seen[0]?.explanation.lexical, 1);
  assert.ok(Math.abs((seen[0]?.score ?? 0) - 1) < 1e-9);
});

test('any order of adding and removing, with vectors, answers like a fresh index', () => {
  const texts = ['Reads a file.', 'Sends a letter.', 'Tells the weather.', 'Finds the way.', ''];
  const step = fc.record({
    at: fc.nat(5),
    act: fc.constantFrom('add', 'add without vector', 'remove'),
    text: fc.constantFrom(...texts),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.constantFrom(...texts), (steps, need) => {
      const index = indexOf([]);
      const [kept, withVector] = [new Map<string, SearchDocument>(), new Set<string>()];
      for (const { at, act, text } of steps) {
        const document = tool(`s${at}:t${at}`, text);
        const wasThere = kept.delete(document.key);
        withVector.delete(document.key);
        if (act === 'remove') assert.equal(index.remove(document.key), wasThere);
        else {
          index.add(document);
          kept.set(document.key, document);
        }
        if (act !== 'add') continue;
        setVectors(index, [document]);
        withVector.add(document.key);
      }
      const fresh = ToolIndex.build(kept.values());
      fresh.resetVectors(table);
      setVectors(
        fresh,
        [...kept.values()].filter(({ key }) => withVector.has(key)),
      );
      assert.equal(index.size, kept.size);
      for (const mode of localModes) {
        const options = { limit: 9, mode, collapses: true };
        assert.deepEqual(index.search([ask(need)], options), fresh.search([ask(need)], options));
      }
    }),
    { numRuns: 150 },
  );
});

test('a vector for a tool that is gone is no trouble', () => {
  const index = indexOf(crib);
  index.remove('mail:send');
  setVectors(index, crib);
  assert.equal(index.has('mail:send'), false);
  assert.ok(!keysOf(index.search([ask('send a letter')], { limit: 20 })).includes('mail:send'));
});

test('past use lifts a tool or lowers it, is explained, and does not pass for a fit of words', () => {
  const index = indexOf(crib);
  const past = (boost: number): PastUse => ({ boost, good: 4, bad: 1, likeQuery: 'drop a file' });
  for (const mode of localModes) {
    const before = index.search([ask('file on disk')], { limit: 2, mode });
    const [first, second] = [before[0]?.key ?? '', before[1]?.key ?? ''];
    const usage = new Map([[second, past(0.9)]]);
    const lifted = index.search([{ ...ask('file on disk'), usage }], { limit: 2, mode });
    assert.deepEqual(keysOf(lifted), [second, first], mode);
    assert.deepEqual(lifted[0]?.explanation.usage, past(0.9));
    assert.equal(lifted[1]?.explanation.usage, null);
    assert.equal(lifted[0]?.explanation.lexical, before[1]?.explanation.lexical, mode);
    const lowered = index.search([{ ...ask('file on disk'), usage: new Map([[first, past(-0.5)]]) }], {
      limit: 2,
      mode,
    });
    assert.equal(lowered[0]?.key, second, mode);
  }
  const usage = new Map([['gone:tool', past(0.9)]]);
  assert.ok(!keysOf(index.search([{ ...ask('file'), usage }], { limit: 20 })).includes('gone:tool'));
});

test('synonyms of the user are used until they are replaced', () => {
  const index = ToolIndex.build(crib);
  const found = () => keysOf(index.search(plainQuestions('brolly'), { limit: 5 }));
  assert.deepEqual(found(), []);
  index.useSynonyms(new Map([['brolly', ['rain']]]));
  assert.deepEqual(found(), ['weather:forecast']);
  index.useSynonyms(new Map());
  assert.deepEqual(found(), []);
});

test('twins collapse only where that is asked for, and those after the last wanted hit are named too, as is what comes after very many', () => {
  const text = 'Reads all that a file on the disk holds.';
  const few = indexOf([
    tool('a:read_file', text),
    tool('b:read_file', 'Reads a file of the archive by its number.'),
    tool('c:file_read_file', 'Reads a file.'),
    tool('slow-old-disk-of-the-cellar:read_file', text),
    ...crib.slice(2),
  ]);
  const filter = (key: string) => key.includes('read_file');
  const listed = keysOf(few.search([ask('read a file')], { limit: 4, filter }));
  assert.equal(listed[3], 'slow-old-disk-of-the-cellar:read_file', listed.join());
  const named = few.search([ask('read a file')], { limit: 3, filter, collapses: true });
  // Stays before the search below, which would never end at a depth that does not grow.
  assert.deepEqual(named.find(({ key }) => key === 'a:read_file')?.equals, [listed[3]]);
  const many = Array.from({ length: 50 }, (_, at) => tool(`disk-${at}:read_file`, text));
  const index = indexOf([...many, ...crib.slice(1)]);
  assert.equal(index.search([ask('read a file')], { limit: 30 }).length, 30);
  const found = index.search([ask('read a file')], { limit: 3, collapses: true });
  assert.equal(found.length, 3);
  assert.equal(found[0]?.equals.length, 49);
  assert.equal(found[1]?.key, 'files:delete_file');
});

test('the parts of a score add up to it, and those of words to the fit of words', () => {
  const index = indexOf([...crib, tool('mail:remove_letter', 'Takes a letter away.')]);
  const past: PastUse = { boost: 0.2, good: 4, bad: 0, likeQuery: 'remove a file' };
  const query = { ...ask('delete a file'), usage: new Map([['files:read_file', past]]) };
  const down = new Set(['files:delete_file']);
  const doubts = new Map([['files:read_file', 0.05]]);
  for (const mode of localModes) {
    const options = { limit: 5, mode, down, doubts };
    const hits = index.search([query], { ...options, explains: true });
    assert.deepEqual(
      hits.map(({ breakdown, ...hit }) => hit),
      index.search([query], options),
      'an explained search finds the same',
    );
    for (const { key, score, breakdown } of hits) {
      const sum = Object.values(breakdown?.parts ?? {}).reduce((total, part) => total + part, 0);
      assert.ok(Math.abs(sum - score) < 1e-9, `${mode} ${key}: ${sum} and ${score}`);
    }
    const partsOfKey = (key: string) => hits.find((hit) => hit.key === key)?.breakdown?.parts;
    assert.equal(partsOfKey('files:read_file')?.use.toFixed(9), '0.200000000');
    assert.equal(partsOfKey('files:read_file')?.doubt.toFixed(9), '-0.050000000');
    assert.equal(partsOfKey('files:delete_file')?.failure.toFixed(9), '-0.200000000');
    assert.equal(Boolean(partsOfKey('files:delete_file')?.words), mode !== 'semantic');
    assert.equal(Boolean(partsOfKey('files:delete_file')?.meaning), mode !== 'bm25');
  }
});

test('a match says which word stands where, and what it gave', () => {
  const index = ToolIndex.build([...crib, tool('mail:remove_letter', 'Takes a letter away.')]);
  const hits = index.search(plainQuestions('delete a file'), { limit: 5, mode: 'bm25', explains: true });
  const gains = hits.map(({ breakdown }) => breakdown?.matches.reduce((sum, { gain }) => sum + gain, 0) ?? 0);
  for (const [at, { explanation }] of hits.entries())
    assert.equal(((gains[at] ?? 0) / (gains[0] ?? 1)).toFixed(9), explanation.lexical?.toFixed(9));
  const [best] = hits;
  assert.equal(best?.key, 'files:delete_file');
  assert.deepEqual(
    best?.breakdown?.matches.map(({ word, isExact, fields }) => [
      word,
      isExact,
      ...fields.map(({ name, count }) => `${name} ${count}`),
    ]),
    [
      ['delete', true, 'name 1'],
      ['file', true, 'name 1', 'server 1', 'description 1'],
    ],
  );
  const similar = hits.flatMap(({ breakdown }) => breakdown?.matches ?? []).filter(({ isExact }) => !isExact);
  assert.ok(
    similar.some(({ word, stem }) => word === 'delete' && stem !== word),
    'a synonym is told by its own stem',
  );
});

test('questions and hits beyond the limits are cut off', () => {
  const many = Array.from({ length: 1_200 }, (_, at) => tool(`s:file_${at}`, 'A file.'));
  assert.equal(ToolIndex.build(many).search(plainQuestions('file'), { limit: 5_000 }).length, 1_000);
  const needs = [...Array.from({ length: 20 }, () => 'file'), 'umbrella'];
  const index = ToolIndex.build([...crib, tool('x:umbrella', '')]);
  assert.ok(!keysOf(index.search(plainQuestions(...needs), { limit: 50 })).includes('x:umbrella'));
});

function tool(key: string, description: string): SearchDocument {
  const [server = '', name = ''] = key.split(':');
  return { key, server, serverText: '', name, description, parameters: [] };
}

function indexOf(documents: readonly SearchDocument[]): ToolIndex {
  const index = ToolIndex.build(documents);
  index.resetVectors(table);
  setVectors(index, documents);
  return index;
}

function setVectors(index: ToolIndex, documents: readonly SearchDocument[]): void {
  for (const document of documents) {
    const vector = table.vectorOf(textOfTool(document));
    if (vector) index.setVector(document.key, vector);
  }
}

function ask(text: string): PreparedQuery {
  const vectors = [text, ...partsOf(text)].map((part) => table.vectorOf(part));
  return {
    text,
    parts: partsOf(text),
    vectors: vectors.filter((vector): vector is Vector => !!vector),
    usage: new Map(),
  };
}

function among(documents: readonly SearchDocument[]): (key: string) => boolean {
  const keys = new Set(documents.map(({ key }) => key));
  return (key) => keys.has(key);
}

function keysOf(hits: readonly Hit[]): string[] {
  return hits.map((hit) => hit.key);
}

/** Equal but for the last digits, which depend on what cancelled out. */
function assertNear(hits: readonly Hit[], wanted: readonly Hit[]): void {
  const numbersOf = (hit: Hit | undefined) => [hit?.score, hit?.relevance, hit?.explanation.lexical];
  for (const key of keysOf(wanted)) {
    const [own, other] = [hits, wanted].map((list) => numbersOf(list.find((hit) => hit.key === key)));
    for (const [at, number] of (own ?? []).entries())
      assert.ok(Math.abs((number ?? 9) - (other?.[at] ?? -9)) < 1e-6, `${key}: ${own} and ${other}`);
  }
}
