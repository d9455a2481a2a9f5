/** Pictures in the result of a program. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../config/config.ts';
import type { ChainEnd } from './run-chain.ts';
import { showMedia } from './show-media.ts';

function ended(result: unknown): ChainEnd {
  return { report: { resultJson: JSON.stringify(result), logs: [], lostLogs: 0, notes: [] }, calls: [], kept: [] };
}
const picture = { type: 'image', mimeType: 'image/png', data: 'iVBORw0=' };

test('pictures and sound are shown beside the result, which says where', () => {
  const sound = { type: 'audio', mimeType: 'audio/wav', data: 'UklGRg==' };
  const { end, blocks } = showMedia(ended({ title: 'x', content: [{ type: 'text', text: 'y' }, picture, sound] }));
  assert.deepEqual(blocks, [picture, sound]);
  const result = JSON.parse(end.report.resultJson ?? '');
  assert.deepEqual(result.content[1], { ...picture, data: 'shown beside this JSON, as number 1' });
  assert.match(result.content[2].data, /number 2/);
  assert.equal(result.content[0].text, 'y');
});

test('what is no picture, or too large to be shown, stays where it is', () => {
  for (const result of [
    'a text',
    { data: 'x', mimeType: 'y' },
    { ...picture, data: 'x'.repeat(limits.shownMediaBytes + 1) },
    { ...picture, data: 5 },
  ]) {
    const given = ended(result);
    assert.deepEqual(showMedia(given), { end: given, blocks: [] });
  }
});
