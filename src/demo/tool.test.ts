/** Arguments are checked field by field, and every mistake is named. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  inputSchemaOf,
  integerBetween,
  number,
  numberBetween,
  optional,
  readFields,
  several,
  ToolRefusal,
  text,
  withDefault,
} from './tool.ts';

const fields = {
  city: text('A city.', 10),
  days: withDefault(integerBetween(1, 7, 'Days.'), 3),
  share: optional(numberBetween(0, 1, 'A share.')),
  numbers: optional(several(number('One.'), 1, 3, 'Numbers.')),
};

function refusal(args: Record<string, unknown>): string {
  try {
    readFields(fields, args);
  } catch (error) {
    if (error instanceof ToolRefusal) return error.message;
    throw error;
  }
  return 'accepted';
}

test('good arguments are read, with defaults for what was left out', () => {
  const values = readFields(fields, { city: 'Oslo', numbers: [1, 2.5] });
  assert.deepEqual(values, { city: 'Oslo', days: 3, share: undefined, numbers: [1, 2.5] });
});

test('every mistake is named with what is allowed', () => {
  assert.equal(refusal({}), '"city" is missing; it must be a text of 1 to 10 characters.');
  assert.equal(
    refusal({ city: 'x'.repeat(11) }),
    '"city" must be a text of 1 to 10 characters, but it is "xxxxxxxxxxx".',
  );
  assert.match(refusal({ city: ' ' }), /"city" must be a text/);
  assert.match(refusal({ city: 'Oslo', days: 1.5 }), /"days" must be a whole number from 1 to 7, but it is 1\.5\./);
  assert.match(refusal({ city: 'Oslo', days: '3' }), /but it is "3"\./);
  assert.match(refusal({ city: 'Oslo', share: 2 }), /"share" must be a number from 0 to 1/);
  assert.match(refusal({ city: 'Oslo', numbers: [] }), /a list of 1 to 3 items, each a number/);
  assert.match(refusal({ city: 'Oslo', numbers: [1, 'two'] }), /"numbers" must be a list/);
  assert.match(refusal({ city: null, days: 9 }), /"city" must be .* "days" must be /);
});

test('a parameter that does not exist is named, with the one that was meant', () => {
  assert.match(refusal({ city: 'Oslo', dayz: 2 }), /There is no parameter "dayz"; did you mean "days"\?/);
  assert.match(refusal({ city: 'Oslo', colour: 'red' }), /There is no parameter "colour"\.$/);
  assert.match(refusal(JSON.parse('{"city":"Oslo","__proto__":1}')), /There is no parameter "__proto__"/);
});

test('the schema says the same as the check', () => {
  assert.deepEqual(inputSchemaOf(fields), {
    type: 'object',
    properties: {
      city: { type: 'string', description: 'A city.', minLength: 1, maxLength: 10 },
      days: { type: 'integer', description: 'Days.', minimum: 1, maximum: 7, default: 3 },
      share: { type: 'number', description: 'A share.', minimum: 0, maximum: 1 },
      numbers: {
        type: 'array',
        description: 'Numbers.',
        items: { type: 'number', description: 'One.' },
        minItems: 1,
        maxItems: 3,
      },
    },
    required: ['city'],
    additionalProperties: false,
  });
});
