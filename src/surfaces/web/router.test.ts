/** The address of the page, which decides what is shown. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { openLiveStage } from '../../../test/kit/live-stage.ts';
import { useAddress } from './router.ts';

test('an address that changes right after the page was drawn is shown', async (t) => {
  const page = new EventTarget();
  Object.assign(globalThis, {
    addEventListener: page.addEventListener.bind(page),
    removeEventListener: page.removeEventListener.bind(page),
  });
  const shown: string[] = [];
  openLiveStage(t).show(() => {
    shown.push(useAddress().page);
    return null;
  });
  t.after(() => {
    for (const name of ['addEventListener', 'removeEventListener']) Reflect.deleteProperty(globalThis, name);
  });
  location.hash = '#/servers';
  page.dispatchEvent(new Event('hashchange'));
  await turn();
  assert.deepEqual(shown, ['', 'servers']);
});
