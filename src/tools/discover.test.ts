/** Tools in a few words. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { type BriefRequest, briefTools } from './discover.ts';

const sentence =
  'Searches the work items of a project by a query in its own language, with fields such as status, assignee and sprint, and gives the keys and the summaries of all that match it.';
const names =
  'project query status assignee reporter sprint labels component created_after created_before updated_after order_by max_results start_at expand'.split(
    ' ',
  );
const properties = Object.fromEntries(names.map((name) => [name, { type: 'array', items: { type: 'integer' } }]));
const inputSchema = { properties, required: names.slice(0, 2) };

/** As many as an answer has, beside `otherBytes` of other members. */
function requests(description: string, otherBytes = 150): BriefRequest[] {
  const definition = { name: 'x', description, inputSchema };
  return Array.from({ length: 10 }, (_, rank) => ({ definition, rank, other: 'x'.repeat(otherBytes) }));
}

test('the first of several wordy tools has most room, and every one begins with what must be given', () => {
  const briefs = briefTools(requests(sentence, 100));
  const lengths = briefs.map(({ description, parameters }) => description.length + parameters.length);
  assert.deepEqual(
    lengths,
    lengths.toSorted((a, b) => b - a),
  );
  assert.ok((lengths[0] ?? 0) > 2 * (lengths[9] ?? 0), String(lengths));
  for (const { parameters } of briefs) assert.match(parameters, /^project/);
});

test('the more is said beside them, the shorter they are; beside a little, ten take at most 280 tokens', () => {
  const tokens = [80, 150, 200].map((bytes) => countTokens(JSON.stringify(briefTools(requests(sentence, bytes)))));
  assert.deepEqual(
    tokens,
    tokens.toSorted((a, b) => b - a),
  );
  assert.ok((tokens[0] ?? 0) > (tokens[2] ?? 0), String(tokens));
  // The names of the two members are counted with what stands beside them.
  assert.ok((tokens[1] ?? 0) - 10 * 6 <= 280, String(tokens));
});

test('a text of another script takes about as many tokens as one of ours', () => {
  const texts = {
    Chinese: '按照查询语言搜索项目中的所有工作项并返回匹配项的键和摘要以及链接',
    Hindi: 'ग्राहक के सभी चालान खोजें और स्थिति के अनुसार प्रत्येक चालान की राशि और तिथि अपडेट करें ',
    Amharic: 'የደንበኛውን ሁሉንም ደረሰኞች ይፈልጉ እና እንደ ሁኔታው እያንዳንዱን ደረሰኝ መጠን እና ቀን ያዘምኑ ',
    Russian: 'Ищет все счета клиента и меняет сумму и дату каждого по его состоянию и возвращает список ',
    pictures: '📦🧾🪪🫠🧮🪙🗄️🧷🪡🧵🪢🧶🪣🧹🧺🪠🧻🪥🧼🫧🪒🧽🧯🛢️',
  };
  for (const [script, text] of Object.entries(texts)) {
    const briefs = briefTools(requests(text.repeat(5)));
    const tokens = countTokens(briefs.map(({ description }) => description).join('\n'));
    assert.ok(tokens <= 300, `${script}: ${tokens}`);
    for (const { description } of briefs) assert.ok(description.length > 5, `${script}: ${description}`);
  }
});

test('a short text is whole at every rank', () => {
  const definition = { name: 'x', description: 'Reads a file.', inputSchema: { properties: { path: {} } } };
  const rows = [0, 2, 9, 99].map((rank) => ({ definition, rank, other: 'x'.repeat(150) }));
  for (const brief of briefTools(rows)) assert.deepEqual(brief, { description: 'Reads a file.', parameters: 'path?' });
  const nothing = briefTools([{ definition: { name: 'x' }, rank: 0, other: 'x'.repeat(1_000) }]);
  assert.deepEqual(nothing, [{ description: '', parameters: '' }]);
});
