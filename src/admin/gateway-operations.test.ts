/** The doctor beside trouble of its own. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeAgent } from '../../test/kit/made-call.ts';
import { everybody } from '../access/access.ts';
import { GatewayError } from '../base/errors.ts';
import { gatewayOperations } from './gateway-operations.ts';
import type { AdminContext } from './operation.ts';

/** A gateway without servers; only these members are used. */
function contextWith(failure: Error): AdminContext {
  const facts = { configProblem: null, configWarnings: [], isAuthOff: false };
  return {
    about: () => facts,
    config: () => ({ access: { trustedFrontEnds: [] }, surfaces: { projects: new Map() } }),
    registry: { specs: [], hidden: [] },
    search: { status: { problems: [] } },
    store: { listSecrets: () => Promise.reject(failure) },
    vault: { location: async () => null },
    disclosure: { of: () => Promise.reject(failure) },
  } as unknown as AdminContext;
}

const signal = new AbortController().signal;
const diagnose = (failure: Error) =>
  gatewayOperations['gateway.doctor'].run({
    context: contextWith(failure),
    input: { connect: false },
    principal: everybody,
    agent: madeAgent(),
    signal,
  });

test('a store that cannot be read is a finding, and the others are told all the same', async () => {
  const { surfaces, findings } = await diagnose(
    new GatewayError('STORE_BROKEN', 'It is damaged.', { hint: 'Mend it.' }),
  );
  assert.equal(surfaces, null);
  assert.deepEqual(
    findings.map(({ severity, subject }) => [severity, subject]),
    [
      ['note', 'servers'],
      ['problem', 'store'],
    ],
  );
  assert.deepEqual([findings[1]?.message, findings[1]?.hint], ['It is damaged.', 'Mend it.']);
});

test('a bug is not taken for trouble of the store', async () => {
  await assert.rejects(diagnose(new TypeError('not a function')), TypeError);
});
