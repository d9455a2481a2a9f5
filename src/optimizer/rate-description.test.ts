/** Tests of the six questions that a description is rated by. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Question, questions, rateDescription } from './rate-description.ts';

function unanswered(definition: Parameters<typeof rateDescription>[0]): string[] {
  const rating = rateDescription(definition);
  return Object.keys(questions).filter((question) => !rating[question as Question]);
}

test('a description that only repeats the name answers nothing', () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const bare = { name: 'get_forecast', description: 'Get forecast.', inputSchema: schema };
  assert.deepEqual(unanswered(bare), ['purpose', 'use', 'avoid', 'needs', 'returns', 'limits']);
});

test('a whole description answers all six', () => {
  const description =
    'Tells the weather of the next days. Use it when the user plans ahead; for past days use get_history instead. Takes a city. Returns one line a day, at most 14.';
  const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  assert.deepEqual(unanswered({ name: 'get_forecast', description, inputSchema }), []);
});

test('schemas answer for needs and results', () => {
  const inputSchema = {
    type: 'object',
    properties: { city: { type: 'string', description: 'Its name.' } },
    required: ['city'],
  };
  const definition = { name: 'get_forecast', description: 'Get forecast.', inputSchema, outputSchema: {} };
  assert.deepEqual(unanswered(definition), ['purpose', 'use', 'avoid', 'limits']);
  assert.ok(rateDescription({ name: 'ping' }).needs, 'it needs nothing');
  const odd = { name: 'x', inputSchema: { required: ['__proto__', 7], properties: {} } };
  assert.equal(rateDescription(odd).needs, false);
});
