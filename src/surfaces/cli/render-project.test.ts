/** Tests of how a project is shown: what was said of it, and what that is now. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProjectReport } from '../../admin/admin.ts';
import type { CommandContext } from './context.ts';
import { renderProject, renderProjects } from './render-project.ts';
import { styleFor } from './style.ts';

// Nothing else of it is used.
const context = { style: styleFor({ write() {} }, {}), width: undefined } as CommandContext;

function projectWith(some: Partial<ProjectReport>): ProjectReport {
  return {
    ...{ name: 'shop', origin: 'store', place: null, description: null, servers: [], search: 'hybrid', surface: null },
    ...{ permissions: {}, members: [], tokens: [], path: '/projects/shop/mcp', unmatched: [] },
    ...some,
  };
}

const cases: readonly (readonly [some: Partial<ProjectReport>, shown: string])[] = [
  [{ servers: ['till', 'stock-*'], unmatched: ['till', 'stock-*'] }, 'till (none now), stock-* (none now)'],
  [{ servers: ['till', 'stock-*'], unmatched: ['stock-*'], members: ['till'] }, 'till, stock-* (none now)'],
  [{ servers: ['till', 'stock-*'], members: ['stock-a', 'till'] }, 'till, stock-* (now stock-a, till)'],
  [{ servers: ['till'], members: ['till'] }, 'till'],
  [{ members: ['files'] }, 'files'],
];

for (const [some, shown] of cases)
  test(`servers are shown as they were given, with what is there: ${shown}`, () => {
    const project = projectWith(some);
    assert.ok(renderProject(project, context, 'made').text?.includes(`\n  servers      ${shown}\n`));
    assert.ok(renderProjects([project], context).endsWith(`  ${shown}`));
  });

test('only where no server was named is there none yet', () => {
  assert.match(renderProject(projectWith({}), context, 'made').text ?? '', /servers +none yet/);
});
