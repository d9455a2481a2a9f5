/** The lexical index finds tools in the right order and stays up to date. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/kit/any-character.ts';
import { plainQuestions as plain } from '../../test/kit/plain-questions.ts';
import { LexicalIndex } from './lexical-index.ts';
import { ScoreArrays } from './score.ts';
import { type Hit, type SearchDocument, ToolIndex } from './search.ts';
import { Synonyms } from './synonyms.ts';

function tool(key: string, description = '', more: Partial<SearchDocument> = {}): SearchDocument {
  const [server = '', name = ''] = key.split(':');
  return { key, server, serverText: '', name, description, parameters: [], ...more };
}

const crib = [
  tool('files:read_file', 'Reads a file from disk.', { parameters: [{ name: 'path', description: 'Where it is' }] }),
  tool('files:delete_file', 'Removes a file from disk for good.'),
  tool('files:ls', 'Shows what is in a folder.'),
  tool('github:create_issue', 'Opens a new issue in a repository.'),
  tool('github:list_issues', 'All issues of a repository, newest first.'),
  tool('mail:send', 'Sends a message to somebody.', { serverText: 'Electronic correspondence' }),
  tool('calendar:add_event', 'Puts an event into the calendar.'),
  tool('bing:search', '使用必应搜索网页'),
];

const keys = (hits: readonly Hit[]) => hits.map((hit) => hit.key);
const find = (...queries: string[]) => keys(ToolIndex.build(crib).search(plain(...queries), { limit: 10 }));

test('a tool is found by name, server, description, parameter and server text', () => {
  assert.equal(find('delete file')[0], 'files:delete_file');
  assert.equal(find('github')[0], 'github:create_issue');
  assert.deepEqual(find('somebody'), ['mail:send']);
  assert.deepEqual(find('path'), ['files:read_file']);
  assert.deepEqual(find('electronic correspondence'), ['mail:send']);
  assert.deepEqual(find('网页'), ['bing:search']);
});

test('inflection does not matter and short words count', () => {
  assert.deepEqual(find('creating repositories')[0], 'github:create_issue');
  assert.deepEqual(find('ls'), ['files:ls']);
});

test('a word in the name beats the same word in the description', () => {
  const index = ToolIndex.build([
    tool('a:other', 'Can archive what you give it.'),
    tool('b:archive', 'Does what you want with it.'),
    tool('c:another', 'Does what it does.', { parameters: [{ name: 'thing', description: 'What to archive' }] }),
  ]);
  assert.deepEqual(keys(index.search(plain('archive'), { limit: 5 })), ['b:archive', 'a:other', 'c:another']);
});

test('stop words alone find nothing unless a tool is named so', () => {
  assert.deepEqual(find('what is the'), []);
  const index = ToolIndex.build([...crib, tool('unix:who', 'Lists sessions.'), tool('net:is_up', 'Pings a host.')]);
  assert.deepEqual(keys(index.search(plain('who'), { limit: 5 })), ['unix:who']);
  assert.deepEqual(keys(index.search(plain('is'), { limit: 5 })), ['net:is_up']);
});

test('an empty query, an empty list, an empty index and a limit of nothing give nothing', () => {
  const index = ToolIndex.build(crib);
  assert.deepEqual(find(''), []);
  assert.deepEqual(find('   …'), []);
  assert.deepEqual(find(), []);
  assert.deepEqual(ToolIndex.build([]).search(plain('file'), { limit: 5 }), []);
  for (const limit of [0, -1, Number.NaN]) assert.deepEqual(index.search(plain('file'), { limit }), []);
});

test('equal scores are ordered by key, whatever the order of adding', () => {
  const twins = ['z', 'b', 'm', 'a', 'k'].map((server) => tool(`${server}:same`, 'Does the same.', { server: 'x' }));
  const forwards = keys(ToolIndex.build(twins).search(plain('same'), { limit: 3 }));
  const backwards = keys(ToolIndex.build([...twins].reverse()).search(plain('same'), { limit: 3 }));
  assert.deepEqual(forwards, ['a:same', 'b:same', 'k:same']);
  assert.deepEqual(backwards, forwards);
});

test('a filtered tool does not take the place of another', () => {
  const index = ToolIndex.build(crib);
  const hits = index.search(plain('file'), {
    limit: 1,
    filter: (key) => key !== 'files:delete_file' && key !== 'files:read_file',
  });
  assert.deepEqual(keys(hits), ['files:ls']);
});

test('relevance is near 1 for a perfect match, lower for a partial one, and falls with the score', () => {
  const hits = ToolIndex.build(crib).search(plain('create github issue'), { limit: 10 });
  assert.equal(hits[0]?.key, 'github:create_issue');
  assert.ok((hits[0]?.relevance ?? 0) > 0.7);
  assert.ok((hits[1]?.relevance ?? 1) < 0.75);
  const partly = ToolIndex.build(crib).search(plain('create a unicorn with golden wings'), { limit: 1 })[0];
  assert.ok((partly?.relevance ?? 1) < 0.4, `${partly?.relevance}`);
});

test('matches are named in the words of the query', () => {
  const hit = ToolIndex.build(crib).search(plain('please delete these Files tomorrow'), { limit: 1 })[0];
  assert.deepEqual([hit?.explanation.words, hit?.explanation.similar], [['delete', 'files'], []]);
});

test('words that a tool has and words that only stand for one of its own are told apart', () => {
  const index = ToolIndex.build(crib);
  const toldOf = (query: string, key: string) => {
    const hit = index.search(plain(query), { limit: 10 }).find((one) => one.key === key);
    return [hit?.explanation.words, hit?.explanation.similar];
  };
  assert.deepEqual(toldOf('erase a file', 'files:delete_file'), [['file'], ['erase']], 'a synonym of no tool');
  assert.deepEqual(toldOf('calender event', 'calendar:add_event'), [['event'], ['calender']], 'a misspelling');
  assert.deepEqual(toldOf('issues of the repo', 'github:list_issues'), [['issues'], ['repo']], 'a short form');
  // One tool has the word itself, another only what means the same.
  index.add(tool('shop:erase', 'Empties the basket.'));
  assert.deepEqual(toldOf('erase', 'shop:erase'), [['erase'], []]);
  assert.deepEqual(toldOf('erase', 'files:delete_file'), [[], ['erase']]);
});

test('a long query asks no more of a tool than a few rare words: the rest is about circumstances', () => {
  const names = Array.from({ length: 20 }, (_, at) => `w${'abcdefghijklmnopqrst'[at]}zzq`);
  const index = LexicalIndex.build(names.map((name) => tool(`s:${name}`)));
  const read = (count: number) => {
    const scores = index.score(names.slice(0, count).join(' '), Synonyms.builtin, new ScoreArrays());
    return { mass: scores?.mass ?? 0, answerable: scores?.answerable ?? 0 };
  };
  const [one, five, all] = [read(1), read(5), read(20)];
  assert.equal(one.answerable, one.mass);
  assert.ok(five.answerable > one.answerable && five.answerable < five.mass);
  assert.equal(all.answerable, five.answerable);
  assert.ok(all.mass > 3 * five.mass);
});

test('every query is heard: best answers of each come first', () => {
  const loud = Array.from({ length: 30 }, (_, at) => tool(`files:read_file_${at}`, 'Reads a file.'));
  const index = ToolIndex.build([...crib, ...loud]);
  const hits = keys(index.search(plain('read file', 'create event', 'send message'), { limit: 4 }));
  assert.ok(hits.slice(0, 3).includes('calendar:add_event'));
  assert.ok(hits.slice(0, 3).includes('mail:send'));
  assert.equal(new Set(keys(index.search(plain('file', 'file', 'files'), { limit: 50 }))).size, 33);
});

test('a misspelt or unfinished word is guessed only when the index does not know it', () => {
  assert.equal(find('calender')[0], 'calendar:add_event');
  assert.equal(find('crate isssue')[0], 'github:create_issue');
  assert.equal(find('repo')[0], 'github:create_issue');
  assert.deepEqual(find('rep'), []);
  const index = ToolIndex.build([...crib, tool('rust:crate', 'Looks up a package.')]);
  assert.equal(index.search(plain('crate'), { limit: 1 })[0]?.key, 'rust:crate');
  assert.deepEqual(keys(index.search(plain('crate'), { limit: 5 })), ['rust:crate']);
});

test('a guess weighs less than the word itself', () => {
  const index = ToolIndex.build(crib);
  const exact = index.search(plain('calendar'), { limit: 1 })[0];
  const guessed = index.search(plain('calandar'), { limit: 1 })[0];
  assert.equal(guessed?.key, exact?.key);
  assert.ok((guessed?.relevance ?? 1) < (exact?.relevance ?? 0));
});

test('adding replaces, removing forgets, and both leave the index as if built afresh', () => {
  const index = ToolIndex.build(crib);
  index.add(tool('mail:send', 'Posts a parcel.'));
  assert.equal(index.size, crib.length);
  assert.deepEqual(keys(index.search(plain('somebody'), { limit: 5 })), []);
  assert.deepEqual(keys(index.search(plain('parcel'), { limit: 5 })), ['mail:send']);
  assert.equal(index.remove('mail:send'), true);
  assert.equal(index.remove('mail:send'), false);
  assert.equal(index.has('mail:send'), false);
  assert.deepEqual(keys(index.search(plain('parcel'), { limit: 5 })), []);
});

test('any order of adding and removing answers like a fresh index', () => {
  const words = ['read', 'write', 'file', 'mail', 'issue', 'event'];
  const step = fc.record({
    slot: fc.nat(5),
    isAdded: fc.boolean(),
    text: fc.array(fc.constantFrom(...words), { maxLength: 5 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom(...words), (steps, word) => {
      const index = ToolIndex.build([]);
      const expected = new Map<string, SearchDocument>();
      for (const { slot, isAdded, text } of steps) {
        const document = tool(`s:t${slot}`, text.join(' '));
        if (isAdded) index.add(document);
        else index.remove(document.key);
        if (isAdded) expected.set(document.key, document);
        else expected.delete(document.key);
      }
      assert.deepEqual(
        index.search(plain(word), { limit: 9 }),
        ToolIndex.build(expected.values()).search(plain(word), { limit: 9 }),
      );
    }),
    { numRuns: 200 },
  );
});

test('any text is answered: relevance lies in 0 to 1 and falls with the rank', () => {
  const index = ToolIndex.build(crib);
  fc.assert(
    fc.property(
      fc.string({ unit: anyCharacter, maxLength: 200 }),
      fc.subarray(['file', 'issue', 'repo', 'clendar', 'read']),
      (noise, words) => {
        const hits = index.search(plain(`${noise} ${words.join(' ')}`), { limit: 10 });
        for (const [at, hit] of hits.entries()) {
          assert.ok(hit.relevance > 0 && hit.relevance <= 1);
          assert.ok(hit.relevance <= (hits[at - 1]?.relevance ?? 1));
          assert.ok(hit.explanation.words.length + hit.explanation.similar.length > 0);
        }
      },
    ),
  );
});

test('a query of 50 kB is cut, not suffered', () => {
  const index = ToolIndex.build(crib);
  const noise = Array.from({ length: 6_000 }, (_, at) => `w${(at * 7919).toString(36)}q`).join(' ');
  const hits = index.search(plain(`delete file ${noise}`, 'x'.repeat(50_000), '搜'.repeat(50_000)), { limit: 10 });
  assert.equal(hits[0]?.key, 'files:delete_file');
  const { words = [], similar = [] } = hits[0]?.explanation ?? {};
  assert.ok(words.includes('delete') && words.length + similar.length <= 64);
});

test('words of the server text alone are not words of its tools: they hardly make a word common, and are not named as matches', () => {
  const chatty = Array.from({ length: 40 }, (_, at) =>
    tool(`office:mail_${at}`, 'Works on mail.', { serverText: 'Mail and files' }),
  );
  const index = ToolIndex.build([
    ...chatty,
    tool('disk:remove_file', 'Takes a file away.'),
    tool('office:remove_mail', 'Takes mail away.', { serverText: 'Mail and files' }),
  ]);
  const [first, second] = index.search(plain('remove a file'), { limit: 2, mode: 'bm25' });
  assert.deepEqual([first?.key, first?.explanation.words], ['disk:remove_file', ['remove', 'file']]);
  assert.deepEqual(
    [second?.key, second?.explanation.words, second?.explanation.similar],
    ['office:remove_mail', ['remove'], ['file']],
  );
});
