/** Visits of the dashboard use a tab again; one finds nothing of those before it. */

import assert from 'node:assert/strict';
import { browserTest } from './browser.ts';
import { sharedDay } from './shared-day.ts';

browserTest('a visit in a tab that was used before finds nothing there', async ({ open }) => {
  const day = await sharedDay();
  const first = await open(day);
  const requests: string[] = [];
  first.page.on('request', (request) => requests.push(request.url()));
  await first.page.route('**/*', (route) => route.abort());
  await first.page.context().addCookies([{ name: 'left', value: 'here', url: day.url }]);
  await first[Symbol.asyncDispose]();
  requests.length = 0;
  const second = await open(day, undefined, { signsIn: false, expects: /status of 401/ });
  assert.equal(second.page, first.page);
  await second.page.goto(day.url);
  await second.page.getByRole('heading', { name: 'Not signed in' }).waitFor();
  assert.deepEqual(await second.page.context().cookies(), []);
  assert.deepEqual(requests, []);
});
