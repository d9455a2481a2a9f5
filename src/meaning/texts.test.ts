/** Tools and queries become the texts that the models were trained on. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { partsOf, textOfTool } from './texts.ts';

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
