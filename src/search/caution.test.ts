/** Tools that destroy, do the opposite of what was asked, or are given up do not come first by chance. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, indexOf } from '../../test/kit/meaning-index.ts';
import { type Asked, askedBy, type Caution, cautionOf, malusOf } from './caution.ts';
import type { SearchDocument } from './document.ts';
import { type Hit, localModes } from './hit.ts';

const office = [
  tool('onedrive:delete_document', 'Deletes a document from OneDrive.', ['document']),
  tool('onedrive:put_document', 'Puts a document into a folder of OneDrive.', ['document', 'folder']),
  tool('onedrive:list_folders', 'Lists the folders of OneDrive.'),
  tool('calendar:cancel_event', 'Cancels an event of the calendar.', ['event']),
  tool('calendar:put_event', 'Puts an event into the calendar, on a day.', ['event', 'day']),
  tool('mail:send', 'Sends a letter to somebody.', ['to']),
  tool('maps:route', 'The way from one place to another.'),
];

const harmless: Caution = { destroys: false, writes: false, reads: false, isGivenUp: false };
const nothing: Asked = { toDestroy: false, toRead: false, toWrite: false };

test('a tool that destroys does not come first where something else is asked for and fits nearly as well', () => {
  for (const [query, destroyer, wanted] of [
    ['upload a document to onedrive', 'onedrive:delete_document', 'onedrive:put_document'],
    ['save this document to onedrive', 'onedrive:delete_document', 'onedrive:put_document'],
    ['schedule an event in the calendar', 'calendar:cancel_event', 'calendar:put_event'],
    ['new event for the calendar', 'calendar:cancel_event', 'calendar:put_event'],
  ] as const) {
    for (const mode of localModes) {
      const found = indexOf(office).search([ask(query)], { limit: 9, mode });
      assert.equal(found[0]?.key, wanted, `${query}, ${mode}`);
      assert.ok(scoreOf(found, destroyer) > 0, 'it is not hidden either');
    }
    // By words alone the one that destroys would be the best: it has as many of them and is said in fewer.
    const [first] = indexOf(office).search([ask(query)], { limit: 1, mode: 'bm25', filter: (key) => key !== wanted });
    const byWords = indexOf(office).search([ask(query)], { limit: 9, mode: 'bm25' });
    assert.equal(first?.key, destroyer);
    assert.ok(
      scoreOf(byWords, destroyer) + malusOf({ ...harmless, destroys: true }, nothing) > scoreOf(byWords, wanted),
    );
  }
});

test('it comes first where that is asked for, in whatever words', () => {
  for (const [query, wanted] of [
    ['delete a document on onedrive', 'onedrive:delete_document'],
    ['get rid of a document on onedrive', 'onedrive:delete_document'],
    ['I no longer need this document on onedrive', 'onedrive:delete_document'],
    ['throw the document away', 'onedrive:delete_document'],
    ['cancel the event', 'calendar:cancel_event'],
    ['remove an event from the calendar', 'calendar:cancel_event'],
  ] as const) {
    const [first] = indexOf(office).search([ask(query)], { limit: 1 });
    assert.equal(first?.key, wanted, query);
    assert.equal(first?.score.toFixed(6), '1.000000', 'nothing is taken off');
  }
});

test('where nothing else fits nearly as well, it still comes first', () => {
  const lonely = office.filter(({ key }) => key !== 'onedrive:put_document');
  const [first] = indexOf(lonely).search([ask('the document on onedrive')], { limit: 1 });
  assert.equal(first?.key, 'onedrive:delete_document');
});

test('a tool that is given up stands below the one of its server that replaces it', () => {
  for (const note of ['DEPRECATED: Use read_text_file.', '**Deprecated**', '[Obsolete]']) {
    const given = tool('files:read_file', `${note} Reads a file from disk.`, ['path']);
    const files = [given, tool('files:read_text_file', 'Reads a file from disk, as text.', ['path']), ...office];
    const same = files.map((one) => (one === given ? { ...one, description: 'Reads a file from disk.' } : one));
    for (const mode of localModes) {
      const keysIn = (documents: readonly SearchDocument[]) =>
        indexOf(documents)
          .search([ask('read a file')], { limit: 2, mode })
          .map((hit) => hit.key);
      assert.deepEqual(keysIn(files), ['files:read_text_file', 'files:read_file'], `${note} ${mode}`);
      assert.deepEqual(keysIn(same), ['files:read_file', 'files:read_text_file'], `without ${note} ${mode}`);
    }
  }
});

test('a penalty is forgotten with its tool, and follows its replacement', () => {
  const index = indexOf(office);
  const query = ask('upload a document to onedrive');
  const before = index.search([query], { limit: 9, mode: 'bm25' });
  // Its slot is used again by the next one.
  index.remove('onedrive:delete_document');
  index.add(tool('onedrive:whole_document', 'The whole document in OneDrive.', ['document']));
  const after = index.search([query], { limit: 9, mode: 'bm25' });
  assert.ok(scoreOf(after, 'onedrive:whole_document') > scoreOf(before, 'onedrive:delete_document') + 0.1);
});

test('the first or the last word of a name says whether a tool destroys', () => {
  for (const name of [
    'delete_document',
    'deleteDocument',
    'document-delete',
    'purge',
    'rm',
    'users.remove',
    'cancelOrder',
  ])
    assert.ok(cautionOf(tool(`s:${name}`, '')).destroys, name);
  for (const name of ['read_document', 'get_delete_policy', 'clearance_of', 'dropbox_list', 'disc'])
    assert.ok(!cautionOf(tool(`s:${name}`, 'Says what was deleted, and how to delete more.')).destroys, name);
});

test('only a text that begins by giving up its tool, or names another to use, gives it up', () => {
  const isGivenUp = (text: string) => cautionOf(tool('s:t', text)).isGivenUp;
  for (const text of ['Deprecated.', '(deprecated) Old.', '⚠️ DEPRECATED', 'Reads. Deprecated: use other.'])
    assert.ok(isGivenUp(text), text);
  for (const text of ['Lists deprecated packages.', 'Finds obsolete parts.', '', 'Undeprecated.'])
    assert.ok(!isGivenUp(text), text);
});

test('nothing is taken off other tools, nor off one that destroys where that is asked for', () => {
  const toDestroy = { ...nothing, toDestroy: true };
  assert.deepEqual([malusOf(harmless, toDestroy), malusOf(harmless, nothing)], [0, 0]);
  assert.equal(malusOf({ ...harmless, destroys: true }, toDestroy), 0);
  const [destroys, givenUp] = [
    malusOf({ ...harmless, destroys: true }, nothing),
    malusOf({ ...harmless, isGivenUp: true }, toDestroy),
  ];
  assert.ok(destroys > 0 && givenUp > 0);
  assert.equal(malusOf({ ...harmless, destroys: true, isGivenUp: true }, nothing), destroys + givenUp);
  const [first] = indexOf(office).search([ask('send a letter')], { limit: 1 });
  assert.deepEqual([first?.key, first?.score.toFixed(6)], ['mail:send', '1.000000']);
});

test('a query asks to destroy by a word for it, not by a part of another word', () => {
  for (const query of ['deleting files', 'Erase it', 'please cancel', 'get rid of it', 'not needed anymore'])
    assert.ok(askedBy(query).toDestroy, query);
  for (const query of ['upload a document', 'dropbox folders', 'the weather', '', 'send a letter'])
    assert.ok(!askedBy(query).toDestroy, query);
});

test('a question asks to read and an order asks to write, unless the words say otherwise', () => {
  const formOf = (query: string) => {
    const { toRead, toWrite } = askedBy(query);
    return toRead ? 'read' : toWrite ? 'write' : null;
  };
  for (const query of ['what is on my calendar', 'Are there new mails?', 'please show the page', 'when was it changed'])
    assert.equal(formOf(query), 'read', query);
  for (const query of ['add milk to my list', 'can you write a letter', 'rename the branch'])
    assert.equal(formOf(query), 'write', query);
  for (const query of [
    'how do I create a folder',
    'the weather',
    'is it time to delete it',
    'have the invoice paid',
    '',
  ])
    assert.equal(formOf(query), null, query);
});

test('the form is that of the query as it was written', () => {
  assert.equal(askedBy('am I free', 'calendar free busy').toRead, true);
  assert.equal(askedBy('open a request', 'create request').toWrite, true);
});

test('of two tools that fit alike, the one that does what was asked comes first', () => {
  const tasks = [
    tool('todo:create_task', 'Creates a task in a list.', ['list', 'task']),
    tool('todo:list_tasks', 'Lists the tasks of a list.', ['list', 'task']),
    ...office,
  ];
  for (const [query, wanted] of [
    ['are there tasks', 'todo:list_tasks'],
    ['add a task', 'todo:create_task'],
  ] as const)
    for (const mode of localModes)
      assert.equal(indexOf(tasks).search([ask(query)], { limit: 1, mode })[0]?.key, wanted, `${query}, ${mode}`);
});

function tool(key: string, description: string, parameters: readonly string[] = []): SearchDocument {
  const [server = '', name = ''] = key.split(':');
  const described = parameters.map((parameter) => ({ name: parameter, description: '' }));
  return { key, server, serverText: '', name, description, parameters: described };
}

function scoreOf(hits: readonly Hit[], key: string): number {
  return hits.find((hit) => hit.key === key)?.score ?? 0;
}
