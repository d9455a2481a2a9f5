/** How long a link may take to open, with a clock that the test moves. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/kit/manual-clock.ts';
import { connectPatience } from './handshake.ts';

function patienceWith(runner: string | undefined) {
  const clock = new ManualClock();
  const options = {
    server: 'files',
    clock,
    connectTimeoutMs: 30_000,
    installTimeoutMs: 600_000,
    transport: { runner },
  };
  return { clock, patience: connectPatience(options) };
}

test('[LINK-43] a server that is started directly has the connect timeout, whatever it says', async () => {
  const { clock, patience } = patienceWith(undefined);
  await clock.advance(20_000);
  patience.onMessage();
  await clock.advance(10_000);
  assert.match(String(patience.signal.reason), /"files" did not finish connecting within 30 s\./);
});

test('[LINK-43] a silent package runner has the install timeout', async () => {
  const { clock, patience } = patienceWith('npx');
  await clock.advance(599_999);
  assert.equal(patience.signal.aborted, false);
  await clock.advance(1);
  assert.match(String(patience.signal.reason), /sent nothing within 600 s: npx was still installing it, or it hangs\./);
});

test('[LINK-43] from the first message on a package runner has the connect timeout', async () => {
  const { clock, patience } = patienceWith('npx');
  await clock.advance(500_000);
  patience.onMessage();
  await clock.advance(29_999);
  patience.onMessage();
  assert.equal(patience.signal.aborted, false);
  await clock.advance(1);
  assert.match(String(patience.signal.reason), /did not finish connecting within 30 s\./);
});

test('a link that is open is not given up, although messages still come', async () => {
  const { clock, patience } = patienceWith('npx');
  patience.end();
  patience.onMessage();
  await clock.advance(1_000_000);
  assert.equal(patience.signal.aborted, false);
});
