/** Which category a tool gets: telling cases, and what happens with strange definitions and files. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CategoryJudge, categories, serverTextOf } from './categories.ts';

const judge = new CategoryJudge();

interface Case {
  readonly name: string;
  readonly description: string;
  readonly server: string;
  readonly serverText?: string;
  readonly category: string;
}

/** Each has a word that points the wrong way, or none that points anywhere. */
const telling: readonly Case[] = [
  {
    name: 'update_profile',
    description: 'Change the profile of a customer: company, phone, owner of the account',
    server: 'hubspot',
    category: 'crm',
  },
  {
    name: 'get_token_price',
    description: 'Current market price of a token in dollars, with its 24 hour change',
    server: 'dex',
    category: 'payments',
  },
  {
    name: 'create_checkout',
    description: 'Start a checkout in which a customer pays an amount by card',
    server: 'shop',
    category: 'payments',
  },
  {
    name: 'git_checkout',
    description: 'Switch the working tree to another branch',
    server: 'git',
    category: 'git',
  },
  {
    name: 'create_pull_request',
    description: 'Open a pull request from a branch, with title and reviewers',
    server: 'forge',
    category: 'github',
  },
  {
    name: 'list_members',
    description: 'Who is in it',
    server: 'slack',
    serverText: serverTextOf('Reads and writes messages in the channels of a Slack workspace.', [
      'post_message',
      'list_channels',
      'add_reaction',
    ]),
    category: 'messaging',
  },
  {
    name: 'find_free_slots',
    description: 'When all of the invited people have time next week',
    server: 'planner',
    category: 'calendar',
  },
  {
    name: 'rename',
    description: 'Give a file or a folder on the disk another name',
    server: 'disk',
    category: 'file_operations',
  },
  {
    name: 'run_statement',
    description: 'Run a read-only SQL statement and return the rows',
    server: 'warehouse',
    category: 'database',
  },
  {
    name: 'send_push',
    description: 'Let a phone buzz with a short notification, title and priority',
    server: 'pushover',
    category: 'notification',
  },
  {
    name: 'forecast',
    description: 'The weather of the coming days at a place: rain, wind, temperature',
    server: 'weather',
    category: 'other',
  },
  {
    name: 'move_to_trash',
    description: 'Throw away a message of the inbox, with its attachments',
    server: 'gmail',
    category: 'email',
  },
];

for (const { name, description, server, serverText, category } of telling) {
  test(`${server}:${name} is ${category}`, () => {
    assert.equal(judge.categoryOf({ name, description }, server, serverText), category);
  });
}

test('an unreadable tool has the category other', () => {
  for (const definition of [{}, { name: 7 }, { name: '' }]) assert.equal(judge.categoryOf(definition, 'x'), 'other');
});

test('a definition is judged anew when its server says something else of itself, and only then', () => {
  let reads = 0;
  const definition = {
    get name() {
      reads += 1;
      return 'list_members';
    },
    description: 'Who is in it',
  };
  const mail = 'Sends mail and reads the inbox.';
  const first = judge.categoryOf(definition, 'x', mail);
  const readsOfOne = reads;
  assert.equal(judge.categoryOf(definition, 'x', mail), first);
  assert.equal(reads, readsOfOne);
  assert.notEqual(judge.categoryOf(definition, 'x', 'Kubernetes clusters, pods and deployments.'), first);
  assert.equal(judge.categoryOf(definition, 'x', mail), first);
});

test('there are 21 categories with different names, and the last one takes the rest', () => {
  assert.equal(new Set(categories.map(({ name }) => name)).size, 21);
  assert.equal(categories.at(-1)?.name, 'other');
});

test('a server is described by its own words and its first tools, both within limits', () => {
  assert.equal(serverTextOf('', []), '');
  assert.equal(serverTextOf('Mail.', ['sendMail', 'read_mail']), 'Mail. send mail, read mail');
  const long = serverTextOf(
    'a'.repeat(10_000),
    Array.from({ length: 5_000 }, (_, at) => `tool_${at}`),
  );
  assert.ok(long.length < 1_000);
});

test('weights that are missing, damaged or of something else leave every tool in other, and the problem is named', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'categories-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const good = readFileSync(join(import.meta.dirname, '../../assets/categories.bin'));
  const other = Buffer.from(good);
  other.write('toolcrib-table-9', good.indexOf('toolcrib-table-1'));
  const bad = { empty: Buffer.alloc(0), short: good.subarray(0, -16), magic: Buffer.from(good).fill(0, 0, 4), other };
  for (const [name, bytes] of Object.entries(bad)) {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    assert.match(
      problemOf(path),
      /^Tools have no categories: The model file .* is damaged or of another version\.$/,
      name,
    );
  }
  assert.match(problemOf(join(folder, 'missing')), /^Tools have no categories: ENOENT/);
  assert.equal(judge.problem, null);
});

/** The problem that a judge reports for this file, after it had to do without it. */
function problemOf(path: string): string {
  const without = new CategoryJudge(path);
  for (const name of ['read_file', 'write_file'])
    assert.equal(without.categoryOf({ name, description: 'Files on the disk' }, 'disk'), 'other');
  return without.problem ?? '';
}
