/** Tests of the operations of a gateway in another process: answers that are cut short. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { linesType } from '../../base/json.ts';
import { connectAdmin } from './client.ts';

/** A gateway that begins an answer and dies. */
async function dyingGateway(t: { after(done: () => void): void }, headers: OutgoingHttpHeaders, text: string) {
  const server = createServer((_request, response) => {
    response.writeHead(200, headers).write(text, () => response.socket?.end());
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return connectAdmin(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'x');
}

const ended = { code: 'UNREACHABLE', message: 'The gateway ended before it had answered.', hint: /toolcrib audit/ };

test('a gateway that dies in the middle of its answer is unreachable', async (t) => {
  const admin = await dyingGateway(t, { 'content-type': 'application/json', 'content-length': 99 }, '{"a":');
  await assert.rejects(admin.run('secrets.list', {}), ended);
});

test('a gateway that dies after a line of progress is unreachable, and a failure of the listener stays its own', async (t) => {
  const admin = await dyingGateway(t, { 'content-type': linesType }, '{"progress":{"text":"one"}}\n');
  const told: unknown[] = [];
  await assert.rejects(
    admin.run('secrets.list', {}, undefined, (progress) => told.push(progress)),
    ended,
  );
  assert.deepEqual(told, [{ text: 'one' }]);
  const own = new Error('of the listener');
  await assert.rejects(
    admin.run('secrets.list', {}, undefined, () => {
      throw own;
    }),
    own,
  );
});
