/** The line that explains a hit. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainHit } from './search.ts';

const plain = { score: 0.934, words: ['create', 'issue'], similar: [], lexical: 1, coverage: 0.8, meaning: 0.61 };

test('words that the tool has are told apart from those that a synonym or a guess stands for', () => {
  assert.equal(
    explainHit({ ...plain, similar: ['ticket', 'bug'] }),
    'score 0.93: words 1.00 (create, issue; like: ticket, bug; 80 % of the query), meaning 0.61',
  );
  assert.equal(
    explainHit({ ...plain, words: [], similar: ['ticket'] }),
    'score 0.93: words 1.00 (like: ticket; 80 % of the query), meaning 0.61',
  );
});

test('only what was compared is told', () => {
  assert.equal(
    explainHit({ ...plain, similar: undefined, meaning: null, usage: { boost: 0.05 } }),
    'score 0.93: words 1.00 (create, issue; 80 % of the query), usage +0.05',
  );
  assert.match(explainHit({ ...plain, words: [], usage: { boost: -0.1 } }), /words 1\.00 \(none; .*, usage -0\.10$/);
  assert.equal(explainHit({ score: 0.5, lexical: null }), 'score 0.50: nothing was compared here');
  assert.equal(explainHit({ score: 0.5, isNamed: true, lexical: null }), 'score 0.50: the query is its name');
  assert.equal(explainHit(undefined), '');
});

test('nothing that a server wrote reaches the terminal as it is', () => {
  assert.doesNotMatch(explainHit({ ...plain, words: ['a\u001b[31m'] }), /\u001b/);
  assert.equal(explainHit('Says the other\u001b[31m service.'), 'Says the other[31m service.');
});
