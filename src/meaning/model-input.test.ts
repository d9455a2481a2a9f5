/** Tests of the input of models: tools and queries become the texts that they were trained on, in the same pieces. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { partsOf, textOfTool, WordPieces } from './model-input.ts';

interface Fixture {
  readonly tools: readonly {
    readonly name: string;
    readonly server: string;
    readonly description: string;
    readonly parameters: readonly string[];
    readonly text: string;
  }[];
  readonly queries: readonly { readonly query: string; readonly parts: readonly string[] }[];
}

/** Written by `model/texts.py`; `model/check_texts.py` holds it to the same pairs. */
const fixture = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../model/texts-fixture.json'), 'utf8'),
) as Fixture;

test('tools read the same here and where the models are trained', () => {
  assert.ok(fixture.tools.length >= 50);
  for (const { text, parameters, ...tool } of fixture.tools)
    assert.equal(textOfTool({ ...tool, parameters: parameters.map((name) => ({ name })) }), text);
});

test('queries fall into the same parts here and where the models are trained', () => {
  assert.ok(fixture.queries.filter(({ parts }) => parts.length > 0).length >= 20);
  for (const { query, parts } of fixture.queries) assert.deepEqual(partsOf(query), parts, query);
});

test('a tool is one line: name, server, description and parameters, each left out where it is empty', () => {
  const parameters = [{ name: 'filePath' }, { name: 'max_bytes' }];
  assert.equal(
    textOfTool({ name: 'readFile', server: 'my-disk', description: 'Reads\na file.', parameters }),
    'read file | my disk | Reads a file. | file path, max bytes',
  );
  assert.equal(textOfTool({ name: 'ls', server: '', description: ' \n', parameters: [] }), 'ls');
});

test('any tool becomes a line of bounded length, without a character cut in two', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 900 });
  const tool = fc.record({
    name: fc.constant('name'),
    server: fc.constant('server'),
    description: text,
    parameters: fc.array(fc.record({ name: fc.constant('some_name') }), { maxLength: 40 }),
  });
  fc.assert(
    fc.property(tool, (made) => {
      const line = textOfTool(made);
      assert.ok(!/[\n\r\t]| {2}/.test(line), line);
      assert.ok(line.isWellFormed() || !made.description.isWellFormed());
      assert.ok(Array.from(line).length <= 430 + 200);
    }),
  );
});

test('a query has no part or two to eight, each of three words at least', () => {
  const piece = fc.constantFrom('find', 'it', '.', '. ', '! ', '\n', ' ', '。', 'é', ';', '多');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
      const parts = partsOf(pieces.join(''));
      assert.ok(parts.length === 0 || (parts.length >= 2 && parts.length <= 8));
      for (const part of parts) assert.ok(part.split(' ').length >= 3);
    }),
  );
});

const root = join(import.meta.dirname, '../..');
const vocabulary = readFileSync(join(root, 'assets/vocabulary.txt'), 'utf8');
const pieces = new WordPieces(vocabulary);
const unknown = 100;

/** Pieces that the tokenizer used in training made of texts in many scripts. */
const expected = readFileSync(join(root, 'test/fixtures/word-pieces.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { readonly text: string; readonly ids: readonly number[] });

test('texts of many scripts fall into the pieces that the models were trained on', () => {
  assert.ok(expected.length >= 50);
  for (const { text, ids } of expected) assert.deepEqual(pieces.numbersOf(text, 1_000), ids, text);
});

test('a limit cuts the list and changes nothing before it', () => {
  for (const { text, ids } of expected)
    for (const limit of [0, 1, 5]) assert.deepEqual(pieces.numbersOf(text, limit), ids.slice(0, limit), text);
});

test('a word is split from the left into its longest pieces, and is unknown as a whole if one part is', () => {
  const small = new WordPieces(['read', '##ing', '##in', '##g', 'er', '!'].join('\n'));
  assert.deepEqual(small.numbersOf('Reading!', 9), [0, 1, 5]);
  assert.deepEqual(small.numbersOf('readin read', 9), [0, 2, 0]);
  assert.deepEqual(small.numbersOf('reader read', 9), [unknown, 0]);
  assert.deepEqual(small.numbersOf('x'.repeat(101), 9), [unknown]);
});

test('a word is looked up in as many pieces as the vocabulary allows, not in all its parts', () => {
  const small = new WordPieces(['x', '##x', '##xyz'].join('\n'));
  const { get } = Map.prototype;
  let lookups = 0;
  Map.prototype.get = function count(key: unknown) {
    lookups += 1;
    return get.call(this, key);
  };
  try {
    assert.deepEqual(small.numbersOf('x'.repeat(100), 200).slice(0, 3), [0, 1, 1]);
  } finally {
    Map.prototype.get = get;
  }
  assert.ok(lookups < 310, `${lookups}`);
});

test('characters outside the basic plane are whole, and count as one', () => {
  const small = new WordPieces(['𝒳', '##𝒳', '##𝒳𝒴', 'a'].join('\n'));
  assert.deepEqual(small.numbersOf('𝒳𝒳𝒴', 9), [0, 2]);
  assert.deepEqual(small.numbersOf('𝒳𝒳𝒳', 9), [0, 1, 1]);
  assert.deepEqual(small.numbersOf('𝒳𝒴', 9), [unknown]);
  assert.deepEqual(small.numbersOf('a𝒳\ud835 a\ud835', 9), [unknown, unknown]);
  assert.equal(small.numbersOf('𝒳'.repeat(100), 200).length, 100);
  assert.deepEqual(small.numbersOf('𝒳'.repeat(101), 200), [unknown]);
});

test('a word is always split the same way, also after very many other words', () => {
  const fresh = new WordPieces(vocabulary);
  const before = fresh.numbersOf('unbelievably retokenized', 20);
  for (let at = 0; at < 41_000; at += 1) fresh.numbersOf(`w${at.toString(36)}`, 9);
  assert.deepEqual(fresh.numbersOf('unbelievably retokenized', 20), before);
});

test('any text becomes numbers of pieces that exist, at most as many as wanted', () => {
  const count = vocabulary.split('\n').length;
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.nat(40), (text, limit) => {
      const numbers = pieces.numbersOf(text, limit);
      assert.ok(numbers.length <= limit);
      for (const number of numbers) assert.ok(Number.isInteger(number) && number >= 0 && number < count);
    }),
  );
});

test('case, accents and characters that are not seen do not matter', () => {
  const plain = pieces.numbersOf('create a cafe', 20);
  for (const text of ['CREATE A CAFÉ', 'create\u200b a\u00ad cafe\u0301', '\u0000create\ta\u00a0cafe\n'])
    assert.deepEqual(pieces.numbersOf(text, 20), plain, text);
});

test('a text far longer than the wanted pieces is read only as far as it can matter', () => {
  for (const unit of ['word ', '搜', '🎉', 'é ', '-'])
    assert.deepEqual(
      pieces.numbersOf(unit.repeat(300_000), 256),
      pieces.numbersOf(unit.repeat(3_000), 256),
      JSON.stringify(unit),
    );
});
