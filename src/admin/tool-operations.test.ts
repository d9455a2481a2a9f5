/** Lists of tools by hand: a server of which nothing is known is not one without tools. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeAgent } from '../../test/kit/made-call.ts';
import { writtenSnapshot } from '../../test/kit/written-catalog.ts';
import { everybody, type Principal } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { parseServer } from '../config/config.ts';
import type { AdminContext } from './operation.ts';
import { toolOperations } from './tool-operations.ts';

const message = 'Server "files" exited with code 1.';

function listFor(principal: Principal, server: string | undefined) {
  const spec = parseServer('files', { command: 'serve' }, {}, 'file');
  // Only these members are used.
  const context = {
    registry: { find: () => spec },
    catalog: {
      snapshot: { servers: new Map([['files', { spec, tools: [], listedAt: null }]]), tools: new Map() },
      settle: async () => {},
      refresh: async () => {
        throw new GatewayError('SERVER_DISCONNECTED', message);
      },
    },
  } as unknown as AdminContext;
  const { signal } = new AbortController();
  const input = { server, category: undefined };
  return toolOperations['tools.list'].run({ context, input, principal, agent: madeAgent(), signal });
}

test('the list of one server that could never be listed is its trouble; that of all is what there is', async () => {
  await assert.rejects(listFor(everybody, 'files'), { code: 'SERVER_DISCONNECTED', message });
  assert.deepEqual(await listFor(everybody, undefined), []);
});

test('a token without access to the server hears only that there is none', async () => {
  const stranger = { ...everybody, scopes: new Set(['use']), servers: ['other'] } as Principal;
  await assert.rejects(listFor(stranger, 'files'), {
    code: 'SERVER_NOT_FOUND',
    message: 'There is no server "files".',
  });
});

test('the list of a category lets others go first, also where most tools are of another one', async () => {
  const names = Array.from({ length: 1_000 }, (_, at) => [`tool_${at}`, 'Reads a file.']);
  let looked = 0;
  // Only these members are used.
  const context = {
    catalog: { snapshot: writtenSnapshot({ files: Object.fromEntries(names) }), settle: async () => {} },
    search: {
      categoryOf: () => {
        looked += 1;
        return 'other';
      },
    },
  } as unknown as AdminContext;
  const input = { server: undefined, category: 'file_operations' };
  const { signal } = new AbortController();
  const listed = toolOperations['tools.list'].run({ context, input, principal: everybody, agent: madeAgent(), signal });
  await new Promise(setImmediate);
  assert.ok(looked > 0 && looked < 500, `${looked} in one turn`);
  assert.deepEqual(await listed, []);
  assert.equal(looked, 1_000);
});
