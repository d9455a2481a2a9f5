/** Prompts mined from traffic: how queries are labelled, and what of them is never kept. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskPersonal } from './mask-personal.ts';
import { minePrompts } from './mine.ts';

const definition = { name: 'read_file', description: 'Reads the text of a file from disk.' };
const tool = { toolKey: 'files:read_file', toolName: 'read_file', definition };
const asked = (query: string, toolKey = tool.toolKey, ok = 1, count = ok) => ({ query, toolKey, ok, count });
const wanted = { direct: 5, indirect: 5, negative: 2 };

test('a query followed by a successful call is a prompt, and one that led elsewhere a negative, the likest first', () => {
  const prompts = minePrompts(
    tool,
    [
      asked('open the file with my plans'),
      asked('what did i write down yesterday', tool.toolKey, 4),
      asked('send it to everybody', 'mail:send'),
      asked('write text to a file on disk', 'files:write_file'),
      asked('which of the two is it', 'mail:send', 2),
      asked('which of the two is it', tool.toolKey, 1),
    ],
    wanted,
  );
  assert.deepEqual(
    prompts.map(({ category, prompt, expectedBehavior }) => [category, prompt, expectedBehavior?.tool]),
    [
      ['direct', 'open the file with my plans', undefined],
      ['indirect', 'what did i write down yesterday', undefined],
      ['negative', 'write text to a file on disk', 'files:write_file'],
      ['negative', 'send it to everybody', 'mail:send'],
    ],
  );
});

test('queries that mostly failed, or say too little without what is masked, are no prompts', () => {
  const queries = [
    asked('read the other file please', tool.toolKey, 1, 3),
    asked('file a.b@example.com'),
    asked('show it'),
    asked('"a long title in quotes"'),
  ];
  assert.deepEqual(minePrompts(tool, queries, wanted), []);
});

test('two queries that differ only in personal data are one prompt', () => {
  const queries = [asked('read the letter of ann@example.com'), asked('read the letter of bob@example.org')];
  assert.deepEqual(
    minePrompts(tool, queries, wanted).map(({ prompt }) => prompt),
    ['read the letter of ***'],
  );
});

test('secrets and personal data are masked, and the need is left', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['mail jane.doe@example.com the report', 'mail *** the report'],
    ['call +44 20 7946 0958 about the bill', 'call *** about the bill'],
    ['pay from de89 3704 0044 0532 0130 00 now', 'pay from *** now'],
    ['is 192.168.10.20 up', 'is *** up'],
    ['open c:\\users\\jdoe\\notes.txt', 'open c:\\users\\***\\notes.txt'],
    ['dear mrs miller smith, write back', 'dear mrs ***, write back'],
    ['ask john smith about the contract', 'ask *** about the contract'],
    ['ping @jane_d on slack', 'ping *** on slack'],
    ['my name is ada lovelace', 'my name is ***'],
    ['find "the merger of acme" in mail', 'find *** in mail'],
    ['fetch https://intra.example/users/7?u=x please', 'fetch *** please'],
    ['born 1980-12-24 in rome', 'born *** in rome'],
    ['use token=abcdef123456 to log in', 'use token=*** to log in'],
  ];
  for (const [text, masked] of cases) assert.equal(maskPersonal(text), masked);
});

test('ordinary requests stay as they are', () => {
  for (const text of [
    'list the 10 newest commits of 2024',
    'what is the weather in paris at 18:30 tomorrow',
    'will it rain in may; mark the days',
    'convert 12.5 miles to kilometres',
    'compare version 1.2.3 with 2.0',
  ])
    assert.equal(maskPersonal(text), text);
});
