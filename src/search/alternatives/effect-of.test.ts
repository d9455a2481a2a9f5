/** Side effects are read with caution: by MCP's defaults, by names, and never to a server's advantage. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effectOf, isStronger, onlyReads } from './effect-of.ts';

type Annotations = Readonly<Record<string, unknown>>;

const reads = { readOnlyHint: true };
const adds = { readOnlyHint: false, destructiveHint: false };
const destroys = { readOnlyHint: false, destructiveHint: true };

test('reading is weaker than adding, adding than what says nothing, and that than what says that it destroys', () => {
  const order = [reads, adds, {}, destroys];
  for (const [at, stronger] of order.entries())
    for (const [below, weaker] of order.entries())
      assert.equal(isStrongerWith(stronger, weaker), at > below, `${at} beside ${below}`);
});

test('a tool that says that it writes, and not how, destroys by default', () => {
  assert.ok(isStrongerWith({ readOnlyHint: false }, adds));
  assert.ok(isStrongerWith({ readOnlyHint: false }, {}));
  assert.ok(!isStrongerWith({ readOnlyHint: false }, destroys));
});

test('a tool that contradicts itself counts by the worse as an alternative, and by the better as what failed', () => {
  const both = { readOnlyHint: true, destructiveHint: true };
  assert.ok(isStrongerWith(both, adds));
  assert.ok(isStrongerWith(destroys, both));
  assert.ok(!onlyReads(effectOf({ name: 'look', annotations: both })));
});

test('hints that are no booleans, or no object at all, say nothing', () => {
  for (const annotations of [{ readOnlyHint: 'true' }, { readOnlyHint: 1 }, 'readOnly', null, [reads]])
    assert.ok(isStrongerWith(annotations as Annotations, adds), JSON.stringify(annotations));
});

test('an open-world tool is stronger than a closed one; a tool without a hint is open-world', () => {
  const closed = { ...reads, openWorldHint: false };
  assert.ok(isStrongerWith({ ...reads, openWorldHint: true }, closed));
  assert.ok(isStrongerWith(reads, closed));
  assert.ok(!isStrongerWith(closed, reads));
});

test('a tool that must not be repeated is stronger than an idempotent one', () => {
  const repeatable = { ...adds, idempotentHint: true };
  assert.ok(isStrongerWith(adds, repeatable));
  assert.ok(!isStrongerWith(repeatable, adds));
  // Reading may always be repeated.
  assert.ok(!isStrongerWith(reads, repeatable));
});

test('a name that tells of more than its server claims counts', () => {
  const said = { ...reads, openWorldHint: false };
  const failed = effectOf({ name: 'list_files', annotations: said });
  for (const name of [
    'delete_everything',
    'file_delete',
    'removeFiles',
    'find_and_replace',
    'get_or_create',
    'deletefile',
  ])
    assert.ok(isStronger(effectOf({ name, annotations: said }), failed), name);
  for (const name of ['get_files', 'search_files', 'list_deleted', 'files', 'get_post'])
    assert.ok(!isStronger(effectOf({ name, annotations: said }), failed), name);
  assert.ok(!onlyReads(effectOf({ name: 'delete_everything', annotations: reads })));
  assert.ok(onlyReads(effectOf({ name: 'list_files', annotations: reads })));
});

test('where nobody says anything, names decide: what writes is no stand-in for what reads', () => {
  const of = (name: string) => effectOf({ name });
  assert.ok(isStronger(of('create_issue'), of('list_issues')));
  assert.ok(isStronger(of('delete_issue'), of('update_issue')));
  assert.ok(isStronger(of('delete_issue'), of('issues')));
  assert.ok(!isStronger(of('list_issues'), of('create_issue')));
  assert.ok(!isStronger(of('remove_issue'), of('delete_issue')));
  assert.ok(!isStronger(effectOf({ name: 'remove_issue', annotations: destroys }), of('delete_issue')));
});

test('a word that may be a thing or an act never gives more than the same word does', () => {
  const of = (name: string) => effectOf({ name });
  assert.ok(!isStronger(of('post_message'), of('message_post')));
  assert.ok(isStronger(of('post_message'), of('read_message')));
  // As what failed it may only have read.
  assert.ok(isStronger(of('create_message'), of('post')));
  assert.ok(isStronger(of('delete_cancellation'), of('list_cancellations')));
});

function isStrongerWith(annotations: Annotations, than: Annotations): boolean {
  return isStronger(effectOf({ name: 'thing', annotations }), effectOf({ name: 'thing', annotations: than }));
}
