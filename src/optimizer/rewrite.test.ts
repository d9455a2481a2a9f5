/** Tests of the rewriter: what it says of a tool, and what it leaves out. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goldenPrompt } from '../../test/kit/eval-records.ts';
import { checkCandidate } from './check-candidate.ts';
import { type RewriteSource, rewriteDescription, rivalOf } from './rewrite.ts';

const definition = {
  name: 'move_file',
  description: 'Move or rename files and directories. Fails if the destination exists.',
  inputSchema: { type: 'object', required: ['source', 'destination'] },
};

const source: RewriteSource = {
  definition,
  asked: [
    'Put invoice.pdf into the archive folder',
    'My folder is called drafts, it should be called done',
    'Shift the photos to another folder',
    'relocate drafts to the attic 2026',
  ],
  askedElsewhere: new Map([
    ['files:read', ['Show me the archive']],
    ['files:list', ['What is in this directory?']],
    ['files:write', ['Save this text, called notes']],
    ['files:stat', ['How large is the archive?']],
  ]),
  rival: { name: 'copy_file', definition: { name: 'copy_file', description: 'Copy a file to another place.' } },
  maxChars: 280,
};

test('a rewritten description keeps the first sentence and adds words that lead to this tool and to no other', () => {
  const [first = ''] = rewriteDescription(source, 1);
  assert.match(first, /^Move or rename files and directories\. Use it when the request is about /);
  assert.match(first, /\bfolder\b/);
  assert.match(first, /\bdrafts\b/);
  assert.doesNotMatch(first, /2026|invoice|\bthe archive\b/, 'a word of one prompt, or of others, says nothing');
  assert.match(first, /Not for this: Copy a file to another place \(use copy_file\)\.$/);
});

test('every variant is another text that passes the checks of candidates', () => {
  const texts = rewriteDescription(source, 10);
  assert.ok(texts.length >= 3);
  assert.equal(new Set(texts).size, texts.length);
  assert.ok(texts.some((text) => text.includes('Needs source and destination.')));
  const prompts = source.asked.map((prompt) => ({ prompt }));
  for (const description of texts) checkCandidate({ description }, { definition, prompts, maxChars: 280 });
});

test('the limit counts code points, and a description without words is named by the tool', () => {
  const long = { ...definition, description: `${'🙂'.repeat(300)}.` };
  for (const text of rewriteDescription({ ...source, definition: long, maxChars: 60 }, 10))
    assert.ok([...text].length <= 60, text);
  const [bare = ''] = rewriteDescription({ ...source, definition: { name: 'move_file' } }, 1);
  assert.match(bare, /^move file\. /);
});

test('where there is nothing to add there is no candidate', () => {
  const plain = { name: 'ping', description: 'Ping.' };
  const alone = { definition: plain, asked: [], askedElsewhere: new Map(), maxChars: 280 };
  assert.deepEqual(rewriteDescription(alone, 4), []);
});

test('the rival is the tool that most choosing prompts against this one lead to', () => {
  const against = (id: string, tool: string, part: 'choosing' | 'deciding') =>
    goldenPrompt(id, 'negative', { part, expectedBehavior: { shouldCallTool: false, tool } });
  const prompts = [
    against('a', 'weather:history', 'choosing'),
    against('b', 'weather:alerts', 'choosing'),
    against('c', 'weather:history', 'choosing'),
    ...['d', 'e', 'f'].map((id) => against(id, 'weather:alerts', 'deciding')),
  ];
  const [{ server = '', toolName = '' } = {}] = prompts;
  const history = { serverName: 'history', definition: { name: 'history', description: 'Past weather.' } };
  const tools = new Map([['weather:history', history]]);
  const rival = rivalOf(prompts, `${server}:${toolName}`, tools);
  assert.deepEqual(rival, { name: 'history', definition: history.definition });
  assert.equal(rivalOf(prompts, 'weather:other', tools), undefined);
});
