/** How a tool definition becomes a document, whatever a server sends. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainQuestions as plain } from '../../test/kit/plain-questions.ts';
import { documentFromTool, ToolIndex } from './search.ts';

const issueTool = {
  name: 'create_issue',
  title: 'Create Issue',
  description: 'Opens a new issue.',
  inputSchema: {
    type: 'object',
    properties: {
      repo: { type: 'string', description: 'Repository name' },
      state: { enum: ['open', 'draft', 3] },
      author: {
        type: 'object',
        properties: { login: { description: 'Account' }, deep: { properties: { unseen: {} } } },
      },
      labels: { type: 'array', items: { properties: { color: { description: 'Hex' } } } },
    },
  },
};

test('name, title, description and parameters are read, nested ones one level down', () => {
  const document = documentFromTool('github', 'Code hosting', issueTool);
  assert.deepEqual(document, {
    key: 'github:create_issue',
    server: 'github',
    serverText: 'Code hosting',
    name: 'create_issue',
    title: 'Create Issue',
    description: 'Opens a new issue.',
    parameters: [
      { name: 'repo', description: 'Repository name' },
      { name: 'state', description: 'open draft' },
      { name: 'author', description: '' },
      { name: 'labels', description: '' },
      { name: 'login', description: 'Account' },
      { name: 'deep', description: '' },
      { name: 'color', description: 'Hex' },
    ],
  });
});

test('a title among the annotations is used where there is no other', () => {
  assert.equal(documentFromTool('s', '', { name: 'x', annotations: { title: 'Do it' } })?.title, 'Do it');
  assert.equal('title' in (documentFromTool('s', '', { name: 'x' }) ?? {}), false);
});

test('a definition without a name is not a tool', () => {
  for (const junk of [undefined, null, 0, '', 'x', [], {}, { name: '' }, { name: 7 }, { name: null }, () => 1]) {
    assert.equal(documentFromTool('s', '', junk), undefined);
  }
});

test('members of the wrong type count as empty', () => {
  const schemas = [
    null,
    1,
    'x',
    [],
    { properties: null },
    { properties: [1] },
    { properties: { a: null, b: 1, c: [] } },
    { properties: { a: { items: 1, properties: 2, enum: 'x', description: {} } } },
  ];
  for (const inputSchema of schemas) {
    const document = documentFromTool('s', '', { name: 'x', title: 1, description: [], annotations: 'y', inputSchema });
    assert.ok(document);
    assert.equal(document.description, '');
    for (const parameter of document.parameters) assert.equal(parameter.description, '');
  }
});

test('huge definitions are cut', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, at) => [`p${at}`, { description: 'd'.repeat(9_000) }]),
  );
  const document = documentFromTool('s', 't'.repeat(99_999), {
    name: 'n'.repeat(9_999),
    description: 'd '.repeat(99_999),
    inputSchema: { properties },
  });
  assert.ok(document);
  assert.equal(document.key, `s:${'n'.repeat(9_999)}`, 'an address is never cut');
  assert.ok(document.parameters.length <= 64);
  assert.ok(JSON.stringify(document).length < 100_000);
});

test('names that every object inherits are ordinary names', () => {
  const schema = JSON.parse(
    '{"properties":{"__proto__":{"description":"strange"},"constructor":{},"hasOwnProperty":{}}}',
  );
  const names = ['constructor', '__proto__', 'hasOwnProperty', 'toString'];
  const documents = names.map((name) => documentFromTool('s', '', { name, inputSchema: schema }));
  const index = ToolIndex.build(documents.filter((document) => document !== undefined));
  assert.equal(index.size, 4);
  assert.equal(index.search(plain('constructor'), { limit: 1 })[0]?.key, 's:constructor');
  assert.equal(index.search(plain('__proto__'), { limit: 1 })[0]?.key, 's:__proto__');
  assert.equal(index.search(plain('hasOwnProperty'), { limit: 1 })[0]?.key, 's:hasOwnProperty');
  assert.equal(index.search(plain('toString'), { limit: 1 })[0]?.key, 's:toString');
  assert.deepEqual(ToolIndex.build([]).search(plain('constructor', '__proto__'), { limit: 9 }), []);
});

test('clauses that send readers to other tools do not count as what a tool is about', () => {
  const aboutItself = (description: string) =>
    documentFromTool('excel', '', { name: 'read', description })?.description;
  const contrast = 'Do NOT use to enter values (use write_cells) or for colours.';
  assert.equal(
    aboutItself(`Reads the cells of a sheet. ${contrast} Returns rows.`),
    'Reads the cells of a sheet. Returns rows.',
  );
  assert.equal(aboutItself('Reads cells; to change those, use write_cells.'), 'Reads cells;');
  assert.equal(aboutItself('Reads cells. For styles use format instead.'), 'Reads cells.');
  assert.equal(aboutItself('Not for styles.'), 'Not for styles.', 'nothing else is said');
  for (const whole of [
    'Reads cells.\nUse it when a table is asked for.',
    'Reads cells. DEPRECATED: Use read_all instead.',
    'Reads cells. Use it instead of a whole sheet.',
  ])
    assert.equal(aboutItself(whole), whole);
});

test('a clause that ends with a parameter of the tool is about the tool', () => {
  const description = 'Reads a file. For large files use chunk_size.';
  const inputSchema = { type: 'object', properties: { chunk_size: { type: 'integer' } } };
  const [own, other] = [inputSchema, {}].map((schema) =>
    documentFromTool('files', '', { name: 'read', description, inputSchema: schema }),
  );
  assert.equal(own?.description, description);
  assert.equal(other?.description, 'Reads a file.');
});
