/** Relevance reads as a probability and moves with the evidence. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ModelKind } from '../meaning/meaning.ts';
import { type Evidence, relevanceOf } from './relevance.ts';

const part = fc.double({ min: 0, max: 1, noNaN: true });
const kinds = fc.constantFrom<ModelKind>('table', 'encoder');
const maybe = fc.option(part, { nil: null });
const evidence = fc
  .record({ coverage: maybe, meaning: maybe, share: part })
  .filter(({ coverage, meaning }) => coverage !== null || meaning !== null);

test('relevance lies between 0 and 1 and never falls when evidence grows', () => {
  fc.assert(
    fc.property(evidence, kinds, fc.constantFrom('coverage', 'meaning', 'share'), part, (known, kind, name, more) => {
      const before = relevanceOf(known, kind);
      assert.ok(before > 0 && before < 1);
      const value = known[name as keyof Evidence];
      if (value === null) return;
      assert.ok(relevanceOf({ ...known, [name]: value + more * (1 - value) }, kind) >= before);
    }),
  );
});

test('the best evidence of each kind reads as likely, and poor evidence as unlikely', () => {
  const best = [
    { coverage: 1, meaning: null },
    { coverage: null, meaning: 0.9 },
    { coverage: 1, meaning: 0.9 },
  ];
  const kind = 'table';
  for (const known of best) assert.ok(relevanceOf({ ...known, share: 1 }, kind) > 0.75, JSON.stringify(known));
  const poor = [
    { coverage: 0.1, meaning: null },
    { coverage: null, meaning: 0.1 },
    { coverage: 0.1, meaning: 0.1 },
  ];
  for (const known of poor) assert.ok(relevanceOf({ ...known, share: 0.3 }, kind) < 0.1, JSON.stringify(known));
});
