/** Findings: the error of a crashed server and not its stack, surfaces of no project, and the key for secrets. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '../base/log.ts';
import { parseServer } from '../config/config.ts';
import type { StoredSecret } from '../store/store.ts';
import { Vault } from '../vault/vault.ts';
import { examine } from './examine.ts';
import type { AdminContext } from './operation.ts';

/** Nothing to find. */
const plain = {
  about: () => ({ configWarnings: [], dataDir: '/nowhere' }),
  store: { listSecrets: async (): Promise<StoredSecret[]> => [] },
  vault: { location: async () => null },
};
const ofServers = ({ subject }: { readonly subject: string }) => subject !== 'secrets';

test('the lines shown of a crash hold the error, however long the trace below it is', async () => {
  const frames = Array.from({ length: 9 }, (_, at) => `    at load${at} (/srv/index.js:${at}:1)`);
  const stderr = ['Error: Failed to load native module: pty.node', ...frames, 'Node.js v26.10.0'].join('\n');
  const spec = parseServer('shell', { command: 'serve' }, {}, 'file');
  const status = { name: 'shell', state: 'failed', lastError: 'It exited.', hint: null, junkSample: '', stderr };
  // Only these members are used.
  const context = {
    ...plain,
    registry: { specs: [spec], hidden: [] },
    search: { status: { problems: [] } },
    config: () => ({ access: { trustedFrontEnds: [] }, surfaces: { projects: new Map() } }),
    downstream: { status: () => status },
    catalog: { pins: { countWaiting: () => ({ heldCount: 0, changedCount: 0 }) } },
  } as unknown as AdminContext;
  const [finding] = (await examine(context, false)).filter(ofServers);
  assert.deepEqual(finding?.output, ['Error: Failed to load native module: pty.node']);
});

test('a surface for a project is noted only where there is no such project', async () => {
  const made = ['shop', 'shop2'].map((name) => ({ name }));
  const surfaces = new Map(['shop2', 'shpo', 'office'].map((name) => [name, 'direct']));
  // Only these members are used.
  const context = {
    ...plain,
    registry: { specs: [parseServer('shell', { command: 'serve', disabled: true }, {}, 'file')], hidden: [] },
    search: { status: { problems: [] } },
    config: () => ({ access: { trustedFrontEnds: [] }, surfaces: { projects: surfaces } }),
    projects: { list: () => made, find: (name: string) => made.find((project) => project.name === name) },
    catalog: { pins: { countWaiting: () => ({ heldCount: 0, changedCount: 0 }) } },
  } as unknown as AdminContext;
  const notes = (await examine(context, false)).filter(({ subject }) => subject === 'config');
  assert.deepEqual(
    notes.map(({ message, hint }) => [message.match(/"(shop2|shpo|office)"/)?.[1], hint]),
    [
      ['shpo', 'Did you mean "shop"?'],
      ['office', 'Make it under "projects" of the config, or with: toolcrib project create office --servers A,B'],
    ],
  );
});

test('the key for secrets is right only if it opens them all, and is never shown', async () => {
  const [right, wrong] = [7, 8].map((byte) => Buffer.alloc(32, byte).toString('base64'));
  const vaultWith = (key: string | undefined) =>
    Vault.open({ dataDir: '/nowhere', env: { TOOLCRIB_SECRET_KEY: key }, useKeyring: false, log: silentLog });
  const stored = [{ name: 'named/KEY/', sealed: await vaultWith(right).seal('x', 'named/KEY/'), at: 0 }];
  const told = async (vault: Pick<Vault, 'location'>, secrets: readonly StoredSecret[] = []) => {
    // Only these members are used.
    const context = {
      ...plain,
      store: { listSecrets: async () => secrets },
      vault,
      registry: { specs: [], hidden: [] },
      search: { status: { problems: [] } },
      config: () => ({ access: { trustedFrontEnds: [] }, surfaces: { projects: new Map() } }),
    } as unknown as AdminContext;
    const [found, ...more] = (await examine(context, false)).filter(({ subject }) => subject === 'secrets');
    assert.deepEqual(more, []);
    assert.ok(!JSON.stringify(found).includes(right ?? ''));
    return [found?.severity, found?.message.match(/yet|TOOLCRIB_SECRET_KEY|keyring|secret-key/)?.[0]];
  };
  assert.deepEqual(await told(vaultWith(undefined)), ['ok', 'yet']);
  assert.deepEqual(await told({ location: async () => 'keyring' }), ['ok', 'keyring']);
  assert.deepEqual(await told({ location: async () => 'file' }), ['ok', 'secret-key']);
  assert.deepEqual(await told(vaultWith(right), stored), ['ok', 'TOOLCRIB_SECRET_KEY']);
  for (const key of [wrong, undefined, 'no key'])
    assert.deepEqual(await told(vaultWith(key), stored), ['problem', 'TOOLCRIB_SECRET_KEY']);
});
