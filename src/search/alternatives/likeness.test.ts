/** Tools for one purpose are alike, and near relatives for another purpose are not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTable, textOfTool } from '../../meaning/meaning.ts';
import { documentFromTool, ToolIndex } from '../search.ts';
import { similarityOf, traitsOf } from './likeness.ts';

type Definition = Readonly<Record<string, unknown>>;

function define(name: string, description: string, ...parameters: string[]): Definition {
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, { type: 'string' }]));
  return { name, description, inputSchema: { type: 'object', properties, required: parameters } };
}

const tools: Readonly<Record<string, readonly Definition[]>> = {
  tavily: [define('search_web', 'Searches the web for pages about a topic.', 'query')],
  exa: [define('web_search', 'Search the web and return the pages that fit best.', 'q')],
  files: [
    define('list_directory', 'Lists the files and folders in a directory.', 'path'),
    define('list_directory_with_sizes', 'Lists the files and folders in a directory with their sizes.', 'path'),
    define('create_directory', 'Creates a directory where files and folders can be put.', 'path'),
    define('list_drives', 'Lists the drives that files and folders can be on.', 'path'),
  ],
  disk: [define('list_folder', 'Lists the files and folders in a directory.', 'dir')],
  notion: [define('delete_block', 'Deletes a block of a page in Notion.', 'block_id')],
  outline: [define('delete_block', 'Deletes a block of a page in Outline.', 'block_id')],
  'notion-two': [define('delete_block', 'Deletes a block of a page in Notion.', 'block_id')],
  bare: [define('search_web', '', 'query')],
};

const documents = Object.entries(tools).flatMap(([server, list]) =>
  list.flatMap((definition) => documentFromTool(server, '', definition) ?? []),
);

/** By the index, with vectors or without. */
function similarity(from: string, to: string, isByMeaning = true): number {
  const index = ToolIndex.build(documents);
  const table = openTable();
  index.resetVectors(table);
  for (const document of documents) {
    const vector = table.vectorOf(textOfTool(document));
    if (vector) index.setVector(document.key, vector);
  }
  const document = documents.find(({ key }) => key === from);
  const text = `${document?.name} ${document?.description}`;
  const alike = index.alike({ key: from, text, isByMeaning, limit: 20, filter: (key) => key === to })[0];
  return alike ? similarityOf(traits(from), traits(to), alike) : 0;
}

function traits(key: string) {
  const [server = '', name] = key.split(':');
  const definition = tools[server]?.find((tool) => tool.name === name);
  assert.ok(definition, key);
  return traitsOf(server, definition);
}

test('one purpose on two servers is alike in other words, by meaning and without it', () => {
  assert.ok(similarity('tavily:search_web', 'exa:web_search') > 0.7);
  assert.ok(similarity('tavily:search_web', 'exa:web_search', false) > 0.6);
  assert.ok(similarity('files:list_directory', 'disk:list_folder') > 0.6);
});

test('a sibling that does something else with the same things is less alike than the same tool elsewhere', () => {
  const elsewhere = similarity('files:list_directory', 'disk:list_folder');
  for (const sibling of ['create_directory', 'list_drives'])
    assert.ok(similarity('files:list_directory', `files:${sibling}`) < Math.min(elsewhere, 0.57), sibling);
});

test('a sibling with a word more or less in its name may stand in, the broader one better', () => {
  const broader = similarity('files:list_directory_with_sizes', 'files:list_directory');
  const narrower = similarity('files:list_directory', 'files:list_directory_with_sizes');
  assert.ok(narrower > 0.57 && broader > narrower, `${broader} ${narrower}`);
});

test('a tool for another product is less alike than one for the same product', () => {
  const same = similarity('notion:delete_block', 'notion-two:delete_block');
  assert.ok(similarity('notion:delete_block', 'outline:delete_block') < 0.8 * same);
  assert.ok(similarity('outline:delete_block', 'notion:delete_block') < 0.8 * same);
});

test('a tool that says nothing of itself is no stand-in', () => {
  assert.ok(similarity('tavily:search_web', 'bare:search_web') < similarity('tavily:search_web', 'exa:web_search'));
});

test('likeness stays between 0 and 1', () => {
  const [a, b] = [traits('tavily:search_web'), traits('exa:web_search')];
  for (const meaning of [null, -1, 0, 1]) {
    const found = similarityOf(a, b, { meaning, words: 1 });
    assert.ok(found >= 0 && found <= 1, `${found}`);
  }
});
