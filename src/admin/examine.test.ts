/** The report on a crashed server quotes the error that it printed, not the stack. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseServer } from '../config/config.ts';
import { examine } from './examine.ts';
import type { AdminContext } from './operation.ts';

test('the lines shown of a crash hold the error, however long the trace below it is', async () => {
  const frames = Array.from({ length: 9 }, (_, at) => `    at load${at} (/srv/index.js:${at}:1)`);
  const stderr = ['Error: Failed to load native module: pty.node', ...frames, 'Node.js v26.10.0'].join('\n');
  const spec = parseServer('shell', { command: 'serve' }, {}, 'file');
  const status = { name: 'shell', state: 'failed', lastError: 'It exited.', hint: null, junkSample: '', stderr };
  // Only these members are used.
  const context = {
    about: () => ({ configWarnings: [] }),
    registry: { specs: [spec], hidden: [] },
    search: { status: { problems: [] } },
    config: () => ({ access: { trustedFrontEnds: [] }, surfaces: { projects: new Map() } }),
    downstream: { status: () => status },
    catalog: { pins: { countWaiting: () => ({ heldCount: 0, changedCount: 0 }) } },
  } as unknown as AdminContext;
  const [finding] = await examine(context, false);
  assert.deepEqual(finding?.output, ['Error: Failed to load native module: pty.node']);
});

test('a surface for a project is noted only where there is no such project', async () => {
  const made = ['shop', 'shop2'].map((name) => ({ name }));
  const surfaces = new Map(['shop2', 'shpo', 'office'].map((name) => [name, 'direct']));
  // Only these members are used.
  const context = {
    about: () => ({ configWarnings: [] }),
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
