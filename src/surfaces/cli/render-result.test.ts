/** Tests of showing the results of calls and the definitions of tools. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderSuggestions } from './commands/call.ts';
import { renderResult, splitAdvice } from './render-result.ts';
import { renderBrief, renderTool } from './render-tool.ts';
import { styleFor } from './style.ts';

const plain = styleFor({ write() {} }, {});

test('text is printed as it is, without what steers a terminal', () => {
  const content = [
    { type: 'text', text: 'one\r\ntwo\u001b[2J' },
    { type: 'text', text: 'three' },
  ];
  assert.equal(renderResult({ content }), 'one\ntwo[2J\nthree');
});

test('content that is not text is named with its size', () => {
  const data = Buffer.alloc(3_000).toString('base64');
  const content = [
    { type: 'image', mimeType: 'image/png', data },
    { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
    { type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'inside' } },
    { type: 'resource', resource: { uri: 'file:///b', mimeType: 'x/y', blob: 'AAAA' } },
    { type: 'resource_link', uri: 'file:///c', name: 'see' },
    { type: 'novelty\u0007' },
  ];
  assert.deepEqual(renderResult({ content }).split('\n'), [
    '[image: image/png, 3 KiB]',
    '[audio: audio/wav, 3 bytes]',
    'inside',
    '[resource: file:///b, x/y, 3 bytes]',
    '[link: file:///c see]',
    '[novelty]',
  ]);
});

test('structured content stands in where there is no content', () => {
  assert.equal(renderResult({ content: [], structuredContent: { sum: 3 } }), '{\n  "sum": 3\n}');
  assert.equal(renderResult({ content: [] }), '(The answer is empty.)');
});

test('advice of the gateway is told apart from what the tool said', () => {
  const said = { type: 'text', text: 'quota exceeded' };
  const advice = { type: 'text', text: 'The tool failed.\nRECOVERY: Correct the call\nSTEPS:\n1. Or call "b:find"' };
  const fallbackSuggestions = [{ toolKey: 'b:find', reason: 'Same \u001b[31mpurpose.' }];
  const failed = { content: [said, advice], isError: true, _meta: { 'toolcrib/fallback': { fallbackSuggestions } } };
  assert.equal(renderResult(failed), 'quota exceeded');
  const { suggestions } = splitAdvice(failed);
  assert.equal(renderSuggestions(suggestions), 'Other tools to try:\n  b:find  Same [31mpurpose.');
  const empty = { ...advice, text: advice.text.replace('The tool failed.', 'The answer is empty.') };
  assert.equal(renderResult({ ...failed, content: [empty] }), '(The answer is empty.)');
  assert.deepEqual(
    [splitAdvice(failed).remark, splitAdvice({ ...failed, content: [empty] }).remark],
    ['', 'The answer is empty.'],
  );
  assert.equal(renderResult({ ...failed, content: [said] }), 'quota exceeded');
  for (const nothing of [undefined, 'x', [], [null, 3]]) assert.equal(renderSuggestions(nothing), '');
});

test('a call of another tool instead is stated apart, too', () => {
  const fallback = { failed: { toolKey: 'a:find' }, tried: { toolKey: 'b:find', isOk: true } };
  const content = [
    { type: 'text', text: '"a:find" failed: gone. "b:find" was called instead.' },
    { type: 'text', text: 'found' },
  ];
  const result = { content, _meta: { 'toolcrib/fallback': fallback } };
  assert.equal(renderResult(result), 'found');
  assert.match(splitAdvice(result).remark, /^"a:find" failed: gone\./);
});

test('a tool is shown with its parameters, required ones first', () => {
  const inputSchema = {
    type: 'object',
    properties: {
      limit: { type: 'integer', default: 5, description: 'How many.' },
      path: { type: 'string', description: 'Where\u001b[31m.' },
      mode: { enum: ['a', 'b'] },
      tags: { type: 'array', items: { type: 'string' } },
      odd: true,
    },
    required: ['path'],
  };
  const definition = { title: 'Find', description: 'Finds.\nWell.', inputSchema, annotations: { readOnlyHint: true } };
  const text = renderTool({ toolKey: 'files:find', category: 'search', definition }, plain);
  assert.equal(
    text,
    [
      'files:find  Find',
      '',
      'Finds.\nWell.',
      '',
      'PARAMETER  TYPE            MEANING',
      'path       string          Where[31m.',
      'limit?     integer         How many. (default: 5)',
      'mode?      a|b',
      'tags?      list of string',
      'odd?       any',
      '',
      'category: search; the server says: reads only',
    ].join('\n'),
  );
});

test('briefly, a tool is two lines', () => {
  const tool = { toolKey: 'a:b', description: 'Does it.', parameters: '' };
  assert.equal(renderBrief(tool, plain), 'a:b  Does it.\n  takes: no parameters');
});
