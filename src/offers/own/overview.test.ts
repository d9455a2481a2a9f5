/** The overview: short however much there is, and only of tools that its reader has. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTokens } from 'gpt-tokenizer';
import { everybody } from '../../access/access.ts';
import { parseServer } from '../../config/config.ts';
import type { ShownSurface } from '../../tools/tools.ts';
import { overviewOf } from './overview.ts';
import type { DoorView } from './own-view.ts';

const surfaces: readonly ShownSurface[] = ['search', 'direct', 'code', 'full'];
const kinds = ['database', 'browser', 'file_operations', 'monitoring', 'payments', 'email', 'calendar', 'documents'];

/** A door with so many servers of fifty tools each. */
function placeWith(servers: number, surface: ShownSurface, isWithPrograms = true): DoorView {
  const names = Array.from({ length: servers }, (_, at) => `a-server-with-a-rather-long-name-${at}`);
  const specs = names.map((name) => parseServer(name, { command: 'serve' }, {}, 'file'));
  const tools = names.flatMap((server) =>
    Array.from({ length: 50 }, (_, at) => ({ key: `${server}:t${at}`, server, name: `t${at}`, serverName: `t${at}` })),
  );
  const snapshot = {
    servers: new Map(specs.map((spec) => [spec.name, { spec }])),
    tools: new Map(tools.map((tool) => [tool.key, tool])),
  };
  // Only these members are used.
  const layers = {
    catalog: { snapshot },
    search: { categoryOf: ({ name }: { name: string }) => kinds[Number(name.slice(1)) % kinds.length] },
    config: () => ({ chains: { enabled: isWithPrograms } }),
  };
  return { layers, surfaceOf: () => surface } as unknown as DoorView;
}

test('it takes at most 500 tokens on every surface, whatever the catalog', () => {
  for (const surface of surfaces)
    for (const servers of [0, 1, 60]) {
      const text = overviewOf({ door: placeWith(servers, surface), principal: everybody });
      assert.ok(countTokens(text) <= 500, `${surface}, ${servers} servers: ${countTokens(text)}`);
      assert.match(
        text,
        servers === 0 ? /No tool is listed yet\./ : new RegExp(`${servers * 50} tools on ${servers} `),
      );
    }
});

test('it names a tool only where the agent has it', () => {
  const textOn = (surface: ShownSurface, isWithPrograms = true) =>
    overviewOf({ door: placeWith(2, surface, isWithPrograms), principal: everybody });
  assert.match(textOn('search'), /call_tool_chain/);
  assert.doesNotMatch(textOn('search', false), /call_tool_chain/);
  assert.doesNotMatch(textOn('code'), /tool_execute|tool_info|tool_capabilities/);
  assert.doesNotMatch(textOn('direct'), /tool_|call_tool_chain/);
});
