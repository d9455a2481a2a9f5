/** The dashboard as its sources are now: built again where one of them is newer than the build. */

import { spawnSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

export function buildIfOlder(): void {
  if (newest('dist/dashboard/index.html') >= newest('{src/surfaces/{web,live}/**/*,scripts/build-dashboard.ts}'))
    return;
  const { status } = spawnSync('npm', ['run', '-s', 'build:dashboard'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('The dashboard cannot be built: see above.');
}

function newest(pattern: string): number {
  return Math.max(0, ...globSync(pattern, { cwd: root }).map((file) => statSync(join(root, file)).mtimeMs));
}
