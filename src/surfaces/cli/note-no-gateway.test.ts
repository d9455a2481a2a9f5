/** Without a gateway: said where a server is not known, and not where something else is wrong. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatewayError } from '../../base/errors.ts';
import { noteNoGateway, noteUnknownServer } from './note-no-gateway.ts';

const place = { dataDir: '/data/toolcrib' };

test('it is one line with the folder and what follows', () => {
  const note = noteNoGateway(place, 'no call can wait');
  assert.equal(note, 'note: no gateway runs for the data folder /data/toolcrib, so no call can wait.');
});

test('only a server that is not known may be one of a gateway that has ended', () => {
  const unknown = new GatewayError('SERVER_NOT_FOUND', 'There is no server "math".');
  assert.match(noteUnknownServer(place, unknown), /^note: no gateway runs .*start --demo" are missing\.$/);
  const off = new GatewayError('SERVER_NOT_FOUND', 'Server "a" is switched off.', { data: { isSwitchedOff: true } });
  const others = [off, new GatewayError('TOOL_NOT_FOUND', 'There is no tool "x".'), new Error('x')];
  for (const error of others) assert.equal(noteUnknownServer(place, error), '');
});
