/** Spools for tests, in a folder that goes with the process. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { Spool } from '../../src/results/results.ts';

let shared: string | undefined;

export function testSpool(options: { readonly clock?: Clock; readonly limitBytes?: number } = {}): Spool {
  shared ??= makeFolder();
  const dataDir = mkdtempSync(join(shared, 'data-'));
  return new Spool({ dataDir, clock: options.clock ?? systemClock, limitBytes: options.limitBytes });
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-spool-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
