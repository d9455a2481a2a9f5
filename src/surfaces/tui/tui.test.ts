/** How much of the live state reaches a terminal that takes nothing for a while. */

import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import type { LiveState } from '../live/live.ts';
import { paceFor } from './tui.ts';

test('a terminal that stands still gets the newest state alone, once it goes on', async () => {
  const held: (() => void)[] = [];
  const terminal = new Writable({ write: (_chunk, _encoding, done) => void held.push(done) });
  const states = [1, 2, 3, 4].map((): LiveState => ({ connection: 'live', view: undefined }));
  const [first, second, third, fourth] = states as [LiveState, LiveState, LiveState, LiveState];
  const drawn: LiveState[] = [];
  // Of a terminal it uses what every stream has.
  const pace = paceFor(terminal as unknown as NodeJS.WriteStream, (state) => drawn.push(state));
  pace(first);
  assert.deepEqual(drawn, [first]);
  terminal.write('a frame');
  pace(second);
  pace(third);
  assert.equal(drawn.length, 1);
  while (terminal.writableLength > 0 || drawn.length < 2) {
    held.shift()?.();
    await new Promise(setImmediate);
  }
  assert.equal(drawn.length, 2);
  assert.equal(drawn[1], third);
  pace(fourth);
  assert.equal(drawn[2], fourth);
});
