/** Components are drawn, and operations asked, for the parts of the live view that they use and for nothing else. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { useState } from 'preact/hooks';
import { openLiveStage, recordEvent, serverEvent } from '../../../test/kit/live-stage.ts';
import { useLive, useOperation } from './state.ts';

test('a page that shows servers is drawn with an event of a server, and not with a record', async (t) => {
  const { show, tell } = openLiveStage(t);
  const drawn: number[] = [];
  show(() => {
    drawn.push(useLive(({ servers }) => servers).size);
    return null;
  });
  for (const id of [1, 2, 3]) {
    tell(recordEvent(id));
    await turn();
  }
  assert.deepEqual(drawn, [0]);
  tell(serverEvent(4));
  await turn();
  assert.deepEqual(drawn, [0, 1]);
});

test('a page that asks after calls asks again for the first of many at once, and is drawn by the answer alone', async (t) => {
  const { show, tell } = openLiveStage(t);
  let askedCount = 0;
  t.mock.method(globalThis, 'fetch', async () => {
    askedCount += 1;
    return Response.json([askedCount]);
  });
  const drawn: unknown[] = [];
  show(() => {
    drawn.push(useOperation('metrics.servers', {}, ['calls']).data?.[0]);
    return null;
  });
  const shown = async (answer: number) => {
    while (drawn.at(-1) !== answer) {
      t.signal.throwIfAborted();
      await turn();
    }
  };
  await shown(1);
  for (const id of [1, 2, 3]) tell(recordEvent(id));
  await shown(2);
  tell(recordEvent(4));
  await turn();
  assert.deepEqual([drawn, askedCount], [[undefined, 1, 2], 2]);
});

test('an answer is shown for its own question only', async (t) => {
  const { show } = openLiveStage(t);
  t.mock.method(globalThis, 'fetch', async (_url: string, { body }: { body: string }) =>
    Response.json(JSON.parse(body)),
  );
  const drawn: unknown[] = [];
  let ask = (_name: string) => {};
  show(() => {
    const [name, setName] = useState('one');
    ask = setName;
    drawn.push([name, useOperation('servers.output', { name }).data?.name]);
    return null;
  });
  const answered = async (name: string) => {
    while (JSON.stringify(drawn.at(-1)) !== JSON.stringify([name, name])) {
      t.signal.throwIfAborted();
      await turn();
    }
  };
  await answered('one');
  ask('other');
  await answered('other');
  assert.deepEqual(drawn, [
    ['one', undefined],
    ['one', 'one'],
    ['other', undefined],
    ['other', 'other'],
  ]);
});
